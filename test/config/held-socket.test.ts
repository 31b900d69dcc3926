import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldSocket } from '../../src/config/held-socket.ts';

const cases: readonly [what: string, environment: Record<string, string>, fd: number | null][] = [
  ['nothing', {}, null],
  ['one socket', { LISTEN_PID: '17', LISTEN_FDS: '1', LISTEN_FDNAMES: 'web' }, 3],
  ['a socket of another process', { LISTEN_PID: '18', LISTEN_FDS: '1' }, null],
  ['a socket of nobody', { LISTEN_FDS: '1' }, null],
  ['no socket', { LISTEN_PID: '17', LISTEN_FDS: '0' }, null],
  ['no number', { LISTEN_PID: '17' }, null],
];
for (const [what, environment, fd] of cases) {
  test(`heldSocket takes ${fd === null ? 'nothing' : `descriptor ${fd}`} given ${what}`, () => {
    assert.deepEqual(heldSocket(environment, 17), fd === null ? null : { fd });
  });
}

for (const count of ['2', '01', '-1', 'one']) {
  test(`heldSocket refuses LISTEN_FDS=${count}`, () => {
    assert.throws(
      () => heldSocket({ LISTEN_PID: '17', LISTEN_FDS: count }, 17),
      { name: 'ConfigError', message: /LISTEN_FDS must be 1, not "/ },
    );
  });
}
