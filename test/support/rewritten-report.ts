import type { EpisodeKey } from '../../src/alert/episode-key.ts';
import { openStorage } from '../../src/app/storage.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { Registry } from '../../src/telemetry/metrics.ts';
import { createServiceMetrics } from '../../src/telemetry/service-metrics.ts';
import { silentLog } from './silent-log.ts';

/** Stores another text as an episode's report. Only while no service uses the directory. */
export async function rewriteReport(
  dataDirectory: string,
  key: EpisodeKey,
  json: string,
): Promise<void> {
  const storage = await openStorage({
    settings: loadSettings({ DATA_DIR: dataDirectory }, { cores: 1, isTerminal: false }),
    clock: systemClock, log: silentLog,
    metrics: createServiceMetrics(new Registry(), { version: '1', nodeVersion: '20', model: null }),
  }, { onForgotten() {} });
  const { fingerprint, number } = key;
  const from = storage.book.extentsOf(key)?.report ?? null;
  const report = await storage.reports.write(key, json);
  await storage.episodeJournal.moved({ fingerprint, number, from, report });
  await storage.close();
}
