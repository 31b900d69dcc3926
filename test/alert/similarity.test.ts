import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  isCorrelated, pairScore, distinctiveLabels, togetherScoreMin, topologySimilarity,
} from '../../src/alert/similarity.ts';

test('pairScore() decays with time and grows with either likeness', () => {
  assert.equal(pairScore(0, 0, 0), 0);
  assert.ok(Math.abs(pairScore(1, 1, 0) - 0.94) < 1e-9);
  assert.ok(Math.abs(pairScore(1, 1, 600) - 0.94 / Math.E) < 1e-9);
  assert.equal(pairScore(0.5, 0.4, -60), pairScore(0.5, 0.4, 60));
  assert.ok(pairScore(1, 1, 900) < togetherScoreMin, 'nothing links over a quarter of an hour');
});

test('topologySimilarity() does not care for order', () => {
  const a = { alertname: 'A', pod: 'p', node: 'n', severity: 'critical', replica: 'x' };
  const b = { node: 'n', alertname: 'B', severity: 'critical', zone: 'z' };
  assert.equal(topologySimilarity(a, b), topologySimilarity(b, a));
});

const correlated: readonly [labels: Record<string, string>, expected: boolean][] = [
  [{ alertname: 'Watchdog', severity: 'critical' }, false],
  [{ alertname: 'InfoInhibitor' }, false],
  [{ alertname: 'A', severity: 'None' }, false],
  [{ alertname: 'A', severity: 'info' }, true],
  [{}, true],
];
for (const [labels, expected] of correlated) {
  test(`isCorrelated(${JSON.stringify(labels)}) is ${expected}`, () => {
    assert.equal(isCorrelated(labels), expected);
  });
}

test('tellingLabels() takes all labels of a usual alert, and the best of too many', () => {
  const usual = { alertname: 'A', pod: 'p', team: 't' };
  assert.equal(distinctiveLabels(usual), usual);
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`l${index}`, 'x']));
  const best = distinctiveLabels({ ...many, alertname: 'A', pod: 'p', severity: 'critical' });
  assert.equal(Object.keys(best).length, 32);
  assert.deepEqual([best['pod'], best['alertname'], best['severity']], ['p', 'A', 'critical']);
  assert.deepEqual(distinctiveLabels(best), best);
  const long = { pod: 'x'.repeat(3_000), team: 'y'.repeat(1_500), alertname: 'A'.repeat(1_000) };
  assert.deepEqual(Object.keys(distinctiveLabels(long)), ['alertname']);
});
