import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Report } from '../../src/report/report.ts';
import { assertCompleteReport } from '../support/complete-report.ts';
import { modelAt, startFakeModel } from '../support/fake-model/fake-model.ts';
import type { Script } from '../support/fake-model/heard.ts';
import { isLast, resultsIn } from '../support/fake-model/scripted-models.ts';
import { clockRate } from '../support/programs/node-options.ts';
import { freePort } from '../support/programs/programs.ts';
import { startTestService, type RunningService } from '../support/programs/running-service.ts';
import { anAnswer } from '../support/scripted-model.ts';
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

test('Kubernetes is queried with its CA and a token, and only by GET', async (t) => {
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

test('hostile names of images are text on the page', async (t) => {
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

test('without a reachable Kubernetes the report says once what is missing', async (t) => {
  const service = await startTestService(t, temporaryDirectory(), {
    KUBERNETES_URL: `http://127.0.0.1:${await freePort()}`,
  });
  const report = await analysed(service);
  assert.equal(stateOf(report), 'failed');
  const missing = report.unknowns.filter(({ why }) => why.startsWith('Cannot read from Kuber'));
  assert.deepEqual(missing.map(({ what }) => what), ['Pods, events and recent rollouts.']);
});

test('a missing permission is reported with the role to bind', async (t) => {
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

/** Looks at the deployment, then makes one true and one false claim about it. */
const looking: Script = (heard) => {
  if (!isLast(heard)) {
    return resultsIn(heard) > 0 ? { text: 'Enough.' }
      : { calls: [{ name: 'cluster_state', arguments: { component: 'web', namespace: null } }] };
  }
  const ids = heard.turns.flatMap(({ text }) => [...text.matchAll(/^(E\d+) .*Asked by the mod/gmu)])
    .map(([, id = '']) => id);
  return {
    text: JSON.stringify(anAnswer({
      facts: [
        { claim: 'Of deployment web 3 of 4 pods are ready.', evidence_ids: ids },
        { claim: 'Of deployment web 7 of 9 pods are ready.', evidence_ids: ids },
      ],
    })),
  };
};

test('claims of a model about the cluster are checked against what it looked at', async (t) => {
  const source = await startFakeSource(t, fakeKubernetes(realCluster()));
  const model = await startFakeModel(t, looking);
  const service = await startTestService(t, temporaryDirectory(), {
    KUBERNETES_URL: source.url, ...modelAt(model), ...clockRate(0.2),
  });
  await analysed(service);
  const isThere = ({ narrative: { state } }: Report): boolean => state === 'present';
  const { narrative, evidence } = await service.until('web', isThere);
  const asked = evidence.filter(({ title }) => title.startsWith('Asked by the model: '));
  assert.equal(asked[0]?.title, 'Asked by the model: Pods of deployment web');
  assert.ok(narrative.state === 'present');
  assert.deepEqual(narrative.claims.map(({ verified }) => verified), [true, false]);
});
