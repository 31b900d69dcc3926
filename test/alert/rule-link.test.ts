import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expressionIn } from '../../src/alert/rule-link.ts';

test('expressionIn reads the query or the fragment and nothing else', () => {
  const cases: readonly [string, string | null][] = [
    ['http://p:9090/graph?g0.expr=up+%3D%3D+0&g0.tab=1', 'up == 0'],
    ['http://p/prefix/graph?g0.expr=a%2Bb+%3E+1', 'a+b > 1'],
    ['https://vm/vmui/#/?g0.expr=rate%28x%5B5m%5D%29%20%3E%201', 'rate(x[5m]) > 1'],
    ['https://vm/vmui/#g0.expr=up', 'up'],
    ['https://grafana/alerting/grafana/abc/view', null],
    ['http://p/graph?g0.expr=++', null],
    ['not an address', null],
    ['', null],
  ];
  for (const [url, expected] of cases) assert.equal(expressionIn(url), expected, url);
});

test('expressionIn reads a link without a host, and the state of Explore', () => {
  const explore = (name: string, state: unknown): string =>
    `http://grafana:3000/explore?orgId=1&${name}=${encodeURIComponent(JSON.stringify(state))}`;
  const metrics = { type: 'prometheus', uid: 'P1809F7CD0C75ACF3' };
  const loki = { type: 'loki', uid: 'x' };
  const expr = 'up{job="a+b"} == 0';
  const cases: readonly [string, string | null][] = [
    ['/graph?g0.expr=up+%3D%3D+0&g0.tab=1', 'up == 0'],
    [explore('left', ['now-1h', 'now', 'VictoriaMetrics', { expr }, { mode: 'Metrics' }]), expr],
    [explore('panes', { a: { datasource: metrics.uid, queries: [{ refId: 'A', expr }] } }), expr],
    [explore('panes', { a: { queries: [{ expr, datasource: metrics }, { expr }] } }), expr],
    [explore('panes', { a: { queries: [{ expr }, { expr: 'up' }] } }), null],
    [explore('left', { queries: [{ expr: 'rate({a="b"}[5m]) > 1', datasource: loki }] }), null],
    [explore('left', { datasource: 'VictoriaLogs', queries: [{ expr: 'a > 1' }] }), null],
    [explore('left', { queries: [{ expr: 3 }] }), null],
    // As vmalert writes it, with the braces and quotes of its own flag.
    ['http://g/explore?left={"datasource":"VictoriaMetrics","queries":[{"expr":' +
      '%22up%7Bjob%3D%5C%22a%2Bb%5C%22%7D+%3D%3D+0%22,"refId":"A"}]}', expr],
    ['http://g/explore?left={"queries":[{"expr":"up', null],
    [`http://g/explore?left=${'['.repeat(16_000)}`, null],
    [`http://g/explore?left=${'['.repeat(8_000)}${']'.repeat(8_000)}`, null],
  ];
  for (const [url, expected] of cases) assert.equal(expressionIn(url), expected, url.slice(0, 200));
});
