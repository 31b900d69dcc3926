import type { Alert, AlertStatus } from '../../alert/alert.ts';
import type { Group } from '../../alert/notification.ts';
import { Incidents } from '../../incidents/incidents.ts';
import type { Membership, RankedMembers } from '../../incidents/member.ts';
import { OpeningRate } from '../../incidents/opening-rate.ts';
import { isPending, nextState, type AnalysisEvent } from '../analysis-state.ts';
import type { EpisodeSpan } from '../decide.ts';
import { startOf, type Acceptance, type Episode } from '../episode.ts';
import { ReceivedAlert, weightOf } from '../received-alert.ts';
import {
  changeOf, type Accepted, type AgainRecord, type Change, type EpisodeKey, type EpisodeRecord,
  type FeedbackRecord, type OutcomeRecord,
} from '../records.ts';
import {
  acceptanceOf, advance, episodeIn, newestSpanOf, noEpisodes, putEpisode, recordsOf, takeEpisode,
  type Chapter, type Mutable,
} from './chapter.ts';
import { ClosedEpisodes } from './closed-episodes.ts';
import { FeedbackIndex } from './feedback-index.ts';
import { endTold, newEpisode, startOfOpen } from './new-episode.ts';
import { identityOf, OpenEpisodes } from './open-episodes.ts';
import { WaitingAlerts } from './waiting-alerts.ts';

/** One alert as it was accepted: what the decision was, and what it was about. */
export type AcceptedAlert = ChangedAlert | (Accepted & { readonly alert: Alert });

/** One of which only the change is known, and all else when somebody looks into the body. */
export interface ChangedAlert extends Accepted {
  readonly change: Change;
  readonly alert?: undefined;
}

/**
 * Every episode the service knows of: the state that the journal's records add up to. Records are
 * applied once their bytes are on disk, and again, in the same order, when a journal is replayed.
 */
export class EpisodeBook {
  readonly #chapters = new Map<string, Chapter>();
  #total = 0;
  #sequence = -1;
  readonly #waiting = new WaitingAlerts();
  readonly #incidents = new Incidents<Episode>();
  readonly open: OpenEpisodes = new OpenEpisodes();
  readonly closed: ClosedEpisodes = new ClosedEpisodes();
  readonly openingRate: OpeningRate = new OpeningRate();
  readonly feedback: FeedbackIndex = new FeedbackIndex();

  /** Episodes kept, open ones included. */
  get total(): number {
    return this.#total;
  }

  /** Of the newest record, about the fingerprint or, where it is null, about any; -1 for none. */
  revisionOf(fingerprint: string | null): number {
    if (fingerprint === null) return this.#sequence;
    return this.#chapters.get(fingerprint)?.sequence ?? -1;
  }

  /** How much is kept of alerts that wait for their analysis to end, in bytes of memory. */
  get waitingWeight(): number {
    return this.#waiting.weight;
  }

  /** The fingerprint's episodes, oldest first. */
  episodesOf(fingerprint: string): readonly Episode[] {
    this.#incidents.settle();
    return this.#chapters.get(fingerprint)?.episodes ?? [];
  }

  /** Episode `number` of the fingerprint, or its newest where `number` is null. */
  find(fingerprint: string, number: number | null): Episode | null {
    this.#incidents.settle();
    return this.#find(fingerprint, number);
  }

  /** Whether the book still has this very episode: it may be forgotten, and its number taken. */
  holds(episode: Episode): boolean {
    return this.#find(episode.fingerprint, episode.number) === episode;
  }

  /** What {@linkcode decide} has to know of the fingerprint's newest episode. */
  newestSpan(fingerprint: string): EpisodeSpan | null {
    const chapter = this.#chapters.get(fingerprint);
    return chapter === undefined ? null : newestSpanOf(chapter);
  }

  /** Every fingerprint with the last acceptance of an alert of it. */
  *acceptances(): Iterable<readonly [fingerprint: string, acceptance: Acceptance]> {
    for (const [fingerprint, chapter] of this.#chapters) yield [fingerprint, acceptanceOf(chapter)];
  }

  /**
   * Works off at most `countMax` of what need not be done before the sender is answered: what is
   * kept of each alert, and what {@linkcode Incidents} puts off. True when it is all.
   */
  settleSome(countMax: number): boolean {
    const isUnpacked = this.#waiting.unpackSome(countMax);
    return this.#incidents.settleSome(countMax) && isUnpacked;
  }

  /** Which incident the episode is part of; null for one that never is part of any. */
  membershipOf(episode: Episode): Membership | null {
    this.#incidents.settle();
    return episode.incident;
  }

  /** Everything in the incident, in the order it opened; empty when there is no such incident. */
  incidentMembers(id: string): readonly Episode[] {
    return this.#incidents.membersOf(id);
  }

  /** The same, the likeliest origin first. */
  rankedMembers(id: string): RankedMembers<Episode> {
    return this.#incidents.rankedMembersOf(id);
  }

  *all(): Iterable<Episode> {
    this.#incidents.settle();
    for (const { episodes } of this.#chapters.values()) yield* episodes;
  }

  /**
   * Takes up the accepted alerts of one notification. Returns the episodes it told something new
   * of, which are to be analysed; one of which it told twice is listed twice.
   */
  applyNotification(
    sequence: number,
    notification: {
      readonly receivedAt: number;
      /** The notification as it came: the accepted alerts are in it. */
      readonly text: string;
      readonly accepted: readonly AcceptedAlert[];
      /** Where somebody has parsed it. */
      readonly group?: Group;
    },
  ): Episode[] {
    const { text, receivedAt, accepted, group } = notification;
    const changed: Episode[] = [];
    const sharers = accepted.filter(({ kind }) => kind !== 'late').length;
    const weight = Math.ceil(weightOf(text) / Math.max(1, sharers));
    for (const each of accepted) {
      const { fingerprint, index, alert } = each;
      // What comes late begins nothing, also where all that it came late for is forgotten.
      if (each.kind === 'late' && !this.#chapters.has(fingerprint)) continue;
      const change = alert === undefined ? each.change : (each.change ?? changeOf(alert));
      const { status } = change;
      const chapter = this.#chapterFor(fingerprint, status, receivedAt);
      if (!this.#advance(chapter, sequence)) continue;
      const told = alert === undefined || group === undefined ? null : { alert, group };
      const place = { fingerprint, index, at: receivedAt, weight };
      const received = ReceivedAlert.inText(text, place, told);
      const episode = this.#takeUp(chapter, each, { received, change });
      if (episode === null) continue;
      chapter.acceptedStatus = status;
      chapter.acceptedAt = receivedAt;
      if (group !== undefined && group.listed > 1) this.#waiting.markPacked(episode);
      changed.push(episode);
      if (episode.notifications > 1 || episode.endsAt !== null) continue;
      this.#incidents.open(episode, received, { sequence, index });
    }
    return changed;
  }

  /** An attempt at analysing the episode begins. */
  applyAttempt(sequence: number, key: EpisodeKey): void {
    const episode = this.#touch(sequence, key);
    if (episode === null) return;
    if (episode.analysis === 'queued') this.#move(episode, 'claim');
    episode.attempts += 1;
    episode.attemptsTotal += 1;
  }

  /** The attempt was given back unfinished through no fault of the alert's. */
  applyRelease(sequence: number, key: EpisodeKey): void {
    const episode = this.#touch(sequence, key);
    if (episode === null) return;
    this.#move(episode, 'release');
    episode.attempts = Math.max(0, episode.attempts - 1);
  }

  /** The running analysis ended without an outcome; its attempt stays counted. */
  giveBack(key: EpisodeKey): void {
    const episode = this.#find(key.fingerprint, key.number);
    if (episode?.analysis === 'running') this.#move(episode, 'release');
  }

  /** A report was stored. News that came meanwhile makes the episode wait again. */
  applyOutcome(sequence: number, outcome: OutcomeRecord): void {
    const episode = this.#touch(sequence, outcome);
    if (episode === null) return;
    const events = { reported: 'report', failed: 'fail', quarantined: 'quarantine' } as const;
    // A report that takes another's place is no answer to who asked for a new one meanwhile.
    const isOfBefore = outcome.state === 'reported' && episode.analysis === 'queued'
      && episode.conclusion !== null;
    episode.conclusion = outcome.conclusion;
    if (isOfBefore) return;
    this.#move(episode, events[outcome.state]);
    if (outcome.state !== 'quarantined') episode.attempts = 0;
    if (outcome.revision < episode.notifications) this.#move(episode, 'requeue');
    else this.#settleDown(episode);
  }

  /** Somebody said something of the episode's report. */
  applyFeedback(sequence: number, { feedback, ...key }: FeedbackRecord): void {
    const episode = this.#touch(sequence, key);
    if (episode !== null) this.feedback.take(episode, feedback);
  }

  /** Waits to be analysed once more; a quarantined alert is given one more attempt. */
  applyAgain(sequence: number, { told, ...key }: AgainRecord): void {
    const episode = this.#touch(sequence, key);
    if (episode === null || isPending(episode.analysis)) return;
    this.#move(episode, 'requeue');
    episode.attempts = Math.max(0, episode.attempts - 1);
    this.#waiting.keep(episode, told);
  }

  /** Retention: the episode is gone, unless news of it came while that was written down. */
  applyForget(sequence: number, key: EpisodeKey): void {
    const chapter = this.#chapters.get(key.fingerprint);
    if (chapter === undefined || !this.#advance(chapter, sequence)) return;
    const episode = episodeIn(chapter, key.number);
    if (episode === null || isPending(episode.analysis)) return;
    takeEpisode(chapter, key.number);
    this.#total -= 1;
    this.#waiting.keep(episode, null);
    this.open.remove(episode);
    this.feedback.remove(episode);
    this.#incidents.forget(episode);
    if (chapter.episodes.length === 0) this.#chapters.delete(key.fingerprint);
    this.closed.remove(episode);
  }

  /** Takes up an episode from a snapshot, which tells of some twice: last as they were then. */
  restore({ episode, sequence, acceptance }: EpisodeRecord): void {
    const { status, at } = acceptance ?? { status: 'firing', at: 0 };
    const chapter = this.#chapterFor(episode.fingerprint, status, at);
    chapter.sequence = sequence;
    chapter.restoredSequence = sequence;
    this.#sequence = Math.max(this.#sequence, sequence);
    if (acceptance !== null) {
      chapter.acceptedStatus = status;
      chapter.acceptedAt = at;
    }
    const replaced = putEpisode(chapter, episode);
    if (replaced !== null) this.#takeBack(replaced);
    this.#total += 1;
    this.#waiting.add(episode);
    this.feedback.add(episode);
    if (episode.endsAt === null) this.open.add(episode);
    this.openingRate.count(startOf(episode));
    this.#incidents.restore(episode, episode.endsAt === null ? identityOf(episode) : null);
  }

  #takeBack(replaced: Episode): void {
    this.#total -= 1;
    this.#waiting.remove(replaced);
    this.open.remove(replaced);
    this.feedback.remove(replaced);
    this.#incidents.forget(replaced);
  }

  /**
   * To be called when a replay is over: puts open and closed episodes in order, and gives back
   * what was running when the process ended. Returns the episodes that are to be analysed.
   */
  settle(): Episode[] {
    const all = [...this.all()];
    this.closed.fill(all.filter(({ endsAt }) => endsAt !== null));
    this.open.sort();
    const pending: Episode[] = [];
    for (const episode of all) {
      this.giveBack(episode);
      if (episode.analysis === 'queued') pending.push(episode);
    }
    this.#waiting.unpackAll(pending);
    return pending;
  }

  /**
   * Every episode for a snapshot. Safe to take slowly: what changes meanwhile is in later records,
   * and the sequence kept with each says which of those are part of it. What joined an incident
   * meanwhile comes at the end, perhaps again: which one followed from what was open just then.
   */
  *records(): Iterable<EpisodeRecord> {
    const takenFrom = this.#sequence;
    this.#incidents.settle();
    for (const chapter of this.#chapters.values()) yield* recordsOf(chapter);
    this.#incidents.settle();
    const opened = [...this.#chapters.values()].filter(({ episodes }) =>
      episodes.some(({ incident }) => incident !== null && incident.since > takenFrom));
    yield* opened.flatMap(recordsOf);
  }

  #chapterFor(fingerprint: string, acceptedStatus: AlertStatus, acceptedAt: number): Chapter {
    const known = this.#chapters.get(fingerprint);
    if (known !== undefined) return known;
    const chapter = {
      episodes: noEpisodes, acceptedStatus, acceptedAt, sequence: -1, restoredSequence: -1,
    };
    this.#chapters.set(fingerprint, chapter);
    return chapter;
  }

  #advance(chapter: Chapter, sequence: number): boolean {
    this.#sequence = Math.max(this.#sequence, sequence);
    return advance(chapter, sequence);
  }

  #find(fingerprint: string, number: number | null): Mutable<Episode> | null {
    const chapter = this.#chapters.get(fingerprint);
    return chapter === undefined ? null : episodeIn(chapter, number);
  }

  /** The episode, unless it is gone or the record is part of it already. */
  #touch(sequence: number, { fingerprint, number }: EpisodeKey): Mutable<Episode> | null {
    const chapter = this.#chapters.get(fingerprint);
    if (chapter === undefined || !this.#advance(chapter, sequence)) return null;
    return this.#find(fingerprint, number);
  }

  #move(episode: Mutable<Episode>, event: AnalysisEvent): void {
    episode.analysis = nextState(episode.analysis, event);
  }

  /** Its report tells everything now; only what neighbours find it by is kept. */
  #settleDown(episode: Mutable<Episode>): void {
    if (episode.endsAt === null && episode.latest !== null && episode.identity === null) {
      episode.identity = episode.latest.identify();
    }
    this.#waiting.keep(episode, null);
  }

  #takeUp(
    chapter: Chapter,
    accepted: AcceptedAlert,
    told: { readonly received: ReceivedAlert; readonly change: Change },
  ): Mutable<Episode> | null {
    if (accepted.kind === 'late') return null;
    const { received, change } = told;
    const known = episodeIn(chapter, accepted.number);
    const episode = known ?? this.#begin(chapter, accepted, told);
    if (known !== null) {
      known.notifications += 1;
      this.#tellStart(known, change.startsAt, chapter.acceptedAt);
      // Neighbours go on finding it by what it opened with, after a snapshot too.
      if (known.endsAt === null) known.identity ??= identityOf(known);
      known.severity = change.severity;
      this.#move(known, 'requeue');
    }
    this.#waiting.keep(episode, received);
    if (accepted.kind === 'resolved' && episode.endsAt === null) {
      episode.endsAt = endTold(change.endsAt, { startsAt: episode.startsAt, at: received.at });
      episode.identity = null;
      this.open.remove(episode);
      this.#incidents.close(episode);
      this.closed.add(episode);
    }
    return episode;
  }

  /** `heardAt` is when the alert was heard of last. */
  #tellStart(episode: Mutable<Episode>, told: string | null, heardAt: number): void {
    const startsAt = startOfOpen(episode.startsAt, told, heardAt);
    if (startsAt === episode.startsAt) return;
    this.#incidents.settle(); // By the beginning that was known so far.
    episode.startsAt = startsAt;
    this.open.moved(episode);
    this.#incidents.moved(episode);
  }

  #begin(
    chapter: Chapter,
    accepted: AcceptedAlert,
    { received, change }: { readonly received: ReceivedAlert; readonly change: Change },
  ): Mutable<Episode> {
    const { at } = received;
    const labels = accepted.alert?.labels ?? received.labels;
    const episode = newEpisode(accepted, { labels, change, at });
    putEpisode(chapter, episode);
    this.#total += 1;
    this.openingRate.count(startOf(episode));
    if (episode.endsAt === null) this.open.add(episode);
    else this.closed.add(episode);
    return episode;
  }
}
