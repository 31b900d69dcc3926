import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finishedReport } from '../../scripts/ranking/reported-case.ts';
import { clockRate } from '../support/programs/node-options.ts';
import { eventually, freePort } from '../support/programs/programs.ts';
import { startAlertmanager } from '../support/programs/running-alertmanager.ts';
import { startAnalyst, unlimited } from '../support/programs/running-analyst.ts';
import {
  startVictoriaMetrics, startVmalert,
} from '../support/programs/running-victoria-metrics.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const expression = 'orders_queue_length{namespace="shop"} > 20';

/** A queue that has grown, a pool that emptied a minute before that, and a cache at rest. */
function* samples(): Generator<string> {
  const now = Math.floor(Date.now() / 1000);
  for (let at = now - 7200; at <= now; at += 30) {
    const minutes = (at - now) / 60;
    const noise = Math.floor(at / 30) % 3;
    const place = 'namespace="shop",job="api"';
    yield `orders_queue_length{${place},instance="orders:80"} ` +
      `${minutes < -6 ? 4 + noise : 40 + noise} ${at}`;
    yield `db_pool_idle_connections{${place},instance="db:5432"} ` +
      `${minutes < -7 ? 18 + noise : 0} ${at}`;
    yield `cache_entries{${place},instance="cache:6379"} ${500 + noise} ${at}`;
    for (const instance of ['orders:80', 'db:5432', 'cache:6379']) {
      yield `up{${place},instance="${instance}"} 1 ${at}`;
    }
  }
}

test('an alert of vmalert, sent by Alertmanager, gets a report with its rule', async (t) => {
  const [vmalertPort, analystPort] = [await freePort(), await freePort()];
  const token = 'token-of-the-chain';
  const victoria = await startVictoriaMetrics(t, {
    samples: samples(), pathPrefix: '/metrics-of/shop',
    vmalert: `http://127.0.0.1:${vmalertPort}`,
  });
  const alertmanager = await startAlertmanager(t, {
    analyst: `http://127.0.0.1:${analystPort}`, token,
  });
  const program = startVmalert(t, {
    port: vmalertPort, metrics: victoria.url, alertmanager: alertmanager.url,
    rules: [{
      alert: 'OrdersPileUp', expr: expression, for: '2s', labels: { severity: 'critical' },
      annotations: { summary: '{{ $value }} orders wait' },
    }],
  });
  await eventually('the results of vmalert to be visible', async () => {
    const now = Date.now();
    const range = {
      from: new Date(now - 600_000).toISOString(), to: new Date(now).toISOString(), step: 5,
    };
    const firing = 'ALERTS{alertname="OrdersPileUp",alertstate="firing"}';
    return (await victoria.seriesOf(firing, range)) > 0 ? true : null;
  }, { program });
  // Until now Alertmanager has been unable to deliver.
  const analyst = await startAnalyst({
    dataDirectory: temporaryDirectory(), port: analystPort,
    env: {
      ...unlimited, ...clockRate(0.2), ACCESS_TOKEN: token, PROMETHEUS_URL: victoria.url,
    },
  }, t);
  const fingerprint = await eventually('the alert at Alertmanager', async () => {
    const [first] = (await alertmanager.fingerprints()).values();
    return first ?? null;
  }, { program });
  const { alert, reality, evidence, changes } = await finishedReport(analyst.url, fingerprint);
  assert.ok(!alert.generatorURL.includes('g0.expr='));
  assert.equal(alert.labels['alertgroup'], 'shop');
  const rule = evidence.find(({ title }) => title === 'Rule OrdersPileUp on the server');
  assert.equal(rule?.query, expression);
  assert.match(rule.summary, /^Fires after 2 s/);
  assert.equal(reality.threshold, 20);
  assert.ok((reality.value_now ?? 0) >= 40);
  const history = evidence.find(({ title }) => title.startsWith('When the alert fired'));
  assert.equal(history?.summary, 'It fired once.');
  const [first] = changes;
  assert.equal(first?.component?.value, 'db');
  assert.equal(first.strength, 'strong');
});
