import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSources } from '../../src/analysis/open-sources.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { bySource } from '../../src/sources/asked-source.ts';
import { createPrometheus } from '../../src/sources/prometheus.ts';
import { answering, startFakeSource } from '../support/sources/fake-source.ts';

const noSuchPath = answering('404 page not found', { status: 404 });
const nothing = answering('{"status":"success","data":{"resultType":"vector","result":[]}}');

test('openSources() tells of questions for evidence only', async (t) => {
  const servers = await Promise.all([1, 2, 3].map(() => startFakeSource(t, [noSuchPath, nothing])));
  const urls = servers.map(({ url }) => url);
  const access = { urls, timeoutMs: 5_000, ca: null, headers: [], token: null, login: null };
  const asked: string[] = [];
  const sources = openSources(bySource((source) => (source === 'prometheus' ? access : null)), {
    clock: systemClock, random: () => 0.5, atOnce: 4,
    onAsked: (source, { result }) => asked.push(`${source} ${result}`),
  });
  const { prometheus } = await sources.forAlert({ alertname: 'Up' });
  assert.deepEqual(servers.map(({ requests }) => requests.length), [1, 1, 1]);
  assert.ok(prometheus);
  await createPrometheus(prometheus).query('up', 0);
  assert.deepEqual(asked, ['prometheus ok']);
});
