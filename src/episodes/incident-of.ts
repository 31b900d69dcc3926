import type { Fingerprint } from '../alert/fingerprint.ts';
import { severityRank } from '../alert/severity.ts';
import { byOpening, newestOfEach, type RankedMembers } from '../incidents/member.ts';
import { isInStorm, stormWindowMs } from '../incidents/storm.ts';
import type { IncidentMember, IncidentOfCase, OriginOfCase, Storm } from '../report/case-file.ts';
import { reportUrl } from '../report/report-url.ts';
import type { EpisodeBook } from './book/episode-book.ts';
import { endOf, startOf, type Episode } from './episode.ts';

/** Names of a storm's alerts of each severity, of which the first is investigated. */
const namesInvestigated = 5;
/** What began this long before an alert says nothing about the storm that it is part of. */
const longBeforeMs = 15 * 60_000;

/** Most members described in a case file; of the others it has only the fingerprints. */
const membersListed = 50;

/** The incident that the episode belongs to, and the storm that it is part of, if any. */
export function incidentOf(
  book: EpisodeBook,
  episode: Episode,
  reportBase: string,
): { readonly incident: IncidentOfCase | null; readonly storm: Storm | null } {
  const membership = book.membershipOf(episode);
  if (membership === null) return { incident: null, storm: null };
  const ranked = book.rankedMembers(membership.id);
  const { members, likelyOrigin } = ranked;
  const { alerts, fingerprints, isInStorm } = wholeOf(ranked);
  if (alerts.length < 2) return { incident: null, storm: null };
  const incident = {
    id: membership.id,
    members: alerts.slice(0, membersListed).map((member) => fromReport(member, reportBase)),
    fingerprints,
    likelyOrigin: likelyOrigin === null ? null : fromReport(likelyOrigin, reportBase),
    origin: originOf(episode, ranked, reportBase),
  };
  if (!isInStorm(startOf(episode))) return { incident, storm: null };
  const first = representativeOf(episode, members, (each) => isInStorm(startOf(each)));
  const { name, reportUrl: url } = fromReport(first, reportBase);
  const isInvestigated = first === episode || episode.isAskedFor ||
    isFirstOfKind(episode, members) || !wasInStorm(episode, membership.sequence, ranked);
  const representative = isInvestigated ? null : { name, reportUrl: url };
  return { incident, storm: { size: alerts.length, representative } };
}

function originOf(
  { fingerprint }: Episode, { origin, likelyOrigin }: RankedMembers<Episode>, reportBase: string,
): OriginOfCase | null {
  if (origin === null) return null;
  const alert = likelyOrigin ?? origin.at[0];
  return {
    name: origin.found.name, text: origin.found.text,
    isReached: origin.reachedBy.some((each) => each.fingerprint === fingerprint),
    alert: alert === undefined ? null : fromReport(alert, reportBase),
  };
}

/** What is the same for every member of an incident. */
interface Whole {
  /** The newest member of each alert. */
  readonly alerts: readonly Episode[];
  readonly fingerprints: readonly Fingerprint[];
  /** Whether an alert that began then (in ms) is part of a storm. */
  readonly isInStorm: (onset: number) => boolean;
}

/** Kept for as long as the members stay the same: every alert of a storm asks for it. */
const wholes = new WeakMap<RankedMembers<Episode>, Whole>();

function wholeOf(ranked: RankedMembers<Episode>): Whole {
  const known = wholes.get(ranked);
  if (known !== undefined) return known;
  const alerts = newestOfEach(ranked.members);
  const judged = new Map<number, boolean>();
  const whole: Whole = {
    alerts, fingerprints: alerts.map(({ fingerprint }) => fingerprint),
    isInStorm(onset) {
      const isIn = judged.get(onset) ?? isInStorm(onset, onsetsNear(onset, ranked));
      judged.set(onset, isIn);
      return isIn;
    },
  };
  wholes.set(ranked, whole);
  return whole;
}

/**
 * Whether it was already part of a storm when it opened, with the record of this number. What
 * opened before there was one was investigated, and must not lose that when it ends.
 */
function wasInStorm(
  episode: Episode, sequence: number, { members, onsets }: RankedMembers<Episode>,
): boolean {
  const onset = startOf(episode);
  const isEarlier = members.map(({ incident }) => (incident?.sequence ?? Infinity) <= sequence);
  return isInStorm(onset, onsetsNear(onset, {
    members: members.filter((_, index) => isEarlier[index]),
    onsets: onsets.filter((_, index) => isEarlier[index]),
  }));
}

/**
 * When each alert that began within a storm of `onset` did so nearest to it (all in ms): one that
 * flaps began several times.
 */
function onsetsNear(
  onset: number,
  { members, onsets }: Pick<RankedMembers<Episode>, 'members' | 'onsets'>,
): number[] {
  const nearest = new Map<string, number>();
  for (const [index, { fingerprint }] of members.entries()) {
    const at = onsets[index] ?? onset;
    if (Math.abs(at - onset) > stormWindowMs) continue;
    const known = nearest.get(fingerprint);
    const isNearer = known === undefined || Math.abs(at - onset) < Math.abs(known - onset);
    if (isNearer) nearest.set(fingerprint, at);
  }
  return [...nearest.values()];
}

/**
 * Whether it is the first of its name (by the time of its notification, and within one by its
 * start), with few others of its severity before it. Investigating one of each name shows what
 * kinds of alerts a storm has. Milder ones do not count, nor what had ended or began long before:
 * their reports say nothing of it. What opens later changes nothing.
 */
function isFirstOfKind(episode: Episode, members: readonly Episode[]): boolean {
  const [start, rank] = [startOf(episode), severityRank(episode.severity)];
  const earlier = members.filter((member) => {
    const aheadMs = start - startOf(member);
    const isTogether = member.incident?.sequence === episode.incident?.sequence;
    return severityRank(member.severity) <= rank && endOf(member) >= start &&
      Math.abs(aheadMs) < longBeforeMs &&
      (isTogether && aheadMs !== 0 ? aheadMs > 0 : byOpening(member, episode) < 0);
  });
  const isKnown = earlier.some(({ name }) => name === episode.name);
  const alike = earlier.filter(({ severity }) => severity === episode.severity);
  return !isKnown && new Set(alike.map(({ name }) => name)).size < namesInvestigated;
}

/**
 * The member whose report has the evidence for the episode: the first of the storm, unless that had
 * ended by then; of those that began after its end again the first, and so on. All that begin while
 * one of these is open get the same.
 */
function representativeOf(
  episode: Episode,
  members: readonly Episode[],
  isOfStorm: (member: Episode) => boolean,
): Episode {
  let left = members;
  for (;;) {
    const [first = episode] = left;
    if (first === episode) return first;
    const [end, isOf] = [endOf(first), isOfStorm(first)];
    if (isOf && end >= startOf(episode)) return first;
    // One from a clock that is ahead may end before it starts.
    left = left.filter((member) => member !== first && (!isOf || startOf(member) > end));
  }
}

function fromReport(
  { fingerprint, number, name, startsAt }: Episode,
  base: string,
): IncidentMember {
  return { fingerprint, name, startsAt, reportUrl: reportUrl(base, fingerprint, number) };
}
