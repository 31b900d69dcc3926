import assert from 'node:assert/strict';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../support/programs/programs.ts';
import { startTestService } from '../support/programs/running-service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const alert = { labels: { alertname: 'Kept', namespace: 'shop' }, fingerprint: 'kept' };

test('reports, episodes and duplicates survive a restart', async (t) => {
  const directory = temporaryDirectory();
  // Otherwise it follows the port, which differs.
  const environment = { REPORT_BASE_URL: 'http://reports.example' };
  const before = await startTestService(t, directory, environment);
  await before.post([{ ...alert, startsAt: '2026-11-20T10:00:00Z' }]);
  const report = await before.finished('kept');
  await before.service.stop();

  const after = await startTestService(t, directory, environment);
  assert.deepEqual(await after.finished('kept'), report);
  const again = await after.post([{ ...alert, startsAt: '2026-11-20T10:00:00Z' }]);
  assert.equal(again.headers.get('x-alerts-deduplicated'), '1');
  assert.equal((await after.report('kept')).episode.notifications, 1);
});

test('alerts queued when the service stops are analysed after the restart', async (t) => {
  const directory = temporaryDirectory();
  const before = await startTestService(t, directory);
  const alerts = Array.from({ length: 40 }, (_, index) => ({
    labels: { alertname: 'Waits', instance: `${index}` }, fingerprint: `w${index}`,
  }));
  await before.post(alerts);
  await before.service.stop();
  const after = await startTestService(t, directory);
  for (const { fingerprint } of alerts) {
    assert.equal((await after.finished(fingerprint)).status, 'ready');
  }
});

test('a recheck that was due is taken after the restart', async (t) => {
  const directory = temporaryDirectory();
  // Nothing listens there.
  const environment = {
    LOKI_URL: `http://127.0.0.1:${await freePort()}`, READ_LIMIT_PER_CLIENT: '0',
  };
  const before = await startTestService(t, directory, environment);
  const startsAt = new Date(Date.now() - 290_000).toISOString();
  const labels = { ...alert.labels, pod: 'web-0' };
  await before.post([{ ...alert, labels, startsAt }]);
  const first = await before.finished('kept');
  assert.ok(first.provenance.checks.some(({ name }) => name === 'second look'));
  await before.service.stop();

  const after = await startTestService(t, directory, environment);
  const again = await after.until('kept', ({ updated_at: at }) => at !== first.updated_at);
  assert.deepEqual(again.alert, first.alert);
  assert.notDeepEqual(again.provenance.checks.find(({ name }) => name === 'second look'),
    first.provenance.checks.find(({ name }) => name === 'second look'), 'the next one is later');
});

test('a second service on the same data directory is refused with what to do', async (t) => {
  const directory = temporaryDirectory();
  await startTestService(t, directory);
  await assert.rejects(startTestService(t, directory), /is using it; stop that, or set another/);
});

test('a torn journal and a damaged report are survived and logged', async (t) => {
  const directory = temporaryDirectory();
  const before = await startTestService(t, directory);
  await before.post([alert]);
  await before.finished('kept');
  await before.service.stop();

  const journal = join(directory, 'data', 'journal');
  const segments = (await readdir(journal)).sort();
  await appendFile(join(journal, segments.at(-1) ?? ''), Buffer.from('torn in the mid'));
  const file = join(directory, 'data', 'reports', '00000001.pack');
  const bytes = await readFile(file);
  bytes[bytes.length - 2] = 0;
  await writeFile(file, bytes);

  const after = await startTestService(t, directory);
  const report = await after.report('kept');
  assert.equal(report.status, 'failed');
  assert.equal(report.alert.name, 'Kept');
  assert.ok(after.log.some((line) => line.includes('A stored report is damaged')));
  assert.ok(after.log.some((line) => /"tornTails":1/.test(line)));
  const metrics = await (await fetch(`${after.url}/metrics`)).text();
  assert.match(metrics, /^service_damaged_reports_total 1$/m);
  assert.match(metrics, /^service_journal_torn_tails_total 1$/m);
  // The alert still fires, so what is left of it is enough for another analysis.
  const asked = await fetch(`${after.url}/report/kept/analyse`, { method: 'POST' });
  assert.equal(asked.status, 202);
  assert.equal((await after.finished('kept')).status, 'ready');
  assert.equal((await after.post([{ ...alert, fingerprint: 'new' }])).status, 200);
});
