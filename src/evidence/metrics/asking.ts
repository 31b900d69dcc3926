import { noLabels, type LabelSet } from '../../alert/labels.ts';
import type { Prometheus } from '../../sources/prometheus.ts';
import type {
  InstantAnswer, RangeAnswer, RawAnswer,
} from '../../sources/prometheus-answers.ts';
import type { AlertRule } from '../../sources/prometheus-rules.ts';
import type { FailedScrape } from '../../sources/prometheus-targets.ts';
import { SourceFailure, type FailureReason } from '../../sources/source-failure.ts';
import type { RangeWindow, TimeSpan } from '../../sources/time-grid.ts';
import type { Ask } from '../ask-within.ts';

/** The subjects of the questions, in the order in which their faults are listed. */
export const parts = {
  rule: 'The rule as the server has it',
  server: 'Which server it is',
  fired: 'When the alert fired before',
  place: 'Where the series of the rule are',
  path: 'Whom it calls, and whether that works',
  own: "The alert's own series",
  limit: 'The limit that it is compared with',
  peers: 'Other series of the same rule',
  inside: 'The series inside the aggregation of the rule',
  scrape: 'Whether the targets are scraped',
  targets: 'Why targets cannot be scraped',
  search: 'Series around the alert',
  events: 'Restarts, versions and configuration',
  season: 'The same time on earlier days',
  recovery: 'What moved back by the end',
  tests: 'Queries that decide between causes',
} as const;

export type Part = keyof typeof parts;

/** Reasons that lie with the question rather than with the server. */
const questionReasons: ReadonlySet<FailureReason> = new Set([
  'not_found', 'bad_query', 'too_large', 'not_recorded',
]);

/** After this many consecutive failures the server is not asked any more. */
const failuresMax = 3;

/** Asks the questions of one investigation; an answer is null if there is none. */
export class Asker {
  readonly #prometheus: Prometheus;
  readonly #ask: Ask<Part>;
  /** Since the last answer, those that lie with the server. */
  #failures: SourceFailure[] = [];
  #hasAnswers = false;

  constructor(prometheus: Prometheus, ask: Ask<Part>) {
    this.#prometheus = prometheus;
    this.#ask = ask;
  }

  /** Whether the server has given any usable answer. */
  get hasAnswers(): boolean {
    return this.#hasAnswers;
  }

  /** The alerting rules of a name; null if they are not known. */
  rules(name: string): Promise<readonly AlertRule[] | null> {
    return this.#answerTo('rule', () => this.#prometheus.rules(name));
  }

  /** Whether the server lists any alerting rules; null if that is not known. */
  hasRules(): Promise<boolean | null> {
    return this.#answerTo('rule', () => this.#prometheus.hasRules());
  }

  query(part: Part, expression: string, atMs: number): Promise<InstantAnswer | null> {
    return this.#answerTo(part, () => this.#prometheus.query(expression, atMs));
  }

  queryRange(part: Part, expression: string, window: RangeWindow): Promise<RangeAnswer | null> {
    return this.#answerTo(part, () => this.#prometheus.queryRange(expression, window));
  }

  rawSamples(part: Part, selector: string, span: TimeSpan): Promise<RawAnswer | null> {
    return this.#answerTo(part, () => this.#prometheus.rawSamples(selector, span));
  }

  /**
   * The targets whose last scrape failed; none where the server does not scrape itself, or has so
   * many targets that their list cannot be read: without it nothing else is missing.
   */
  failedScrapes(pool: string | null): Promise<readonly FailedScrape[] | null> {
    return this.#answerTo('targets', async () => {
      try {
        return await this.#prometheus.failedScrapes(pool);
      } catch (error) {
        const reason = error instanceof SourceFailure ? error.reason : null;
        if (reason === 'not_found' || reason === 'too_large') return [];
        throw error;
      }
    });
  }

  /**
   * The labels that the server adds to all its alerts; none if it does not say. Nothing is missing
   * without them, so that a failure is not one of the investigation.
   */
  async externalLabels(): Promise<LabelSet> {
    try {
      return await this.#prometheus.externalLabels();
    } catch (error) {
      if (error instanceof SourceFailure) return noLabels;
      throw error;
    }
  }

  #answerTo<T>(part: Part, question: () => Promise<T>): Promise<T | null> {
    return this.#ask(part, async () => {
      const [failure] = this.#failures;
      if (failure !== undefined && this.#failures.length >= failuresMax) throw failure;
      try {
        const answer = await question();
        this.#hasAnswers = true;
        this.#failures = [];
        return answer;
      } catch (error) {
        const isServers = error instanceof SourceFailure && !questionReasons.has(error.reason);
        if (isServers) this.#failures.push(error);
        throw error;
      }
    });
  }
}
