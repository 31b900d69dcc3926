import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Report } from '../../src/report/report.ts';
import { assertCompleteReport } from '../support/complete-report.ts';
import { clockRate } from '../support/programs/node-options.ts';
import { freePort } from '../support/programs/programs.ts';
import { startTestService, type RunningService } from '../support/programs/running-service.ts';
import { fakeKubernetes, realCluster } from '../support/sources/fake-kubernetes.ts';
import { answering, startFakeSource, testAuthority } from '../support/sources/fake-source.ts';
import { temporaryDirectory, temporaryFile } from '../support/temporary-directory.ts';

const labels = {
  alertname: 'KubeDeploymentReplicasMismatch', namespace: 'shop', deployment: 'web',
};

async function analysed(service: RunningService): Promise<Report> {
  const alert = { labels, fingerprint: 'web', startsAt: new Date().toISOString() };
  assert.equal((await service.post([alert])).status, 200);
  const report = await service.finished('web');
  assertCompleteReport(report);
  return report;
}

function stateOf({ provenance }: Report): string | undefined {
  return provenance.sources.find(({ name }) => name === 'kubernetes')?.state;
}

test('Kubernetes is asked with its own authority and a token, and only read', async (t) => {
  const source = await startFakeSource(t, fakeKubernetes(realCluster()), { tls: true });
  const service = await startTestService(t, temporaryDirectory(), {
    KUBERNETES_URL: source.url, KUBERNETES_CA_FILE: temporaryFile(testAuthority()),
    KUBERNETES_TOKEN_FILE: temporaryFile('canary-kubernetes\n'), ...clockRate(0.2),
  });
  const report = await analysed(service);
  assert.equal(report.verdict.most_likely, 'The image cannot be pulled');
  assert.equal(stateOf(report), 'ok');
  for (const { method, headers } of source.requests) {
    assert.equal(method, 'GET');
    assert.equal(headers.authorization, 'Bearer canary-kubernetes');
  }
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  assert.match(metrics, new RegExp(`source="kubernetes"[^\n]* ${source.requests.length}\n`));
});

test('what strangers call their images and say in probes is text of a page', async (t) => {
  const hostile = '<img src=x onerror=run(1)>';
  const text = JSON.stringify(realCluster()).replaceAll('v2-typo', hostile);
  const source = await startFakeSource(t, fakeKubernetes(JSON.parse(text) as never));
  const service = await startTestService(t, temporaryDirectory(), {
    KUBERNETES_URL: source.url, ...clockRate(0.2),
  });
  await analysed(service);
  const response = await fetch(`${service.url}/report/web`, { headers: { Accept: 'text/html' } });
  const page = await response.text();
  assert.ok(page.includes('onerror=run(1)') && !page.includes('<img'));
});

test('a Kubernetes that is gone costs its part of the report, which says so once', async (t) => {
  const service = await startTestService(t, temporaryDirectory(), {
    KUBERNETES_URL: `http://127.0.0.1:${await freePort()}`,
  });
  const report = await analysed(service);
  assert.equal(stateOf(report), 'failed');
  const missing = report.unknowns.filter(({ why }) => why.startsWith('Cannot read from Kuber'));
  assert.deepEqual(missing.map(({ what }) => what), ['Pods, events and recent rollouts.']);
});

test('what a role does not allow is named with what to do', async (t) => {
  const body = JSON.stringify({
    kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403,
    message: 'deployments.apps is forbidden: User "system:serviceaccount:monitoring:nobody" ' +
      'cannot list resource "deployments" in API group "apps" in the namespace "shop"',
  });
  const source = await startFakeSource(t, answering(body, { status: 403 }));
  const service = await startTestService(t, temporaryDirectory(), {
    KUBERNETES_URL: source.url, ...clockRate(0.2),
  });
  const report = await analysed(service);
  assert.equal(stateOf(report), 'failed');
  const [missing] = report.unknowns.filter(({ why }) => why.includes('is forbidden'));
  assert.match(missing?.how_to_get ?? '', /^Bind the ClusterRole /);
});
