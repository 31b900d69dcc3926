import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Report } from '../../src/report/report.ts';
import { assertCompleteReport } from '../support/complete-report.ts';
import { modelAt, startFakeModel } from '../support/fake-model/fake-model.ts';
import type { Script } from '../support/fake-model/heard.ts';
import { isLast, resultsIn } from '../support/fake-model/scripted-models.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { postNotification } from '../support/http/post-notification.ts';
import { clockRate } from '../support/programs/node-options.ts';
import { eventually, freePort } from '../support/programs/programs.ts';
import { startAnalyst } from '../support/programs/running-analyst.ts';
import { startTestService, type RunningService } from '../support/programs/running-service.ts';
import { aFinding, anAnswer } from '../support/scripted-model.ts';
import { fakeKubernetes, realCluster, type Cluster } from '../support/sources/fake-kubernetes.ts';
import { answering, startFakeSource, testAuthority } from '../support/sources/fake-source.ts';
import { temporaryDirectory, temporaryFile } from '../support/temporary-directory.ts';

const labels = {
  alertname: 'KubeDeploymentReplicasMismatch', namespace: 'shop', deployment: 'web',
};

function alertNow(): object {
  return { labels, fingerprint: 'web', startsAt: new Date().toISOString() };
}

async function analysed(service: RunningService): Promise<Report> {
  assert.equal((await service.post([alertNow()])).status, 200);
  const report = await service.finished('web');
  assertCompleteReport(report);
  return report;
}

function stateOf({ provenance }: Report): string | undefined {
  return provenance.sources.find(({ name }) => name === 'kubernetes')?.state;
}

/** Looks at the deployment, then makes one true and one false claim about it. */
const looking: Script = (heard) => {
  if (!isLast(heard)) {
    return resultsIn(heard) > 0 ? { text: 'Enough.' }
      : { calls: [{ name: 'cluster_state', arguments: { component: 'web', namespace: null } }] };
  }
  const ids = heard.turns.flatMap(({ text }) => [...text.matchAll(/^(E\d+): Pods of /gmu)])
    .map(([, id = '']) => id);
  return {
    text: JSON.stringify(anAnswer({
      findings: ids.flatMap((id) => (['some', 'all'] as const).map((rel) => aFinding({
        is: 'count', a: `${id}.containers[].ready`, b: `${id}.containers.length`, rel,
      }))),
    })),
  };
};

const hostile = '<img src=x onerror=run(1)>';

/** A cluster with a hostile name of an image, and a model; a busy machine delays no answer. */
const observation = forAllTests(async (cleanup) => {
  const cluster = JSON.stringify(realCluster()).replaceAll('v2-typo', hostile);
  const source = await startFakeSource(cleanup, fakeKubernetes(JSON.parse(cluster) as Cluster), {
    tls: true,
  });
  const { url, program } = await startAnalyst({
    dataDirectory: join(temporaryDirectory(), 'data'),
    env: {
      KUBERNETES_URL: source.url, KUBERNETES_CA_FILE: temporaryFile(testAuthority()),
      KUBERNETES_TOKEN_FILE: temporaryFile('canary-kubernetes\n'),
      ...modelAt(await startFakeModel(cleanup, looking)), ...clockRate(0.2),
    },
  }, cleanup);
  await postNotification(url, { alerts: [alertNow()] });
  const report = await eventually('the narrative', async () => {
    const found = await (await fetch(`${url}/report/web.json`)).json() as Report;
    return found.narrative.state === 'present' ? found : null;
  }, { program });
  assertCompleteReport(report);
  return { source, url, report };
});

test('Kubernetes is queried with its CA and a token, and only by GET', async () => {
  const { source: { requests }, url, report } = observation();
  assert.equal(report.verdict.most_likely, 'The image cannot be pulled');
  assert.equal(stateOf(report), 'ok');
  for (const { method, headers } of requests) {
    assert.equal(method, 'GET');
    assert.equal(headers.authorization, 'Bearer canary-kubernetes');
  }
  const metrics = await (await fetch(`${url}/metrics`)).text();
  assert.match(metrics, new RegExp(`source="kubernetes"[^\n]* ${requests.length}\n`));
});

test('hostile names of images are text on the page', async () => {
  const { url } = observation();
  const response = await fetch(`${url}/report/web`, { headers: { Accept: 'text/html' } });
  const page = await response.text();
  assert.ok(page.includes('onerror=run(1)') && !page.includes('<img'));
});

test('what a model asserts of the cluster is computed from what it looked at', () => {
  const { narrative, evidence } = observation().report;
  const asked = evidence.filter(({ title }) => title.startsWith('Asked by the model: '));
  assert.equal(asked[0]?.title, 'Asked by the model: Pods of deployment web');
  assert.ok(narrative.state === 'present');
  assert.deepEqual(narrative.claims.map(({ text }) => text), [
    'Pods of deployment web: ready 3 of 4.',
  ]);
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
    KUBERNETES_URL: source.url,
  });
  const report = await analysed(service);
  assert.equal(stateOf(report), 'failed');
  const [missing] = report.unknowns.filter(({ why }) => why.includes('is forbidden'));
  assert.match(missing?.how_to_get ?? '', /^Bind the ClusterRole /);
});
