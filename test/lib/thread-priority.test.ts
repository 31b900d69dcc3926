import assert from 'node:assert/strict';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const modulePath = new URL('../../src/lib/thread-priority.js', import.meta.url).href;

/** Lowers its priority and reports the thread's own number and nice value. */
const source = `
  const { readlinkSync } = require('node:fs');
  const { getPriority } = require('node:os');
  const { parentPort } = require('node:worker_threads');
  import(${JSON.stringify(modulePath)}).then(({ lowerThreadPriority }) => {
    lowerThreadPriority('low');
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    parentPort.postMessage({ thread, nice: getPriority(thread) });
  });
`;

const skip = process.platform === 'linux' ? false : 'threads have priorities on Linux only';

test('lowerThreadPriority lowers only the calling thread', { skip }, async () => {
  const before = getPriority();
  const worker = new Worker(source, { eval: true });
  const [{ thread, nice }] = (await once(worker, 'message')) as [{ thread: number; nice: number }];
  assert.notEqual(thread, process.pid);
  assert.equal(nice, Math.max(10, before));
  assert.equal(getPriority(), before);
});
