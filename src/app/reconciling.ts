/**
 * Asks Alertmanager what no notification tells: which alerts are silenced, inhibited or muted, and
 * which it does not have any more.
 */
import type { Suppression } from '../alert/alert.ts';
import { loggedKey } from '../alert/episode-key.ts';
import type { SourceSettings } from '../config/source-settings.ts';
import { receivedInReport } from '../episodes/alert-from-report.ts';
import { EpisodeBook } from '../episodes/book/episode-book.ts';
import type { Episode } from '../episodes/episode.ts';
import type { EpisodeJournal } from '../episodes/episode-journal.ts';
import { GoneAlerts, type GoneEpisode } from '../episodes/gone-alerts.ts';
import { slept, type Clock } from '../lib/clock.ts';
import { systemRandom } from '../lib/random.ts';
import type { Shutdown } from '../lib/shutdown.ts';
import type { Report } from '../report/report.ts';
import { ReportStore } from '../report/store/report-store.ts';
import { storedReport } from '../report/store/stored-report.ts';
import { alertmanagerIdentity, askPresence, type HeldAlerts } from '../sources/alertmanager.ts';
import { SourceClient, type RequestOutcome } from '../sources/source-client.ts';
import type { Logger } from '../telemetry/log.ts';
import { countQuery, type QueryMetrics } from '../telemetry/service-metrics.ts';
import { sourceAccess } from './connections.ts';

/** What every Alertmanager that answered has, without a start if one of them did not. */
export interface AskedPresence extends HeldAlerts {
  readonly unanswered: readonly { readonly url: string; readonly error: unknown }[];
}

export interface ReconcilingOptions {
  readonly ask: (signal: AbortSignal) => Promise<AskedPresence>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly shutdown: Pick<Shutdown, 'onStop'>;
  readonly book: EpisodeBook;
  readonly reports: Pick<ReportStore, 'read'>;
  readonly journal: Pick<EpisodeJournal, 'again'>;
  readonly enqueue: (episode: Episode) => void;
  /** Called when something that pages show may have changed. */
  readonly onChange: () => void;
  /** How often Alertmanager is asked; shorter in tests. */
  readonly everyMs?: number | undefined;
}

const everyMsDefault = 5 * 60_000;
/** After a restart Prometheus has sent all alerts again by then, also of rules evaluated hourly. */
const quietMs = 70 * 60_000;
/** Ended at most after one answer: the report of each is read, and each is analysed again. */
const endedPerAnswer = 100;

/** Asks every Alertmanager with the current secrets: an alert that any of them has is not gone. */
export function presenceAsker(
  settings: SourceSettings | null,
  { clock, metrics }: {
    readonly clock: Clock;
    readonly metrics: QueryMetrics;
  },
): ReconcilingOptions['ask'] {
  const onOutcome = (outcome: RequestOutcome): void =>
    countQuery(metrics, { source: 'alertmanager', ...outcome });
  return async (signal) => {
    const access = sourceAccess(settings);
    if (access === null) return { ...unknownPresence, unanswered: [] };
    const options = { clock, random: systemRandom, onOutcome };
    const unanswered: AskedPresence['unanswered'][number][] = [];
    const all = await Promise.all(access.urls.map((url) =>
      askPresence(new SourceClient(alertmanagerIdentity, { ...access, urls: [url] }, options),
        signal).catch((error: unknown) => {
        unanswered.push({ url, error });
        return unknownPresence;
      })));
    return { ...together(all), unanswered };
  };
}

const unknownPresence: HeldAlerts = { startedAt: null, alerts: new Map() };

/** What several have together, since the last of them started; null if one does not say. */
function together(all: readonly HeldAlerts[]): HeldAlerts {
  const starts = all.map(({ startedAt }) => startedAt ?? Infinity);
  const newest = Math.max(...starts);
  const alerts = new Map<string, Suppression | null>();
  for (const one of all) {
    for (const [fingerprint, suppression] of one.alerts) {
      // One that notifies of it is enough.
      alerts.set(fingerprint, alerts.get(fingerprint) === null ? null : suppression);
    }
  }
  return { startedAt: Number.isFinite(newest) ? newest : null, alerts };
}

/** Starts to ask Alertmanager, as long as any episode is open. */
export function startReconciling(given: ReconcilingOptions): void {
  const { clock, log, shutdown, book, onChange, everyMs = everyMsDefault } = given;
  const options = { ...given, ask: loggedOnce(given) };
  const stopped = new AbortController();
  const { signal } = stopped;
  const gone = new GoneAlerts();
  const reconcile = async (): Promise<void> => {
    while (await slept(clock, everyMs, signal)) {
      if (book.open.size === 0) continue;
      const presence = await options.ask(signal);
      if (signal.aborted) return;
      if (book.open.suppress(presence.alerts)) onChange();
      await endGone(options, gone, { presence, signal });
    }
  };
  const ended = reconcile().catch((error: unknown) => {
    if (!signal.aborted) log.error('Reconciliation with Alertmanager stopped', { error });
  });
  shutdown.onStop('reconciling', () => {
    stopped.abort();
    return ended;
  });
}

/** Asks, and logs of each server the first of several failures in a row. */
function loggedOnce({ ask, log }: ReconcilingOptions): ReconcilingOptions['ask'] {
  let failing: readonly string[] = [];
  return async (signal) => {
    const presence = await ask(signal);
    for (const { url, error } of signal.aborted ? [] : presence.unanswered) {
      if (failing.includes(url)) continue;
      log.warn('Cannot ask Alertmanager which alerts are silenced or gone', { url, error });
    }
    failing = presence.unanswered.map(({ url }) => url);
    return presence;
  };
}

async function endGone(
  options: ReconcilingOptions,
  gone: GoneAlerts,
  { presence: { startedAt, alerts }, signal }: { presence: HeldAlerts; signal: AbortSignal },
): Promise<void> {
  const { clock, log, book } = options;
  // It did not answer, or may not have received everything yet.
  if (startedAt === null || clock.now() - startedAt < quietMs) {
    gone.startOver();
    return;
  }
  const at = {
    now: clock.now(), monotonic: clock.monotonic(),
    heardAt: (fingerprint: string) => book.heardAt(fingerprint),
  };
  let count = 0;
  for (const each of gone.take(book.open, alerts, at).slice(0, endedPerAnswer)) {
    if (signal.aborted) break;
    if (await end(each, gone, options)) count += 1;
  }
  if (count > 0) log.info('Closed alerts that left Alertmanager', { alerts: count });
}

/** Ends the episode, unless its alert may be that of another Alertmanager. */
async function end(
  { episode, goneAt }: GoneEpisode,
  gone: GoneAlerts,
  { log, book, reports, journal, enqueue }: ReconcilingOptions,
): Promise<boolean> {
  try {
    const report = await storedReport(reports, episode);
    if (report === null || !(gone.wasSeen(episode) || hasSeen(report))) {
      gone.leave(episode);
      return false;
    }
    if (!book.holds(episode)) return false;
    const { fingerprint, number } = episode;
    const endsAt = new Date(goneAt).toISOString();
    const received = receivedInReport({ ...episode, endsAt }, report);
    await journal.again({ fingerprint, number, told: received, goneAt });
  } catch (error) {
    log.warn('Cannot close an alert that left Alertmanager; retrying in 5 minutes', {
      ...loggedKey(episode), error,
    });
    return false;
  }
  if (episode.endsAt !== null) enqueue(episode);
  return episode.endsAt !== null;
}

/** Whether Alertmanager had the alert when the report was made. */
function hasSeen({ evidence }: Report): boolean {
  return evidence.some(({ role, state }) => role === 'in_alertmanager' && state === 'ok');
}
