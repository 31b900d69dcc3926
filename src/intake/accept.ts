import { alertNameOf, namespaceOf, type Alert } from '../alert/alert.ts';
import { parseTime } from '../alert/timestamp.ts';
import type { AcceptedAlert, EpisodeBook } from '../episodes/book/episode-book.ts';
import { endWithin } from '../episodes/book/new-episode.ts';
import { beginsEpisode, decide, type EpisodeSpan } from '../episodes/decide.ts';
import type { Episode } from '../episodes/episode.ts';
import { rememberParsed } from '../episodes/received-alert.ts';
import { changeOf, encodeNotification } from '../episodes/records.ts';
import type { Clock } from '../lib/clock.ts';
import type { AcceptResult, ReceivedNotification, ReportLink } from '../report/acceptance.ts';
import { reportUrl } from '../report/report-url.ts';
import type { Coming } from './backlog.ts';
import type { DedupWindow } from './dedup-window.ts';

export interface IntakePorts {
  readonly book: EpisodeBook;
  readonly dedup: DedupWindow;
  readonly clock: Clock;
  readonly reportBase: string;
  /** Whether there is room for more work. */
  readonly hasRoom: (coming: Coming) => boolean;
  /** Whether what is stored now has a chance to be on disk soon. */
  readonly canStore: () => boolean;
  /** Resolves with the record's sequence number once it is on disk; rejects when it cannot be. */
  readonly store: (parts: readonly Uint8Array[]) => Promise<number>;
  /** Episodes that something new was told of, after it is on disk. */
  readonly enqueue: (episodes: readonly Episode[]) => void;
  /** What became of the notification's alerts. */
  readonly count: (outcome: AlertOutcome, alerts: number) => void;
}

export type AlertOutcome = 'queued' | 'refreshed' | 'resolved' | 'duplicate' | 'late';

/**
 * Takes notifications in: drops duplicates, decides which episode each alert belongs to, and
 * answers once everything is on disk.
 *
 * A decision rests on what is on disk, so fingerprints are taken one notification at a time: one
 * that arrives while another with the same fingerprint is being stored waits for it. If the first
 * cannot be stored, the second starts from where things stood before.
 */
export class Intake {
  readonly #ports: IntakePorts;
  /** Fingerprints being stored, with the end of it. */
  readonly #storing = new Map<string, Promise<unknown>>();

  constructor(ports: IntakePorts) {
    this.#ports = ports;
  }

  async accept(received: ReceivedNotification): Promise<AcceptResult> {
    // No await between the last look and the entries below: nobody may come in between.
    let busy = this.#storingOf(received.notification.alerts);
    while (busy !== undefined) {
      // On a disk that hangs the one before may wait for hours, and its sender repeats itself.
      if (!this.#ports.canStore()) return { kind: 'storage_unavailable' };
      await busy.catch(() => undefined); // Told to the sender of that one.
      busy = this.#storingOf(received.notification.alerts);
    }
    const plan = this.#plan(received);
    if (plan.accepted.length > 0) {
      const { accepted, begins } = plan;
      // What is being stored will wait as well, though it is not in the queue yet.
      const coming = { alerts: this.#storing.size, begins };
      if (!this.#ports.hasRoom(coming)) return { kind: 'queue_full' };
      const { receivedAt, body } = received;
      const stored = this.#ports.store(encodeNotification({ receivedAt, accepted, body }));
      for (const { fingerprint } of accepted) this.#storing.set(fingerprint, stored);
      let sequence: number;
      try {
        // On itself, not on what follows from it: then records of one flush are applied in their
        // order, as a replay does, and the others look again when all below has run.
        sequence = await stored;
      } catch {
        return { kind: 'storage_unavailable' };
      } finally {
        for (const { fingerprint } of accepted) this.#storing.delete(fingerprint);
      }
      this.#apply(sequence, received, accepted);
    }
    if (plan.deduplicated > 0) this.#ports.count('duplicate', plan.deduplicated);
    const { reportBase } = this.#ports;
    const links = received.notification.alerts.map((alert) => linkTo(alert, reportBase));
    return { kind: 'accepted', links, deduplicated: plan.deduplicated };
  }

  #storingOf(alerts: readonly Alert[]): Promise<unknown> | undefined {
    if (this.#storing.size === 0) return undefined;
    const busy = alerts.find(({ fingerprint }) => this.#storing.has(fingerprint));
    return busy && this.#storing.get(busy.fingerprint);
  }

  /** Decides for every alert, each on top of what the ones before it in the list decided. */
  #plan({ notification, receivedAt }: ReceivedNotification): Plan {
    const { book, dedup, clock } = this.#ports;
    const now = clock.monotonic();
    const accepted: PlannedAlert[] = [];
    /** Where the list names fingerprints twice: how each stands after the entries before. */
    const earlier = hasRepeats(notification.alerts) ? new Map<string, Planned>() : null;
    let deduplicated = 0;
    let begins: Coming['begins'] = 'none';
    for (const [index, alert] of notification.alerts.entries()) {
      const { fingerprint, status } = alert;
      const before = earlier?.get(fingerprint);
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
      const { kind, number } = decide(newest, seen);
      accepted.push(beginsEpisode(kind)
        ? { fingerprint, kind, number, index, alert }
        : { fingerprint, kind, number, index, alert, change: changeOf(alert) });
      if (kind === 'opened') begins = 'firing';
      else if (kind === 'arrived_resolved' && begins === 'none') begins = 'ended';
      // What came late says nothing of how the alert stands, so that nothing is a repeat of it.
      if (kind === 'late') continue;
      earlier?.set(fingerprint, { status, span: spanAfter(newest, kind, number, seen) });
    }
    return { accepted, deduplicated, begins };
  }

  #apply(
    sequence: number,
    { receivedAt, text, notification }: ReceivedNotification,
    accepted: readonly PlannedAlert[],
  ): void {
    const { book, dedup, clock, enqueue, count } = this.#ports;
    const now = clock.monotonic();
    for (const { fingerprint, alert, kind } of accepted) {
      if (kind !== 'late') dedup.add(fingerprint, alert.status, now);
    }
    const { group } = notification;
    if (group.listed > 1) rememberParsed(text, notification);
    enqueue(book.applyNotification(sequence, { receivedAt, text, accepted, group }));
    const counts = { queued: 0, refreshed: 0, resolved: 0, late: 0 };
    for (const { kind } of accepted) counts[outcomes[kind]] += 1;
    for (const outcome of countedOutcomes) {
      if (counts[outcome] > 0) count(outcome, counts[outcome]);
    }
  }
}

/** Whether a fingerprint stands twice in the list, which real senders avoid. */
function hasRepeats(alerts: readonly Alert[]): boolean {
  if (alerts.length < 2) return false;
  return new Set(alerts.map(({ fingerprint }) => fingerprint)).size < alerts.length;
}

interface Planned {
  readonly status: Alert['status'];
  readonly span: EpisodeSpan;
}

type PlannedAlert = AcceptedAlert & { readonly alert: Alert };

interface Plan {
  readonly accepted: readonly PlannedAlert[];
  readonly deduplicated: number;
  readonly begins: Coming['begins'];
}

const outcomes = {
  opened: 'queued',
  refreshed: 'refreshed',
  resolved: 'resolved',
  arrived_resolved: 'resolved',
  late: 'late',
} as const;
const countedOutcomes = ['queued', 'refreshed', 'resolved', 'late'] as const;

/** How the newest episode stands once the decision is applied. */
function spanAfter(
  newest: EpisodeSpan | null,
  kind: AcceptedAlert['kind'],
  number: number,
  seen: { startsAt: number | null; endsAt: number | null; receivedAt: number },
): EpisodeSpan {
  const at = seen.receivedAt;
  const startsAt = seen.startsAt ?? at;
  const previousEndsAt = newest?.endsAt ?? null;
  if (kind === 'opened') return { number, startsAt, endsAt: null, previousEndsAt };
  const endIn = (startMs: number): number => endWithin(seen.endsAt ?? at, { startMs, at });
  if (newest === null || kind === 'arrived_resolved') {
    return { number, startsAt, endsAt: endIn(startsAt), previousEndsAt };
  }
  return kind === 'resolved' ? { ...newest, endsAt: endIn(newest.startsAt) } : newest;
}

function linkTo(alert: Alert, base: string): ReportLink {
  return {
    fingerprint: alert.fingerprint,
    alert_name: alertNameOf(alert.labels),
    namespace: namespaceOf(alert.labels),
    report_url: reportUrl(base, alert.fingerprint, null),
  };
}
