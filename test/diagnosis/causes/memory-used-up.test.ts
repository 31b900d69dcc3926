import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventFact } from '../../../src/evidence/metric-facts.ts';
import type { Hypothesis } from '../../../src/report/report.ts';
import { assertCompleteReport } from '../../support/complete-report.ts';
import {
  concluded, latencyCase, moving, problemBegan,
} from '../../support/samples/metric-facts.ts';

const minute = 60_000;

/** The cause made of restarts of a component, each with memory that grew from 60 MB. */
function cause(
  restarts: readonly (readonly [minutes: number, peakBytes: number | null])[],
  component = 'checkout',
): Hypothesis | undefined {
  const { hypotheses, report } = concluded(latencyCase(), {
    candidates: ['cart', 'email'].map((name) => moving(name, 'memory_bytes')),
    events: restarts.map(([minutes, peakBytes]): Partial<EventFact> => {
      const atMs = problemBegan + minutes * minute;
      return {
        kind: 'restart', verb: 'restarted', atMs, subject: component,
        text: `${component} restarted`, before: null, after: null,
        component: { label: 'service', value: component },
        ...(peakBytes !== null && { memory: {
          fromBytes: 60e6, peakBytes, afterBytes: 55e6, sinceMs: atMs - 3 * minute,
        } }),
      };
    }),
  });
  assertCompleteReport(report);
  return hypotheses.find(({ kind }) => kind === 'memory');
}

test('memory that grew until the process ended is named as the reason of its restart', () => {
  const once = cause([[-2, 420e6]]);
  assert.equal(once?.certainty, 'possible');
  assert.match(once?.cause ?? '',
    /^The memory of checkout kept growing by .*\/s until it ended: /u);
  assert.deepEqual(once?.about, ['checkout']);
  const twice = cause([[-5, 400e6], [-1, 420e6]]);
  assert.deepEqual([twice?.certainty, twice?.for.length], ['likely', 2]);
  assert.equal(cause([[-5, null], [-1, 420e6]])?.certainty, 'possible');
});

test('restarts without growth, or of something else, name no memory', () => {
  assert.equal(cause([[-2, null]]), undefined);
  assert.equal(cause([[-5, 400e6], [-1, 420e6]], 'cart'), undefined);
});
