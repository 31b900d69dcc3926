import type { EpisodeKey } from '../../alert/episode-key.ts';
import { Incidents } from '../../incidents/incidents.ts';
import type { Membership, RankedMembers } from '../../incidents/member.ts';
import { isPending, nextState, type AnalysisEvent } from '../analysis-state.ts';
import { learnedFrom, withFoundOf } from '../conclusion.ts';
import type { EpisodeSpan } from '../decide.ts';
import type { Acceptance, Episode } from '../episode.ts';
import { ReceivedAlert, weightOf } from '../received-alert.ts';
import {
  changeOf, type AcceptedAlert, type AcceptedNotification, type AgainRecord, type EpisodeRecord,
  type FeedbackRecord, type MovedRecord, type OutcomeRecord, type RecordedRecord,
} from '../records.ts';
import {
  acceptanceOf, advance, episodeIn, newHistory, newestSpanOf, putEpisode, recordsOf, takeEpisode,
  wasNoise, type AlertHistory, type Mutable,
} from './alert-history.ts';
import { ClosedEpisodes } from './closed-episodes.ts';
import { FeedbackIndex } from './feedback-index.ts';
import { KeptExtents } from './kept-extents.ts';
import { newEpisode, plausibleEnd, startOfOpen, type News } from './new-episode.ts';
import { identityOf, OpenEpisodes } from './open-episodes.ts';
import { RetiredNumbers } from './retired-numbers.ts';
import { WaitingAlerts } from './waiting-alerts.ts';

/**
 * All episodes that the service knows: the state that the journal's records add up to. Records are
 * applied once they are on disk, and again, in the same order, when the journal is replayed.
 */
export class EpisodeBook {
  readonly #histories = new Map<string, AlertHistory>();
  #total = 0;
  #sequence = -1;
  readonly #waiting = new WaitingAlerts();
  readonly #incidents = new Incidents<Episode>();
  readonly extents: KeptExtents = new KeptExtents();
  readonly open: OpenEpisodes = new OpenEpisodes();
  readonly closed: ClosedEpisodes = new ClosedEpisodes();
  readonly feedback: FeedbackIndex = new FeedbackIndex();
  readonly retired: RetiredNumbers = new RetiredNumbers();

  /** Number of episodes, open ones included. */
  get total(): number {
    return this.#total;
  }

  /** Sequence number of the newest record about the fingerprint, or of all if null; -1 for none. */
  revisionOf(fingerprint: string | null): number {
    if (fingerprint === null) return this.#sequence;
    return this.#histories.get(fingerprint)?.sequence ?? -1;
  }

  /** Memory taken by alerts whose analysis has not ended, in bytes. */
  get waitingWeight(): number {
    return this.#waiting.weight;
  }

  /** The fingerprint's episodes, oldest first. */
  episodesOf(fingerprint: string): readonly Episode[] {
    return this.#histories.get(fingerprint)?.episodes ?? [];
  }

  /** Episode `number` of the fingerprint, or its newest if `number` is null; null if unknown. */
  find(fingerprint: string, number: number | null): Episode | null {
    return this.#find(fingerprint, number);
  }

  /** Whether the book still has this very object: it may be forgotten and its number reused. */
  holds(episode: Episode): boolean {
    return this.#find(episode.fingerprint, episode.number) === episode;
  }

  /** Where the episode's report and recording are; null for an unknown episode. */
  extentsOf({ fingerprint, number }: EpisodeKey): Pick<Episode, 'report' | 'recording'> | null {
    return this.#find(fingerprint, number);
  }

  /** What {@linkcode decide} needs of the fingerprint's newest episode. */
  newestSpan(fingerprint: string): EpisodeSpan | null {
    const history = this.#histories.get(fingerprint);
    return history === undefined ? null : newestSpanOf(history);
  }

  /** When the fingerprint's last alert was accepted: wall time in ms, 0 if it is unknown. */
  heardAt(fingerprint: string): number {
    return this.#histories.get(fingerprint)?.acceptedAt ?? 0;
  }

  *acceptances(): Iterable<readonly [fingerprint: string, acceptance: Acceptance]> {
    for (const [key, history] of this.#histories) yield [key, acceptanceOf(history)];
  }

  /**
   * Does work that was put off until after the sender was answered: gives alerts their own text and
   * groups them into incidents, at most `countMax` of each. Returns whether nothing is left. Until
   * then an episode may have no incident, and an incident may lack members.
   */
  assignSome(countMax: number): boolean {
    const isUnpacked = this.#waiting.unpackSome(countMax);
    return this.#incidents.assignSome(countMax) && isUnpacked;
  }

  /** The incident that the episode belongs to; null if it never belongs to one, or not yet. */
  membershipOf(episode: Episode): Membership | null {
    return episode.incident;
  }

  /** The incident's members, likeliest origin first; none for an unknown id. */
  rankedMembers(id: string): RankedMembers<Episode> {
    return this.#incidents.rankedMembersOf(id);
  }

  *all(): Iterable<Episode> {
    for (const { episodes } of this.#histories.values()) yield* episodes;
  }

  /**
   * Applies the accepted alerts of one notification. Returns the episodes with news, which have to
   * be analysed; an episode is listed once for each of its alerts.
   */
  applyNotification(
    sequence: number,
    { text, receivedAt, accepted, group }: AcceptedNotification,
  ): Episode[] {
    const changed: Episode[] = [];
    const kept = accepted.filter(({ kind }) => kind !== 'late').length;
    const weight = Math.ceil(weightOf(text) / Math.max(1, kept));
    for (const each of accepted) {
      const { fingerprint, index, alert } = each;
      // A late copy begins nothing, even if the episode that it was late for is forgotten.
      if (each.kind === 'late' && !this.#histories.has(fingerprint)) continue;
      const change = alert === undefined ? each.change : (each.change ?? changeOf(alert));
      const { status } = change;
      const history = this.#historyFor(fingerprint, { status, at: receivedAt });
      if (!this.#advance(history, sequence)) continue;
      const content = alert === undefined || group === undefined ? null : { alert, group };
      const place = { fingerprint, index, at: receivedAt, weight };
      const received = ReceivedAlert.inText(text, place, content);
      const wasOpen = episodeIn(history, each.number)?.endsAt === null;
      const episode = this.#apply(history, each, { received, change });
      if (episode === null) continue;
      history.acceptedStatus = status;
      history.acceptedAt = receivedAt;
      if (group !== undefined && group.listed > 1) this.#waiting.markPacked(episode);
      changed.push(episode);
      if (wasOpen || episode.endsAt !== null) continue;
      const opening = { ...received.identify(), isQuiet: wasNoise(history, episode.number) };
      this.#incidents.open(episode, opening, { sequence, index });
    }
    return changed;
  }

  applyAttempt(sequence: number, key: EpisodeKey): void {
    const episode = this.#touch(sequence, key);
    if (episode === null) return;
    if (episode.analysis === 'queued') this.#move(episode, 'claim');
    episode.attempts += 1;
    episode.attemptsTotal += 1;
  }

  /** The attempt was released unfinished, through no fault of the alert. */
  applyRelease(sequence: number, key: EpisodeKey): void {
    const episode = this.#touch(sequence, key);
    if (episode === null) return;
    this.#move(episode, 'release');
    episode.attempts = Math.max(0, episode.attempts - 1);
  }

  /** The running analysis ended without an outcome; the attempt stays counted. */
  giveBack(key: EpisodeKey): void {
    const episode = this.#find(key.fingerprint, key.number);
    if (episode?.analysis === 'running') this.#move(episode, 'release');
  }

  /** A report was stored. If news came meanwhile, the episode is queued again. */
  applyOutcome(sequence: number, outcome: OutcomeRecord): void {
    const episode = this.#touch(sequence, outcome);
    this.extents.setReport(episode, outcome.report ?? null);
    if (episode === null) return;
    if (outcome.isRecordedAnew === true) this.extents.setRecording(episode, null);
    const events = { reported: 'report', failed: 'fail', quarantined: 'quarantine' } as const;
    // Second looks and narratives take no attempt, and their outcomes do not say what they are of:
    // one that finds its episode queued, with a report, leaves the new analysis queued.
    const isWithoutAttempt = outcome.state === 'reported' && episode.analysis === 'queued'
      && episode.conclusion !== null;
    episode.conclusion = withFoundOf(outcome.conclusion, episode.conclusion);
    this.#incidents.learn(episode, learnedFrom(outcome.conclusion, episode.conclusion), sequence);
    if (isWithoutAttempt) return;
    this.#move(episode, events[outcome.state]);
    if (outcome.state !== 'quarantined') episode.attempts = 0;
    if (outcome.revision < episode.notifications) this.#move(episode, 'requeue');
    else this.#releaseAlert(episode);
  }

  applyMoved(sequence: number, moved: MovedRecord): void {
    this.extents.move(this.#touch(sequence, moved), moved);
  }

  /** No news: pages stay as they are, and to apply it twice changes nothing. */
  applyRecorded(sequence: number, { recording, ...key }: RecordedRecord): void {
    const isKnown = sequence > (this.#histories.get(key.fingerprint)?.restoredSequence ?? 0);
    if (isKnown) this.extents.setRecording(this.#find(key.fingerprint, key.number), recording);
  }

  applyFeedback(sequence: number, { feedback, ...key }: FeedbackRecord): void {
    const episode = this.#touch(sequence, key);
    if (episode !== null) this.feedback.take(episode, feedback);
  }

  /** Queues another analysis: somebody asked for it, or Alertmanager does not have it any more. */
  applyAgain(sequence: number, { told: received, goneAt, ...key }: AgainRecord): void {
    const episode = this.#touch(sequence, key);
    if (episode === null || isPending(episode.analysis)) return;
    if (goneAt !== undefined && episode.endsAt !== null) return;
    this.#move(episode, 'requeue');
    episode.attempts = Math.max(0, episode.attempts - 1);
    episode.isAskedFor ||= goneAt === undefined;
    this.#waiting.keep(episode, received);
    if (goneAt === undefined) return;
    this.#end(episode, null, goneAt);
    episode.isEndUnknown = true;
  }

  /** Retention: removes the episode, unless news of it came while this was being journalled. */
  applyForget(sequence: number, key: EpisodeKey): void {
    const history = this.#histories.get(key.fingerprint);
    if (history === undefined || !this.#advance(history, sequence)) return;
    const episode = episodeIn(history, key.number);
    if (episode === null || isPending(episode.analysis)) return;
    takeEpisode(history, key.number);
    this.#total -= 1;
    this.extents.clear(episode);
    this.#waiting.keep(episode, null);
    this.open.remove(episode);
    this.feedback.remove(episode);
    this.#incidents.forget(episode);
    if (history.episodes.length === 0) {
      this.#histories.delete(key.fingerprint);
      this.retired.retire(key);
    }
    this.closed.remove(episode);
  }

  /** Adds an episode from a snapshot, which may contain it twice; the later copy counts. */
  restore({ episode, sequence, acceptance }: EpisodeRecord): void {
    const { status, at } = acceptance ?? { status: 'firing', at: 0 };
    const history = this.#historyFor(episode.fingerprint, { status, at });
    history.sequence = sequence;
    history.restoredSequence = sequence;
    this.#sequence = Math.max(this.#sequence, sequence);
    if (acceptance !== null) [history.acceptedStatus, history.acceptedAt] = [status, at];
    const replaced = putEpisode(history, episode);
    if (replaced === null) this.#total += 1;
    else {
      this.#waiting.remove(replaced);
      this.open.remove(replaced);
      this.feedback.remove(replaced);
      this.#incidents.forget(replaced);
    }
    this.#waiting.add(episode);
    this.feedback.add(episode);
    if (episode.endsAt === null) this.open.add(episode);
    this.#incidents.restore(episode, episode.endsAt === null ? identityOf(episode) : null);
  }

  /**
   * To be called after a replay: sorts open and closed episodes, and queues what was running when
   * the process ended. Returns the episodes that have to be analysed.
   */
  finishReplay(): Episode[] {
    this.#incidents.assignSome(Infinity);
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
   * Yields every episode for a snapshot. Safe to iterate slowly: what changes meanwhile is in later
   * records, and the sequence number of each entry says which of those it includes. Episodes that
   * joined or moved to an incident meanwhile are yielded again at the end, as a replay of these
   * records on top of the snapshot could come to other incidents.
   */
  *records(): Iterable<EpisodeRecord> {
    const takenFrom = this.#sequence;
    this.#incidents.assignSome(Infinity);
    for (const history of this.#histories.values()) yield* recordsOf(history);
    this.#incidents.assignSome(Infinity);
    const opened = [...this.#histories.values()].filter(({ episodes }) =>
      episodes.some(({ incident }) => incident !== null && incident.since > takenFrom));
    yield* opened.flatMap(recordsOf);
  }

  #historyFor(fingerprint: string, acceptance: Acceptance): AlertHistory {
    const known = this.#histories.get(fingerprint);
    if (known !== undefined) return known;
    const history = newHistory(acceptance);
    this.#histories.set(fingerprint, history);
    return history;
  }

  #advance(history: AlertHistory, sequence: number): boolean {
    this.#sequence = Math.max(this.#sequence, sequence);
    return advance(history, sequence);
  }

  #find(fingerprint: string, number: number | null): Mutable<Episode> | null {
    const history = this.#histories.get(fingerprint);
    return history === undefined ? null : episodeIn(history, number);
  }

  /** The episode that a record is about; null if it is gone or already includes the record. */
  #touch(sequence: number, { fingerprint, number }: EpisodeKey): Mutable<Episode> | null {
    const history = this.#histories.get(fingerprint);
    if (history === undefined || !this.#advance(history, sequence)) return null;
    return this.#find(fingerprint, number);
  }

  #move(episode: Mutable<Episode>, event: AnalysisEvent): void {
    episode.analysis = nextState(episode.analysis, event);
  }

  /** Frees the alert, which its report now holds; keeps only what related alerts find it by. */
  #releaseAlert(episode: Mutable<Episode>): void {
    if (episode.endsAt === null && episode.latest !== null && episode.identity === null) {
      this.open.keep(episode, episode.latest.identify());
    }
    this.#waiting.keep(episode, null);
  }

  #apply(history: AlertHistory, accepted: AcceptedAlert, news: News): Mutable<Episode> | null {
    if (accepted.kind === 'late') return null;
    const { received, change } = news;
    const known = episodeIn(history, accepted.number);
    const episode = known ?? this.#begin(history, accepted, news);
    if (known !== null) {
      known.notifications += 1;
      this.#updateStart(known, change.startsAt, history.acceptedAt);
      // Related alerts go on finding it by what it opened with, also after a restart.
      if (known.endsAt === null) this.open.keep(known, identityOf(known));
      known.severity = change.severity;
      this.#move(known, 'requeue');
    }
    this.#waiting.keep(episode, received);
    const goesOn = episode.endsAt !== null && accepted.kind === 'refreshed';
    if (goesOn || episode.isEndUnknown) this.#reopen(episode);
    if (accepted.kind === 'resolved' && episode.endsAt === null) {
      this.#end(episode, change.endsAt, received.at);
    }
    return episode;
  }

  /** It has not ended after all, or not at the time that was assumed. */
  #reopen(episode: Mutable<Episode>): void {
    this.closed.remove(episode);
    episode.endsAt = null;
    episode.isEndUnknown = false;
    episode.identity = identityOf(episode);
    this.open.add(episode);
    if (episode.identity !== null) this.#incidents.reopen(episode, episode.identity);
  }

  /** `given` is its end as sent, `at` when that was received, in wall time. */
  #end(episode: Mutable<Episode>, given: string | null, at: number): void {
    episode.endsAt = plausibleEnd(given, { startsAt: episode.startsAt, at });
    this.open.remove(episode);
    episode.identity = null;
    this.#incidents.close(episode);
    this.closed.add(episode);
  }

  /** `heardAt` is when the fingerprint was last accepted, in wall time. */
  #updateStart(episode: Mutable<Episode>, given: string | null, heardAt: number): void {
    const startsAt = startOfOpen(episode.startsAt, given, heardAt);
    if (startsAt === episode.startsAt) return;
    episode.startsAt = startsAt;
    this.open.moved(episode);
    this.#incidents.moved(episode);
  }

  #begin(history: AlertHistory, accepted: AcceptedAlert, news: News): Mutable<Episode> {
    const { received, received: { at }, change } = news;
    const previous = episodeIn(history, null);
    // The record of its end was lost.
    if (previous?.endsAt === null) this.#end(previous, change.startsAt, at);
    const labels = accepted.alert?.labels ?? received.labels;
    const episode = newEpisode(accepted, { labels, change, at });
    putEpisode(history, episode);
    this.#total += 1;
    if (episode.endsAt === null) this.open.add(episode);
    else this.closed.add(episode);
    return episode;
  }
}
