import assert from 'node:assert/strict';
import { test } from 'node:test';
import { investigate } from '../../src/analysis/investigate.ts';
import type { CaseFile } from '../../src/report/case-file.ts';
import { alertmanagerIdentity } from '../../src/sources/alertmanager.ts';
import type { Sources } from '../../src/sources/asked-source.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile, noSources } from '../support/samples/case-files.ts';

const startsAt = '2026-11-20T10:00:00Z';
const start = Date.parse(startsAt);
const alert = anAlert({ startsAt });

test('a first report waits less for a source than one with others, or a later one', async () => {
  const silent: Sources = {
    ...noSources,
    prometheus: {
      timeoutMs: 60_000, identity: alertmanagerIdentity,
      ask: ({ signal }) => new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      }),
    },
  };
  const other = { fingerprint: '00000000000000aa', startsAt, labels: { alertname: 'Other' } };
  const waited = async (over: Partial<CaseFile>): Promise<number> => {
    const clock = new ManualClock(start + 60_000);
    let done = false;
    const asked = investigate({ ...aCaseFile({ alert }), ...over }, {
      clock, version: '1', sources: silent, signal: new AbortController().signal,
      onProgress: () => {},
    }).then(() => { done = true; });
    for (let ms = 0; ; ms += 500) {
      for (let turn = 0; turn < 50 && !done; turn += 1) await new Promise(setImmediate);
      if (done) {
        await asked;
        return ms;
      }
      await clock.advance(500);
    }
  };
  const group = { ...aCaseFile({ alert }).group, listed: 8 };
  assert.equal(await waited({}), 2_500);
  assert.equal(await waited({ group }), 4_000);
  assert.equal(await waited({ openAlerts: [other] }), 4_000);
  assert.equal(await waited({ attempts: 2 }), 5_000);
});
