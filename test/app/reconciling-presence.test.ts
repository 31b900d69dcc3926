import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Suppression } from '../../src/alert/alert.ts';
import { presenceAsker, type ReconcilingOptions } from '../../src/app/reconciling.ts';
import { loadSources } from '../../src/config/settings.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { Registry } from '../../src/telemetry/metrics.ts';
import { createServiceMetrics } from '../../src/telemetry/service-metrics.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { answering, startFakeSource, type FakeSource } from '../support/sources/fake-source.ts';

function alertmanager(
  t: Cleanup,
  uptime: string,
  fingerprints: string[],
  status: unknown = undefined,
): Promise<FakeSource> {
  return startFakeSource(t, [
    answering(JSON.stringify({ uptime })),
    answering(JSON.stringify(fingerprints.map((fingerprint) => ({ fingerprint, status })))),
  ]);
}

const metrics = createServiceMetrics(new Registry(), {
  version: '1', nodeVersion: '20', model: null,
});

function askerOf(sources: readonly FakeSource[]): ReconcilingOptions['ask'] {
  const urls = sources.map(({ url }) => url).join(',');
  return presenceAsker(loadSources({ ALERTMANAGER_URL: urls }).sources.alertmanager, {
    clock: systemClock, metrics,
  });
}

const { signal } = new AbortController();

test('presenceAsker() asks every Alertmanager, and none without a setting', async (t) => {
  const ask = askerOf([
    await alertmanager(t, '2026-11-20T10:00:00Z', ['a', 'b']),
    await alertmanager(t, '2026-11-20T11:00:00Z', ['b', 'c']),
  ]);
  const { startedAt, alerts } = await ask(signal);
  assert.equal(startedAt, Date.parse('2026-11-20T11:00:00Z'));
  assert.deepEqual([...alerts.keys()].sort(), ['a', 'b', 'c']);
  assert.deepEqual(await askerOf([])(signal),
    { startedAt: null, alerts: new Map(), unanswered: [] });
});

test('presenceAsker() tells an alert as suppressed if none of them notifies of it', async (t) => {
  const started = '2026-11-20T10:00:00Z';
  const statuses: readonly [unknown, Suppression | null][] = [
    [{ state: 'suppressed', silencedBy: ['s'], inhibitedBy: ['i'] }, 'silenced'],
    [{ state: 'suppressed', silencedBy: [], inhibitedBy: ['i'], mutedBy: null }, 'inhibited'],
    [{ state: 'suppressed', silencedBy: [], inhibitedBy: [], mutedBy: ['nights'] }, 'muted'],
    [{ state: 'active', silencedBy: [], inhibitedBy: [], mutedBy: [] }, null],
    [{ silencedBy: 7 }, null],
    [7, null],
  ];
  for (const [status, expected] of statuses) {
    const same = [
      await alertmanager(t, started, ['a'], status), await alertmanager(t, started, ['a'], status),
    ];
    assert.equal((await askerOf(same)(signal)).alerts.get('a'), expected);
    const active = await alertmanager(t, started, ['a', 'b']);
    const silenced = await alertmanager(t, started, ['a'], status);
    assert.equal((await askerOf([active, silenced])(signal)).alerts.get('a'), null);
  }
});

test('presenceAsker() tells what is suppressed although one of a pair is down', async (t) => {
  const silenced = { state: 'suppressed', silencedBy: ['s'], inhibitedBy: [], mutedBy: [] };
  const good = await alertmanager(t, '2026-11-20T10:00:00Z', ['a'], silenced);
  const broken = await startFakeSource(t, answering('{}', { status: 403 }));
  const { startedAt, alerts, unanswered } = await askerOf([good, broken])(signal);
  assert.equal(startedAt, null, 'an alert that it lacks may be that of the other');
  assert.equal(alerts.get('a'), 'silenced');
  assert.deepEqual(unanswered.map(({ url }) => url), [broken.url]);
  const young = await alertmanager(t, 'long ago', ['a']);
  const other = await alertmanager(t, '2026-11-20T10:00:00Z', []);
  assert.equal((await askerOf([young, other])(signal)).startedAt, null);
});
