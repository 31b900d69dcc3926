import { loggedKey } from '../alert/episode-key.ts';
import type { Grant, NarrationJob } from '../analysis/threads/worker-messages.ts';
import type { Outcome, TaskHooks } from '../analysis/threads/worker-thread.ts';
import type { Episode } from '../episodes/episode.ts';
import type { EpisodeJournal } from '../episodes/episode-journal.ts';
import type { Clock } from '../lib/clock.ts';
import { asked, keepQuestions, withoutAnswer } from '../model/answer/questions.ts';
import type { CaseFile } from '../report/case-file.ts';
import { questionsMax, type AskResult } from '../report/question.ts';
import { readReport } from '../report/read-report.ts';
import type { AskedQuestion, Report } from '../report/report.ts';
import type { ReportStore } from '../report/store/report-store.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Breaker } from './breaker.ts';
import { NarrationPermits } from './permits.ts';
import type { TokenBudget } from './token-budget.ts';

interface QuestionsPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly grant: Omit<Grant, 'rounds'>;
  readonly budget: TokenBudget;
  readonly breaker: Breaker;
  readonly narrate: (job: NarrationJob, hooks: TaskHooks) => Promise<Outcome>;
  /** Whether a thread is free; when one becomes free, `pump` must be called. */
  readonly isReady: () => boolean;
  /** The episode by its number; null if there is none. */
  readonly find: (fingerprint: string, number: number) => Episode | null;
  readonly caseFileOf: (episode: Episode) => CaseFile;
  readonly reports: Pick<ReportStore, 'read' | 'write'>;
  readonly journal: Pick<EpisodeJournal, 'moved'>;
  /** Runs `store` unless an analysis of the episode is running or queued; then resolves false. */
  readonly whileIdle: (episode: Episode, store: () => Promise<void>) => Promise<boolean>;
  /** Masks secrets in a question, which is shown before it is answered. */
  readonly mask: (text: string) => string;
  /** Called when something that readers see may have changed. */
  readonly onChange: () => void;
}

/** Rounds of tool calls for one question. */
const roundsMax = 5;
/** Questions of all reports that wait. */
const waitingMax = 20;
/** An answer that cannot be stored yet is tried again after this. */
const storeAgainMs = 2_000;
const waitingText = 'Waiting for the language model.';
const ownError = 'The question failed with an internal error of this service.';

interface Waiting {
  readonly episode: Episode;
  readonly question: string;
  /** Wall time in milliseconds. */
  readonly askedAt: number;
  step: string;
}

/**
 * Questions that people ask about reports: answered one at a time, with the day's tokens of
 * narratives, and stored with the report. One that is not answered when the process ends is lost.
 */
export class Questions {
  readonly #ports: QuestionsPorts;
  /** In the order in which they were asked; the first is under way if `#isAsking`. */
  readonly #waiting: Waiting[] = [];
  #isAsking = false;
  readonly #changes = new WeakMap<Episode, number>();
  readonly #stopped = new AbortController();

  constructor(ports: QuestionsPorts) {
    this.#ports = ports;
  }

  /** Takes a question about a finished report. */
  async ask(fingerprint: string, number: number, question: string): Promise<AskResult> {
    const { find, reports, clock, mask } = this.#ports;
    const episode = find(fingerprint, number);
    if (episode === null) return { kind: 'not_found' };
    const json = episode.conclusion === null ? null : await reports.read(episode);
    if (json === null) return { kind: 'not_ready' };
    const { questions = [] } = readReport(json);
    const pending = this.pendingOf(episode).length;
    if (questions.length + pending >= questionsMax) return { kind: 'full' };
    if (this.#waiting.length >= waitingMax || this.#stopped.signal.aborted) return { kind: 'busy' };
    this.#waiting.push({
      episode, question: mask(question), askedAt: clock.now(), step: waitingText,
    });
    this.#changed(episode);
    this.pump();
    return { kind: 'queued' };
  }

  /** The questions about the episode's report that have no answer yet. */
  pendingOf(episode: Episode): readonly AskedQuestion[] {
    return this.#waiting.filter((each) => each.episode === episode)
      .map(({ question, askedAt, step }) => ({ ...asked(question, askedAt), detail: step }));
  }

  /** Changes whenever the questions of the episode's report may look different. */
  revisionOf(episode: Episode): number {
    return this.#changes.get(episode) ?? 0;
  }

  /** Starts the next question if there is room. */
  pump(): void {
    const [next] = this.#waiting;
    const isHeld = this.#isAsking || this.#stopped.signal.aborted || !this.#ports.isReady();
    if (next === undefined || isHeld) return;
    this.#isAsking = true;
    void this.#answer(next)
      .catch((error: unknown) => {
        this.#ports.log.warn('Cannot answer or store a question', {
          ...loggedKey(next.episode), error,
        });
      })
      .finally(() => {
        this.#isAsking = false;
        this.#waiting.splice(this.#waiting.indexOf(next), 1);
        this.#changed(next.episode);
        this.pump();
      });
  }

  /** Drops the questions that wait, and the one under way. */
  stop(): void {
    this.#stopped.abort();
  }

  async #answer(waiting: Waiting): Promise<void> {
    const { episode, question } = waiting;
    const { reports, caseFileOf, grant, narrate, budget, breaker, clock } = this.#ports;
    const json = await reports.read(episode);
    if (json === null) return;
    const permits = new NarrationPermits(budget, breaker);
    const outcome = await narrate({
      caseFile: caseFileOf(episode), report: json, question,
      grant: { ...grant, rounds: roundsMax },
    }, {
      signal: this.#stopped.signal,
      onPermit: (tokens) => permits.ask(tokens),
      onSpent: (spent) => permits.account(spent),
      onProgress: ({ step }) => {
        waiting.step = `${step}.`;
        this.#changed(episode);
      },
    });
    permits.end();
    if (this.#stopped.signal.aborted) return;
    const report = outcome.kind === 'done' ? readReport(outcome.report.json)
      : withoutAnswer(readReport(json), {
        question, detail: ownError, now: clock.now(),
      });
    await this.#store(episode, report);
  }

  /** Adds the answer to the current report, which may have been replaced meanwhile. */
  async #store(
    episode: Episode,
    { questions = [], evidence }: Pick<Report, 'questions' | 'evidence'>,
  ): Promise<void> {
    const { reports, journal, whileIdle, clock } = this.#ports;
    const { fingerprint, number } = episode;
    const answer = questions.slice(-1);
    const isStored = await whileIdle(episode, async () => {
      const json = await reports.read(episode);
      if (json === null) return;
      const current = readReport(json);
      const report = await reports.write(episode, JSON.stringify(
        keepQuestions(current, { questions: answer, evidence }),
      ));
      await journal.moved({ fingerprint, number, from: episode.report, report });
    });
    if (isStored || this.#stopped.signal.aborted) return;
    await clock.sleep(storeAgainMs, this.#stopped.signal);
    await this.#store(episode, { questions, evidence });
  }

  #changed(episode: Episode): void {
    this.#changes.set(episode, this.revisionOf(episode) + 1);
    this.#ports.onChange();
  }
}
