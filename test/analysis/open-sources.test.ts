import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSources, type SourcesFor } from '../../src/analysis/open-sources.ts';
import { bySource } from '../../src/sources/asked-source.ts';
import { createPrometheus } from '../../src/sources/prometheus.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  answering, startFakeSource, type Answer, type FakeSource,
} from '../support/sources/fake-source.ts';

const noSuchPath = answering('404 page not found', { status: 404 });
const nothing = answering('{"status":"success","data":{"resultType":"vector","result":[]}}');

function opened(
  servers: readonly FakeSource[],
  onAsked: Parameters<typeof openSources>[1]['onAsked'],
): SourcesFor {
  const urls = servers.map(({ url }) => url);
  const access = { urls, timeoutMs: 5_000, ca: null, headers: [], token: null, login: null };
  return openSources(bySource((source) => (source === 'prometheus' ? access : null)), {
    // On a busy machine an answer may take longer than the second that a question may.
    clock: new ManualClock(), random: () => 0.5, atOnce: 4, onAsked,
  });
}

test('openSources() asks the server on which the alert has been seen', async (t) => {
  const seen = (labels: Record<string, string>): Answer => answering(JSON.stringify({
    status: 'success',
    data: { resultType: 'vector', result: [{ metric: labels, value: [0, '1'] }] },
  }));
  const state = { alertname: 'Up', alertstate: 'firing' };
  const [without, other, own] = await Promise.all([
    state, { ...state, cluster: 'a', job: 'x' }, { ...state, cluster: 'b' },
  ].map((labels) => startFakeSource(t, [noSuchPath, seen(labels), nothing])));
  assert.ok(without && other && own);
  const sourcesFor = opened([without, other, own], () => {});
  const { prometheus } = await sourcesFor({ alertname: 'Up', cluster: 'b' });
  assert.ok(prometheus);
  await createPrometheus(prometheus).query('up', 0);
  assert.deepEqual([without, other, own].map(({ requests }) => requests.length), [2, 2, 3]);
  const [, search] = own.requests;
  assert.equal(search?.parameters.get('query'),
    'count_over_time(ALERTS{alertname="Up",cluster=~"b|"}[15m])');
});

test('openSources() tells of questions for evidence only', async (t) => {
  const servers = await Promise.all([1, 2, 3].map(() => startFakeSource(t, [noSuchPath, nothing])));
  const asked: string[] = [];
  const sourcesFor = opened(servers, (source, { result }) => asked.push(`${source} ${result}`));
  const { prometheus } = await sourcesFor({ alertname: 'Up' });
  assert.deepEqual(servers.map(({ requests }) => requests.length), [2, 2, 2]);
  assert.ok(prometheus);
  await createPrometheus(prometheus).query('up', 0);
  assert.deepEqual(asked, ['prometheus ok']);
});

test('openSources() asks a server at once about few alerts where they were seen', async (t) => {
  let [open, most] = [0, 0];
  const slow: Answer = (...exchange) => {
    open += 1;
    most = Math.max(most, open);
    setTimeout(() => {
      open -= 1;
      nothing(...exchange);
    }, 20);
  };
  const servers = await Promise.all([1, 2].map(() => startFakeSource(t, [noSuchPath, slow])));
  const sourcesFor = opened(servers, () => {});
  await sourcesFor({ alertname: 'First' });
  await Promise.all(Array.from({ length: 20 }, (_, index) =>
    sourcesFor({ alertname: `Up${index}` })));
  assert.deepEqual(servers.map(({ requests }) => requests.length), [22, 22]);
  assert.equal(most, 8, 'four at each of two servers');
});
