import { alertNameOf } from '../../alert/alert.ts';
import { labelOf, shortened, type LabelSet } from '../../alert/labels.ts';
import { parseTime } from '../../alert/timestamp.ts';
import { noFeedback, type Episode } from '../episode.ts';
import type { Accepted, Change } from '../records.ts';
import type { Mutable } from './chapter.ts';

/** Kept of every episode for as long as its report is. */
const nameLengthMax = 256;

/** An episode as its first notification tells it; `at` is when that was received, in wall time. */
export function newEpisode(
  { fingerprint, number, kind }: Accepted,
  { labels, change, at }: { labels: LabelSet; change: Change; at: number },
): Mutable<Episode> {
  const { severity, startsAt, endsAt } = change;
  const isOpen = kind !== 'arrived_resolved';
  const began = startsAt ?? (isOpen ? null : endsAt) ?? new Date(at).toISOString();
  return {
    fingerprint,
    number,
    name: shortened(alertNameOf(labels), nameLengthMax),
    namespace: shortened(labelOf(labels, 'namespace') ?? '', nameLengthMax) || null,
    severity,
    startsAt: began,
    endsAt: isOpen ? null : endTold(endsAt, { startsAt: began, at }),
    notifications: 1,
    analysis: 'queued',
    attempts: 0,
    attemptsTotal: 0,
    conclusion: null,
    latest: null,
    identity: null,
    incident: null,
    feedback: noFeedback,
  };
}

/** Twins of a highly available pair differ by less in when an alert began. */
const beganAnewMs = 5 * 60_000;

/**
 * When an open episode began, by what was known and what is told now, both RFC 3339: the earlier of
 * the two. But one that begins much later, and after it was heard of last (at `heardAt`, wall time
 * in milliseconds), has begun anew: its sender tells no ends.
 */
export function startOfOpen(known: string, told: string | null, heardAt: number): string {
  if (told === null || told === known) return known;
  const knownMs = parseTime(known) ?? Infinity;
  const toldMs = parseTime(told) ?? Infinity;
  const isAnew = toldMs !== Infinity && toldMs > heardAt && toldMs - knownMs >= beganAnewMs;
  return isAnew || toldMs < knownMs ? told : known;
}

/** Clocks of senders are believed to be ahead of ours by this much. */
const aheadMs = 5 * 60_000;

/**
 * `endMs` as an end that can be: not before the start, and at `at`, when it was told, where it lies
 * in the future. All in milliseconds.
 */
export function endWithin(endMs: number, { startMs, at }: { startMs: number; at: number }): number {
  const notBefore = Math.max(endMs, startMs);
  return notBefore > at + aheadMs ? at : notBefore;
}

/**
 * When an episode ended, RFC 3339: as it is told at `at`, wall time, unless it cannot be. An end in
 * the future would make every firing until then look late.
 */
export function endTold(
  told: string | null,
  { startsAt, at }: { startsAt: string; at: number },
): string {
  const toldMs = parseTime(told ?? '') ?? at;
  const endMs = endWithin(toldMs, { startMs: parseTime(startsAt) ?? toldMs, at });
  return told !== null && endMs === toldMs ? told : new Date(endMs).toISOString();
}
