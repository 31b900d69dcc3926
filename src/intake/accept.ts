import { alertNameOf, namespaceOrUnknown, type Alert } from '../alert/alert.ts';
import { severityOf } from '../alert/severity.ts';
import { parseTime } from '../alert/timestamp.ts';
import type { EpisodeBook } from '../episodes/book/episode-book.ts';
import { endWithin } from '../episodes/book/new-episode.ts';
import { beginsEpisode, decide, type EpisodeSpan } from '../episodes/decide.ts';
import type { Episode } from '../episodes/episode.ts';
import { rememberParsed } from '../episodes/received-alert.ts';
import { changeOf, encodeNotification, type AcceptedAlert } from '../episodes/records.ts';
import type { Clock } from '../lib/clock.ts';
import type { AcceptResult, ReceivedNotification, ReportLink } from '../report/acceptance.ts';
import { reportUrl } from '../report/report-url.ts';
import type { Backlog, Coming } from './backlog.ts';
import type { DedupWindow } from './dedup-window.ts';

export interface IntakePorts {
  readonly book: EpisodeBook;
  readonly dedup: DedupWindow;
  readonly clock: Clock;
  readonly reportBase: string;
  readonly backlog: Pick<Backlog, 'admit'>;
  /** Whether the journal can be written at the moment. */
  readonly canStore: () => boolean;
  /** Resolves with the record's sequence number once it is on disk; rejects when it cannot be. */
  readonly store: (parts: readonly Uint8Array[]) => Promise<number>;
  /** Takes the episodes that the notification began or changed, once it is on disk. */
  readonly enqueue: (episodes: readonly Episode[]) => void;
  /** Counts the alerts of a notification by outcome. */
  readonly count: (outcome: AlertOutcome, alerts: number) => void;
}

export type AlertOutcome = 'queued' | 'refreshed' | 'resolved' | 'duplicate' | 'late';

/**
 * Takes notifications in: drops duplicates, decides which episode each alert belongs to, and
 * answers once everything is on disk.
 *
 * Decisions depend on what is on disk, so a fingerprint is handled one notification at a time: one
 * that arrives while another with the same fingerprint is being stored waits for it. If the first
 * cannot be stored, the second is decided as if the first had not come.
 */
export class Intake {
  readonly #ports: IntakePorts;
  /** Fingerprints being stored; the promise settles when that ends. */
  readonly #storing = new Map<string, Promise<unknown>>();

  constructor(ports: IntakePorts) {
    this.#ports = ports;
  }

  async accept(received: ReceivedNotification): Promise<AcceptResult> {
    // No await from the last check here to `#storing.set` below, or another could get in between.
    let busy = this.#storingOf(received.notification.alerts);
    while (busy !== undefined) {
      // On a hanging disk the earlier one may wait for hours while its sender retries.
      if (!this.#ports.canStore()) return { kind: 'storage_unavailable' };
      await busy.catch(() => undefined); // Its own sender gets the error.
      busy = this.#storingOf(received.notification.alerts);
    }
    const plan = this.#plan(received);
    if (plan.accepted.length > 0) {
      const { accepted } = plan;
      const { receivedAt, body } = received;
      const enter = this.#ports.backlog.admit(comingOf(accepted, body));
      if (enter === null) return { kind: 'queue_full' };
      const stored = this.#ports.store(encodeNotification({ receivedAt, accepted, body }));
      for (const { fingerprint } of accepted) this.#storing.set(fingerprint, stored);
      let sequence: number;
      try {
        // Awaits this promise itself, not one derived from it. So records of one flush are applied
        // in their order, as in a replay, and notifications that wait check again only afterwards.
        sequence = await stored;
      } catch {
        enter([]);
        return { kind: 'storage_unavailable' };
      } finally {
        for (const { fingerprint } of accepted) this.#storing.delete(fingerprint);
      }
      enter(this.#apply(sequence, received, accepted));
    }
    const { count, reportBase } = this.#ports;
    count('duplicate', plan.deduplicated);
    const links = received.notification.alerts.map((alert) => linkTo(alert, reportBase));
    return { kind: 'accepted', links, deduplicated: plan.deduplicated };
  }

  #storingOf(alerts: readonly Alert[]): Promise<unknown> | undefined {
    if (this.#storing.size === 0) return undefined;
    const busy = alerts.find(({ fingerprint }) => this.#storing.has(fingerprint));
    return busy && this.#storing.get(busy.fingerprint);
  }

  /** Decides for each alert, taking the decisions for those before it in the list into account. */
  #plan({ notification, receivedAt }: ReceivedNotification): Plan {
    const { book, dedup, clock } = this.#ports;
    const now = clock.monotonic();
    const accepted: PlannedAlert[] = [];
    /** The state of each fingerprint after the alerts so far; real senders repeat none. */
    const earlier = new Map<string, Planned>();
    let deduplicated = 0;
    for (const [index, alert] of notification.alerts.entries()) {
      const { fingerprint, status } = alert;
      const before = earlier.get(fingerprint);
      const isDuplicate =
        before === undefined ? dedup.has(fingerprint, status, now) : before.status === status;
      if (isDuplicate) {
        deduplicated += 1;
        continue;
      }
      const seen = {
        status,
        startsAt: alert.startsAt === null ? null : parseTime(alert.startsAt),
        endsAt: alert.endsAt === null ? null : parseTime(alert.endsAt),
        receivedAt,
      };
      const newest = before === undefined ? book.newestSpan(fingerprint) : before.span;
      const { kind, number } = decide(newest, seen, book.retired.lastOf(fingerprint));
      accepted.push(beginsEpisode(kind)
        ? { fingerprint, kind, number, index, alert }
        : { fingerprint, kind, number, index, alert, change: changeOf(alert) });
      // A late copy says nothing about the current state, so nothing is a duplicate of it.
      if (kind === 'late') continue;
      earlier.set(fingerprint, { status, span: spanAfter(newest, kind, number, seen) });
    }
    return { accepted, deduplicated };
  }

  #apply(
    sequence: number,
    { receivedAt, text, notification }: ReceivedNotification,
    accepted: readonly PlannedAlert[],
  ): readonly Episode[] {
    const { book, dedup, clock, enqueue, count } = this.#ports;
    const now = clock.monotonic();
    for (const { fingerprint, alert, kind } of accepted) {
      if (kind !== 'late') dedup.add(fingerprint, alert.status, now);
    }
    const { group } = notification;
    if (group.listed > 1) rememberParsed(text, notification);
    const episodes = book.applyNotification(sequence, { receivedAt, text, accepted, group });
    enqueue(episodes);
    const counts = { queued: 0, refreshed: 0, resolved: 0, late: 0 };
    for (const { kind } of accepted) counts[outcomes[kind]] += 1;
    for (const outcome of countedOutcomes) count(outcome, counts[outcome]);
    return episodes;
  }
}

interface Planned {
  readonly status: Alert['status'];
  readonly span: EpisodeSpan;
}

type PlannedAlert = AcceptedAlert & { readonly alert: Alert };

interface Plan {
  readonly accepted: readonly PlannedAlert[];
  readonly deduplicated: number;
}

/** What the notification adds to the backlog. */
function comingOf(accepted: readonly PlannedAlert[], body: Buffer): Coming {
  const begun = accepted.filter(({ kind }) => beginsEpisode(kind));
  const firing = begun.filter(({ kind }) => kind === 'opened');
  return {
    alerts: begun.length,
    bytes: body.length,
    fires: firing.length > 0,
    isCritical: firing.some(({ alert }) => severityOf(alert.labels) === 'critical'),
  };
}

const outcomes = {
  opened: 'queued',
  refreshed: 'refreshed',
  resolved: 'resolved',
  arrived_resolved: 'resolved',
  late: 'late',
} as const;
const countedOutcomes = ['queued', 'refreshed', 'resolved', 'late'] as const;

/** The newest episode once the decision is applied. */
function spanAfter(
  newest: EpisodeSpan | null,
  kind: AcceptedAlert['kind'],
  number: number,
  seen: { startsAt: number | null; endsAt: number | null; receivedAt: number },
): EpisodeSpan {
  const at = seen.receivedAt;
  const startsAt = seen.startsAt ?? at;
  const previousEndsAt = newest?.endsAt ?? null;
  const known = { isEndUnknown: false, previousEndsAt, heardAt: at };
  if (kind === 'opened') return { number, startsAt, endsAt: null, ...known };
  const endIn = (startMs: number): number => endWithin(seen.endsAt ?? at, { startMs, at });
  if (newest === null || kind === 'arrived_resolved') {
    return { number, startsAt, endsAt: endIn(startsAt), ...known };
  }
  if (kind === 'late') return newest;
  const endsAt = kind === 'resolved' ? endIn(newest.startsAt) : null;
  return { ...newest, endsAt, isEndUnknown: false, heardAt: at };
}

function linkTo(alert: Alert, base: string): ReportLink {
  return {
    fingerprint: alert.fingerprint,
    alert_name: alertNameOf(alert.labels),
    namespace: namespaceOrUnknown(alert.labels),
    report_url: reportUrl(base, alert.fingerprint, null),
  };
}
