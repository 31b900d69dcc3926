import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf, ModelError, type ModelFailure } from '../../src/model/client/model-error.ts';
import type { BreakerState } from '../../src/narration/breaker.ts';
import { TroubleLog } from '../../src/narration/trouble-log.ts';
import type { Logger } from '../../src/telemetry/log.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { aKey } from '../support/samples/alerts.ts';

const hourMs = 3_600_000;
const refused = failureOf(new ModelError('It was refused', { type: 'refused' }));
const late = failureOf(new ModelError('It came late', { type: 'timeout' }));
const givenUp = failureOf(new ModelError('It was given up', { type: 'aborted' }));
const report = aKey('f');

interface Bench {
  readonly clock: ManualClock;
  readonly troubles: TroubleLog;
  readonly lines: string[];
  /** A request has ended while the breaker went from one state to the other. */
  readonly ended: (
    failure: ModelFailure | null, before: BreakerState, after: BreakerState,
  ) => void;
}

function aBench(): Bench {
  const clock = new ManualClock();
  const lines: string[] = [];
  const write = (message: string): void => void lines.push(message);
  const log: Logger = { debug: write, info: write, warn: write, error: write, with: () => log };
  const breaker = { state: 'closed' as BreakerState, openMsLeft: 0 };
  const troubles = new TroubleLog({ clock, log, breaker });
  return {
    clock, troubles, lines,
    ended(failure, before, after) {
      breaker.state = after;
      troubles.ended(failure, before);
    },
  };
}

test('TroubleLog tells each kind of failure once an hour, and not what was cancelled', async () => {
  const { clock, lines, ended } = aBench();
  ended(late, 'closed', 'closed');
  ended(late, 'closed', 'closed');
  ended(refused, 'closed', 'closed');
  ended(givenUp, 'closed', 'closed');
  assert.deepEqual(lines, ['The model failed', 'The model failed']);
  await clock.advance(hourMs);
  ended(late, 'closed', 'closed');
  assert.equal(lines.length, 3);
});

test('TroubleLog tells each time that the breaker opens, and when the model answers again', () => {
  const { lines, ended } = aBench();
  ended(late, 'closed', 'open');
  ended(late, 'open', 'open');
  ended(late, 'half_open', 'open');
  ended(null, 'half_open', 'closed');
  ended(null, 'closed', 'closed');
  assert.deepEqual(lines, [
    'The model keeps failing and is paused', 'The model keeps failing and is paused',
    'The model answers again',
  ]);
});

test('TroubleLog tells each reason for a missing narrative once an hour', async () => {
  const { clock, troubles, lines } = aBench();
  troubles.withoutNarrative('It refused.', report);
  troubles.withoutNarrative('It refused.', report);
  troubles.withoutNarrative('It answered nothing.', report);
  assert.equal(lines.length, 2);
  await clock.advance(hourMs);
  troubles.withoutNarrative('It refused.', report);
  assert.equal(lines.length, 3);
});
