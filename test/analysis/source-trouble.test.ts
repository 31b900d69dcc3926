import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SourceTrouble } from '../../src/analysis/source-trouble.ts';
import type { SourceCall } from '../../src/analysis/threads/worker-messages.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { ManualClock } from '../support/manual-clock.ts';

function setUp(): {
  clock: ManualClock;
  logged: string[];
  ask: (result: SourceCall['result'], times: number, over?: Partial<SourceCall>) => void;
} {
  const clock = new ManualClock();
  const logged: string[] = [];
  const log = createLogger({
    level: 'info', format: 'pretty', now: () => clock.now(),
    write: (line) => logged.push(line.slice('00:00:00.000 '.length).trimEnd()),
  });
  const trouble = new SourceTrouble(clock, log);
  return {
    clock, logged,
    ask(result, times, over) {
      const asked: SourceCall = {
        source: 'prometheus', servers: [over?.server ?? 'http://p:9090'], server: 'http://p:9090',
        durationMs: 5, result, failure, left: null, ...over,
      };
      for (let time = 0; time < times; time++) trouble.asked(asked);
    },
  };
}

const warning = 'WARN  A source is unavailable; reports omit its evidence';
const server = 'server="http://p:9090"';
const back = 'INFO  A source answers again source="prometheus" ' + server;
const failure = { detail: 'it answered 401', hint: 'Check PROMETHEUS_TOKEN.' };
const told = ' detail="it answered 401" hint="Check PROMETHEUS_TOKEN."';

test('SourceTrouble tells once why a source fails, and when it answers again', () => {
  const { logged, ask } = setUp();
  ask('unauthorized', 50);
  ask('ok', 50);
  const first = `${warning} source="prometheus" ${server} outcome="unauthorized"${told}`;
  assert.deepEqual(logged, [first, back]);
});

test('SourceTrouble takes a source that hangs for one that fails', () => {
  const { logged, ask } = setUp();
  ask('cancelled', 50, { durationMs: 300 });
  assert.deepEqual(logged, [], 'what ends early is not wanted any more');
  ask('cancelled', 3, { source: 'alertmanager', durationMs: 2_400 });
  assert.deepEqual(logged, [
    `${warning} source="alertmanager" ${server} outcome="cancelled" ` +
      'detail="no answer within 2.4 s"',
  ]);
});

test('SourceTrouble is silent while some questions are answered', () => {
  const { logged, ask } = setUp();
  for (let round = 0; round < 20; round++) {
    ask('not_found', 2);
    ask('ok', 1);
    ask('connection', 2, { source: 'alertmanager' });
    ask('ok', 1, { source: 'alertmanager' });
  }
  assert.deepEqual(logged, []);
});

test('SourceTrouble floods no log with a source that comes and goes', async () => {
  const { clock, logged, ask } = setUp();
  for (let round = 0; round < 20; round++) {
    ask('connection', 3);
    ask('ok', 1);
    await clock.advance(60_000);
  }
  const first = `${warning} source="prometheus" ${server} outcome="connection"${told}`;
  assert.deepEqual(logged, [first, back, first, back]);
});

test('SourceTrouble tells that another server is asked, once in a while', async () => {
  const { clock, logged, ask } = setUp();
  const left = {
    server: 'http://a:9090', reason: 'connection', detail: 'the connection was refused',
  } as const;
  for (let round = 0; round < 20; round++) {
    ask('ok', 3, { left });
    await clock.advance(60_000);
  }
  const line = 'WARN  A source server failed; trying the next one ' +
    'source="prometheus" server="http://a:9090" outcome="connection" ' +
    'detail="the connection was refused"';
  assert.deepEqual(logged, [line, line]);
});

test('SourceTrouble tells of one of several servers, though the others answer', () => {
  const { logged, ask } = setUp();
  for (let round = 0; round < 3; round++) {
    ask('unauthorized', 1, { server: 'http://b:9090' });
    ask('ok', 5);
  }
  assert.deepEqual(logged,
    [`${warning} source="prometheus" server="http://b:9090" outcome="unauthorized"${told}`]);
});

test('SourceTrouble tells that a source answers again by another of its servers', () => {
  const { logged, ask } = setUp();
  const servers = ['http://p:9090', 'http://b:9090'];
  ask('unauthorized', 3, { servers, server: 'http://b:9090' });
  ask('ok', 3, { servers });
  assert.deepEqual(logged,
    [`${warning} source="prometheus" server="http://b:9090" outcome="unauthorized"${told}`, back]);
});
