import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestService } from '../support/programs/running-service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const startsAt = '2026-11-20T10:00:00Z';
const pods = Array.from({ length: 60 }, (_, index) => ({
  status: 'firing', startsAt, fingerprint: `pod-${index}`,
  labels: { alertname: 'PodSlow', namespace: 'shop', pod: `p-${index}`, node: 'n1' },
}));
const node = {
  status: 'firing', startsAt, fingerprint: 'node',
  labels: { alertname: 'KubeNodeNotReady', node: 'n1', severity: 'critical' },
};

test('a storm is one incident with a page, and stays the same after a restart', async (t) => {
  const directory = temporaryDirectory();
  const running = await startTestService(t, directory);
  const { url, post, finished, service } = running;
  assert.equal((await post([...pods, node])).status, 200);
  const report = await finished('pod-7/1');
  const { incident } = report;
  assert.equal(incident?.members.length, 61);
  assert.equal(incident?.likely_origin, 'KubeNodeNotReady');
  assert.ok(report.findings.some(({ text }) => text.startsWith('Part of a storm of 61 alerts')));
  assert.ok(incident?.url.startsWith(`${url}/incident/`));
  const page = await fetch(incident?.url ?? '', { headers: { accept: 'text/html' } });
  assert.equal(page.status, 200);
  const text = await page.text();
  assert.match(text, /Incident of 61: KubeNodeNotReady/);
  assert.ok(text.indexOf('KubeNodeNotReady') < text.indexOf('PodSlow'));
  await service.stop();
  const again = await startTestService(t, directory);
  const { incident: known } = await again.report('pod-7/1');
  assert.deepEqual([known?.id, known?.members], [incident?.id, incident?.members]);
});
