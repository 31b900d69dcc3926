import assert from 'node:assert/strict';
import { join } from 'node:path';
import { startService, type Service } from '../../../src/app/service.ts';
import { redactionsOf } from '../../../src/config/secret.ts';
import { loadSettings } from '../../../src/config/settings.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { Report } from '../../../src/report/report.ts';
import { createLogger } from '../../../src/telemetry/log.ts';
import type { Cleanup } from '../cleanup.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { eventually } from './programs.ts';

export interface RunningService {
  readonly url: string;
  readonly service: Service;
  /** Lines logged so far. */
  readonly log: string[];
  post(alerts: readonly object[], over?: object): Promise<Response>;
  report(path: string): Promise<Report>;
  /** Resolves with the report once `isThere` holds of it. */
  until(path: string, isThere: (report: Report) => boolean): Promise<Report>;
  /** Resolves with the report once its analysis has ended. */
  finished(path: string): Promise<Report>;
}

/** The service runs in this process, so reading a report too often slows its analysis down. */
const polling = { everyMs: 25, isSparing: true, withinMs: 60_000 };

export type Environment = Readonly<Record<string, string>>;

/** Starts the whole service in this process, on a free port; it stops with the test. */
export async function startTestService(
  t: Cleanup,
  directory: string,
  environment: Environment = {},
): Promise<RunningService> {
  const settings = loadSettings(
    { PORT: '0', DATA_DIR: join(directory, 'data'), LOG_LEVEL: 'debug', ...environment },
    { cores: 2, isTerminal: false },
  );
  const log: string[] = [];
  const logger = createLogger({
    ...settings.log,
    now: () => systemClock.now(),
    write: (line) => log.push(line),
    redact: () => redactionsOf(settings.secrets),
  });
  const service = await startService(settings, logger, { version: '0.0.0-test', graceMs: 0 });
  t.after(() => service.stop());
  const { url } = service;
  const report = async (path: string): Promise<Report> => {
    const response = await fetch(`${url}/report/${path}`, {
      headers: { Accept: 'application/json' },
    });
    if (response.status !== 200) throw new Error(`No report at ${path}: ${response.status}`);
    return (await response.json()) as Report;
  };
  const until = (path: string, isThere: (report: Report) => boolean): Promise<Report> =>
    eventually(`the report at ${path}`, async () => {
      const found = await report(path);
      return isThere(found) ? found : null;
    }, polling);
  return {
    url,
    service,
    log,
    report,
    until,
    finished: (path) => until(path, hasEnded),
    post: (alerts, over = {}) =>
      fetch(`${url}/webhook`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ version: '4', status: 'firing', alerts, ...over }),
      }),
  };
}

function hasEnded({ progress, status }: Report): boolean {
  return progress === null && status !== 'queued';
}

/** How long a report without sources takes at most on an idle machine. */
const usualMs = 200;

/**
 * Fails unless it took less than the limit. On a busy machine that is longer by ten times as much
 * as a simple report takes longer than usual.
 */
export async function assertInTime(t: Cleanup, tookMs: number, limitMs: number): Promise<void> {
  if (tookMs < limitMs) return;
  const { post, finished } = await startTestService(t, temporaryDirectory());
  const startedAt = performance.now();
  await post([{ labels: { alertname: 'Yardstick' }, fingerprint: 'yardstick' }]);
  await finished('yardstick');
  const busyMs = 10 * Math.max(0, performance.now() - startedAt - usualMs);
  assert.ok(tookMs < limitMs + busyMs, `${tookMs} ms, not ${limitMs} and ${busyMs} for others`);
}
