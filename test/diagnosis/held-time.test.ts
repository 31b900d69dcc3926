import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile } from '../support/samples/case-files.ts';
import { concluded } from '../support/samples/metric-facts.ts';

const told = (expression: string, valueAtFire: number): readonly string[] => {
  const generatorURL = `http://p/graph?g0.expr=${encodeURIComponent(expression)}`;
  const alert = anAlert({ labels: { alertname: 'TooOld', instance: 'a:1' }, generatorURL });
  const { findings, timeline } = concluded(aCaseFile({ alert }), { own: { valueAtFire } });
  return [
    ...findings.map(({ text }) => text).filter((text) => text.includes('stands at')),
    ...timeline.filter(({ text }) => text.includes('counts'))
      .map(({ at, text }) => `${at} ${text}`),
  ];
};

test('a report tells the time that a rule counts from, and that of an end to come', () => {
  assert.deepEqual(told('time() - backup_seconds > 3600', 5400), [
    'backup_seconds stands at 08:30 UTC.',
    '2026-11-20T08:30:00.000Z The time in backup_seconds, from which the rule counts.',
  ]);
  assert.deepEqual(told('expiry_seconds - time() < 864000', 172_800),
    ['expiry_seconds stands at 22 Nov 10:00 UTC.']);
  assert.deepEqual(told('round((expiry_seconds - time()) / 86400, 0.1) < 3', 2),
    ['expiry_seconds stands at about 22 Nov 10:00 UTC.']);
});

test('a report tells no time of a metric that holds none, nor of another rule', () => {
  assert.deepEqual(told('time() - backup_seconds > 3600', Date.now() / 1000), []);
  assert.deepEqual(told('backup_age_seconds > 3600', 5400), []);
});
