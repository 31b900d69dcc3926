import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Report } from '../../src/report/report.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { freePort } from '../support/programs/programs.ts';
import { startPrometheus } from '../support/programs/running-prometheus.ts';
import { startTestService } from '../support/programs/running-service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const nowSeconds = Math.floor(Date.now() / 1000);

function* samples(value: number, more: readonly string[] = []): Generator<string> {
  for (const series of [`failing{job="api"} ${value}`, ...more]) {
    yield `# TYPE ${series.split('{', 1)[0]} gauge`;
    for (let at = nowSeconds - 1800; at <= nowSeconds + 600; at += 15) yield `${series} ${at}`;
  }
}

/** Two clusters with the same objects; only in `b` is anything wrong. */
const clusters = [['a', 0], ['b', 5]] as const;

const running = forAllTests(async (cleanup) => {
  const [a, b] = await Promise.all(clusters.map(([cluster, value]) =>
    startPrometheus(cleanup, { samples: samples(value), externalLabels: { cluster } })));
  return { a: a?.url ?? '', b: b?.url ?? '' };
});

async function reported(t: Cleanup, urls: string, labels: Record<string, string>): Promise<Report> {
  const { post, finished } = await startTestService(t, temporaryDirectory(), {
    PROMETHEUS_URL: urls,
  });
  const expression = encodeURIComponent('failing > 1');
  assert.equal((await post([{
    status: 'firing', fingerprint: 'f1',
    startsAt: new Date((nowSeconds - 300) * 1000).toISOString(),
    labels: { alertname: 'Failing', job: 'api', severity: 'warning', ...labels },
    generatorURL: `http://prometheus.example/graph?g0.expr=${expression}`,
  }])).status, 200);
  return finished('f1/1');
}

test('of two clusters the server of the alert is asked, also if another is down', async (t) => {
  const { a, b } = running();
  const lost = `http://127.0.0.1:${await freePort()}`;
  for (const [cluster, value] of [['a', 0], ['b', 5]] as const) {
    const { reality } = await reported(t, `${a}, ${lost}, ${b}`, { cluster });
    assert.equal(reality.value_now, cluster === 'a' ? null : value, cluster);
  }
});

test('of two servers that tell no labels the one is asked that has seen the alert', async (t) => {
  const urls = await Promise.all(clusters.map(async ([cluster, value]) => {
    const seen = value === 0 ? 'alertname="Other"' : 'alertname="Failing"';
    const { url } = await startPrometheus(t, { samples: samples(value, [
      `ALERTS{${seen},alertstate="firing",job="api",severity="warning",cluster="${cluster}"} 1`,
    ]) });
    return url;
  }));
  const { reality } = await reported(t, urls.join(), { cluster: 'b' });
  assert.equal(reality.value_now, 5);
});

test('an alert of a cluster whose server is not asked has not recovered', async (t) => {
  const { verdict, reality, unknowns } = await reported(t, running().a, { cluster: 'b' });
  assert.equal(verdict.classification, 'actionable');
  assert.equal(reality.value_now, null);
  assert.ok(unknowns.some(({ why }) => why.includes('is of cluster a, but the alert is of b')));
});

test('an alert that the server has never seen has not recovered', async (t) => {
  const { verdict, unknowns } = await reported(t, running().a, {});
  assert.equal(verdict.classification, 'actionable');
  assert.ok(unknowns.some(({ why }) => why.includes('nor seen its value beyond')));
});
