import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valueBytesMax } from '../../src/sources/json-reader.ts';
import { readFailedScrapes } from '../../src/sources/prometheus-targets.ts';

const target = (instance: string, lastError: string): object => ({
  discoveredLabels: { __address__: instance, __metrics_path__: '/metrics', job: 'api' },
  labels: { env: 'prod', instance, job: 'api' }, scrapePool: 'api',
  scrapeUrl: `http://${instance}/metrics`, globalUrl: `http://${instance}/metrics`, lastError,
  lastScrape: '2026-11-23T12:06:08.708244584Z', lastScrapeDuration: 4.000996646,
  health: lastError === '' ? 'up' : 'down', scrapeInterval: '5s', scrapeTimeout: '4s',
});

/** As Prometheus 2.42 answers. */
function answer(...activeTargets: readonly object[]): Buffer {
  const data = { activeTargets, droppedTargets: [], droppedTargetCounts: {} };
  return Buffer.from(JSON.stringify({ status: 'success', data }));
}

test('readFailedScrapes() keeps the targets that failed and why, without the address', () => {
  const asked = 'Get "http://127.0.0.2:29401/metrics?token=s3cret": context deadline exceeded';
  const body = answer(
    target('127.0.0.3:29404', ''), target('127.0.0.2:29401', asked),
    target('127.0.0.2:29403', 'sample limit exceeded'),
  );
  const labels = (instance: string): object => ({ env: 'prod', instance, job: 'api' });
  assert.deepEqual(readFailedScrapes(body, 10), [
    { labels: labels('127.0.0.2:29401'), error: 'context deadline exceeded' },
    { labels: labels('127.0.0.2:29403'), error: 'sample limit exceeded' },
  ]);
  assert.equal(readFailedScrapes(body, 1).length, 1);
  assert.deepEqual(readFailedScrapes(answer(), 10), []);
});

test('readFailedScrapes() cuts a long error', () => {
  const [failed] = readFailedScrapes(answer(target('a:1', 'x'.repeat(5000))), 10);
  assert.equal(failed?.error.length, 300);
});

test('readFailedScrapes() leaves out a target that is too long to be read', () => {
  const huge = { ...target('a:1', 'broken'), labels: { instance: 'x'.repeat(valueBytesMax) } };
  const found = readFailedScrapes(answer(huge, target('b:1', 'broken')), 10);
  assert.deepEqual(found.map(({ labels }) => labels['instance']), ['b:1']);
});
