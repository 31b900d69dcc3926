import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { foundIn, phasesOf, type Killed } from '../../scripts/crash/phases.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

function textOf(path: string): string {
  return readFileSync(join(process.cwd(), path), 'utf8');
}

test('the crash loop waits for lines that the service logs', () => {
  const logged = ['service', 'storage', 'maintenance']
    .map((name) => textOf(`src/app/${name}.ts`)).join('');
  const phases = textOf('scripts/crash/phases.ts');
  const [, ...awaited] =
    /const line = .* \? '([^']+)' : '([^']+)';/.exec(textOf('scripts/crash-loop.ts')) ?? [];
  const read = [...phases.matchAll(/lastOf\('([^']+)'\)|"message":"(\w[^"]+)"/g)]
    .map(([, one, other]) => one ?? other ?? '');
  assert.equal(awaited.length, 2);
  assert.ok(read.length >= 6, read.join());
  for (const line of [...awaited, ...read]) assert.ok(logged.includes(`('${line}'`), line);
});

test('phasesOf() tells from the log and the requests what a kill interrupted', () => {
  const killed: Killed = {
    output: '{"message":"Ready"}\n', dataDirectory: temporaryDirectory(), posts: 0, storms: 0,
    wasToldToStop: false,
  };
  assert.deepEqual(phasesOf(killed), []);
  assert.deepEqual(phasesOf({ ...killed, output: '' }), ['starting']);
  assert.deepEqual(phasesOf({ ...killed, posts: 2, storms: 1 }), ['posting', 'storm']);
  assert.deepEqual(phasesOf({ ...killed, wasToldToStop: true }), ['stopping']);
  const begun = '{"message":"Compacting the journal"}\n';
  const ended = '{"message":"Journal compacted"}\n';
  assert.deepEqual(phasesOf({ ...killed, output: killed.output + begun }), ['compacting']);
  assert.deepEqual(phasesOf({ ...killed, output: killed.output + begun + ended }), []);
});

test('foundIn() reads what a start replayed, and every error', () => {
  const error = '{"level":"error","message":"Broken"}';
  const replayed = '{"level":"info","message":"Journal replayed","pending":3,"tornTails":1}';
  assert.deepEqual(foundIn(`${replayed}\n${error}\n`), {
    pending: 3, tornTails: 1, errors: [error],
  });
  assert.deepEqual(foundIn(''), { pending: 0, tornTails: 0, errors: [] });
});
