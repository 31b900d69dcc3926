import assert from 'node:assert/strict';
import { test } from 'node:test';
import { investigate } from '../../src/analysis/investigate.ts';
import type { CaseFile } from '../../src/report/case-file.ts';
import { prometheusIdentity } from '../../src/sources/prometheus.ts';
import type { AskableSource } from '../../src/sources/source-client.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile, noSources } from '../support/samples/case-files.ts';

const startsAt = '2026-11-20T10:00:00Z';
const receivedMs = Date.parse(startsAt) + 10 * 60_000 + 8_000;

/** The latest moment, in seconds, as of which anything is asked so long after the notification. */
async function askedAt(secondsLater: number, told: Partial<CaseFile> = {}): Promise<number> {
  const times: number[] = [];
  const prometheus: AskableSource = {
    timeoutMs: 5_000, identity: prometheusIdentity,
    ask: (request, read) => {
      const given = new Map(request.parameters);
      const isRange = request.path === '/api/v1/query_range';
      if (given.has('query') && !isRange) times.push(Number(given.get('time')));
      const data = {
        resultType: isRange ? 'matrix' : 'vector', result: [], groups: [], yaml: '',
      };
      return Promise.resolve(read(Buffer.from(JSON.stringify({ status: 'success', data }))));
    },
  };
  const caseFile = aCaseFile({
    alert: anAlert({ startsAt, labels: { alertname: 'HighErrors', job: 'api' } }),
    receivedAt: new Date(receivedMs).toISOString(), ...told,
  });
  await investigate(caseFile, {
    clock: new ManualClock(receivedMs + secondsLater * 1000), version: '1',
    sources: { ...noSources, prometheus }, signal: new AbortController().signal,
    onProgress: () => {},
  });
  return Math.max(...times);
}

test('alerts of one notification ask as of the same time, whenever their turn comes', async () => {
  const first = await askedAt(0);
  assert.equal(await askedAt(12), first);
  // Whoever waits longer would be told what is old.
  assert.ok(await askedAt(40) > first);
});

test('an alert that has just begun asks as of the time of one that came before it', async () => {
  const at = (ms: number): string => new Date(ms).toISOString();
  const began = at(receivedMs - 4_000);
  const fresh = (...others: readonly number[]): Partial<CaseFile> => ({
    alert: anAlert({ startsAt: began, labels: { alertname: 'HighErrors', job: 'api' } }),
    episode: { ...aCaseFile({}).episode, startsAt: began },
    openAlerts: others.map((ms, index) =>
      ({ fingerprint: `${index}`, startsAt: began, receivedAt: at(ms), labels: {} })),
  });
  assert.equal(await askedAt(0, fresh()), receivedMs / 1000);
  assert.equal(await askedAt(0, fresh(receivedMs - 10)), receivedMs / 1000 - 0.01);
  // Not as of a time before it began, or after its own notification.
  assert.equal(await askedAt(0, fresh(receivedMs - 5_000, receivedMs + 9)), receivedMs / 1000);
});
