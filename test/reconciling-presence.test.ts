import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secrets } from '../src/config/secrets.ts';
import { loadSources } from '../src/config/settings.ts';
import { systemClock } from '../src/lib/clock.ts';
import { presenceAsker, type ReconcilingOptions } from '../src/reconciling.ts';
import { Registry } from '../src/telemetry/metrics.ts';
import { createServiceMetrics } from '../src/telemetry/service-metrics.ts';
import type { Cleanup } from './support/cleanup.ts';
import { answering, startFakeSource, type FakeSource } from './support/sources/fake-source.ts';

function alertmanager(t: Cleanup, uptime: string, fingerprints: string[]): Promise<FakeSource> {
  return startFakeSource(t, [
    answering(JSON.stringify({ uptime })),
    answering(JSON.stringify(fingerprints.map((fingerprint) => ({ fingerprint })))),
  ]);
}

const metrics = createServiceMetrics(new Registry(), {
  version: '1', nodeVersion: '20', model: null,
});

function askerOf(sources: readonly FakeSource[]): ReconcilingOptions['ask'] {
  const urls = sources.map(({ url }) => url).join(',');
  return presenceAsker(loadSources({ ALERTMANAGER_URL: urls }).sources.alertmanager, {
    secrets: new Secrets([]), clock: systemClock, metrics,
  });
}

const { signal } = new AbortController();

test('presenceAsker() asks every Alertmanager, and none without a setting', async (t) => {
  const ask = askerOf([
    await alertmanager(t, '2026-11-20T10:00:00Z', ['a', 'b']),
    await alertmanager(t, '2026-11-20T11:00:00Z', ['b', 'c']),
  ]);
  const { startedAt, fingerprints } = await ask(signal);
  assert.equal(startedAt, Date.parse('2026-11-20T11:00:00Z'));
  assert.deepEqual([...fingerprints].sort(), ['a', 'b', 'c']);
  assert.deepEqual(await askerOf([])(signal), { startedAt: null, fingerprints: new Set() });
});

test('presenceAsker() has no answer unless every Alertmanager has one', async (t) => {
  const good = await alertmanager(t, '2026-11-20T10:00:00Z', ['a']);
  const broken = await startFakeSource(t, answering('{}', { status: 403 }));
  await assert.rejects(askerOf([good, broken])(signal), { name: 'SourceFailure' });
  const young = await alertmanager(t, 'long ago', ['a']);
  const other = await alertmanager(t, '2026-11-20T10:00:00Z', []);
  assert.equal((await askerOf([young, other])(signal)).startedAt, null);
});
