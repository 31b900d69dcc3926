import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortageBehind, type Shortage } from '../../src/lib/shortage.ts';

function coded(code: string, message = 'x'): Error {
  return Object.assign(new Error(message), { code });
}

const told: readonly (readonly [error: unknown, of: Shortage['of'] | null, setting: RegExp])[] = [
  [coded('EMFILE'), 'files', /LimitNOFILE/],
  [coded('ENFILE'), 'files', /ulimit -n/],
  [coded('EAGAIN'), 'threads', /TasksMax/],
  [coded('ENOMEM'), 'memory', /MemoryMax/],
  [coded('ERR_WORKER_INIT_FAILED', 'EAGAIN'), 'threads', /WORKERS/],
  [coded('ERR_WORKER_INIT_FAILED', 'Worker initialization failure: EMFILE'), 'files', /-n/],
  [new Error('Cannot listen', { cause: coded('EMFILE') }), 'files', /LimitNOFILE/],
  [coded('EACCES', 'EMFILE'), null, /^$/],
  ['EMFILE', null, /^$/],
];

for (const [error, of, setting] of told) {
  test(`shortageBehind() of ${String(error)} is ${of}`, () => {
    const shortage = shortageBehind(error);
    assert.equal(shortage?.of ?? null, of);
    assert.match(shortage?.advice ?? '', setting);
  });
}
