import assert from 'node:assert/strict';
import test from 'node:test';
import { assertCompleteReport } from '../support/complete-report.ts';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile, investigated } from '../support/samples/case-files.ts';
import { concluded, latencyCase } from '../support/samples/metric-facts.ts';

test('realityOf carries no number that JSON cannot hold', () => {
  const { reality, report } = concluded(latencyCase(), {
    own: { valueAtFire: Infinity, valueNow: Number.NaN, yesterday: -Infinity, worst: Infinity },
  });
  assertCompleteReport(report);
  assert.deepEqual(
    [reality.value_at_fire, reality.value_now, reality.yesterday], [null, null, null],
  );
});

test('a repeated notification tells the value now', async () => {
  const alert = anAlert({ annotations: { value: '95' } });
  const once = await investigated(aCaseFile({ alert }));
  assert.deepEqual([once.reality.value_at_fire, once.reality.value_now], [95, null]);
  const episode = { ...aCaseFile().episode, notifications: 3 };
  const thrice = await investigated(aCaseFile({ alert, episode }));
  assert.deepEqual([thrice.reality.value_at_fire, thrice.reality.value_now], [null, 95]);
});

test('the text of an alert that has ended does not tell the value at its start', async () => {
  const ended = { status: 'resolved', endsAt: '2026-11-20T10:05:00Z' } as const;
  const alert = anAlert({ ...ended, annotations: { value: '95' } });
  const { reality } = await investigated(aCaseFile({ alert }));
  assert.deepEqual([reality.value_at_fire, reality.value_now], [null, null]);
});
