import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { Secrets } from '../src/config/secrets.ts';
import { loadSettings } from '../src/config/settings.ts';
import { startDelivering } from '../src/delivering.ts';
import { EpisodeBook } from '../src/episodes/book/episode-book.ts';
import { nodeFileSystem } from '../src/lib/file-system.ts';
import { Shutdown } from '../src/lib/shutdown.ts';
import { ReportStore } from '../src/report/store/report-store.ts';
import { Registry } from '../src/telemetry/metrics.ts';
import { createServiceMetrics } from '../src/telemetry/service-metrics.ts';
import { ManualClock } from './support/manual-clock.ts';
import { eventually } from './support/programs/programs.ts';
import { silentLog } from './support/silent-log.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

test('startDelivering() waits for a receiver that takes half a minute to answer', async (t) => {
  const held: ServerResponse[] = [];
  const receiver = createServer((_request, response) => held.push(response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => receiver.once('listening', resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/reports`;
  const settings = loadSettings({ DELIVER_WEBHOOK_URL: url }, { cores: 1, isTerminal: false });
  const reports = await ReportStore.open({
    directory: join(temporaryDirectory(), 'reports'), files: nodeFileSystem, onDamage() {},
  });
  await reports.write('a', 1, '{}');
  const registry = new Registry();
  const clock = new ManualClock(0);
  const shutdown = new Shutdown();
  t.after(async () => {
    await shutdown.stop();
    receiver.closeAllConnections();
    receiver.close();
  });
  const { offer } = startDelivering({
    settings: settings.delivery, secrets: new Secrets(settings.secrets), clock, log: silentLog,
    metrics: createServiceMetrics(registry, { version: '1', nodeVersion: '20', model: null }),
    shutdown, storage: { book: new EpisodeBook(), reports }, reportBase: 'http://localhost',
  });
  offer({ fingerprint: 'a', number: 1 });
  const answer = await eventually('the post', () => held[0] ?? null);
  await clock.advance(29_000);
  answer.end();
  await eventually('the delivery', () => {
    return /\{to="webhook",outcome="delivered"\} 1/.test(registry.render()) || null;
  });
  assert.equal(held.length, 1);
});
