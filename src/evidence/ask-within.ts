import type { Clock } from '../lib/clock.ts';
import { withDeadline } from '../lib/deadline.ts';
import type { SourceIdentity } from '../sources/source-access.ts';
import { mayPass, SourceFailure } from '../sources/source-failure.ts';

/** Why an answer is missing, or of no use. */
export interface Failure {
  /** As a clause. */
  readonly why: string;
  readonly hint: string;
  /** Whether asking again in a few minutes may succeed. */
  readonly mayPass: boolean;
}

/** The questions to one source, in the order in which they were asked. */
export interface Asked<Subject extends string = string> {
  readonly questions: readonly {
    readonly what: Subject;
    /** Null if it was answered. */
    readonly failure: Failure | null;
  }[];
  readonly durationMs: number;
}

export interface AskContext<Source> {
  readonly clock: Clock;
  /** Aborting it makes the collector throw its reason. */
  readonly signal: AbortSignal;
  /** Questions still open after this time count as unanswered. */
  readonly deadlineMs: number;
  /** Opens the source with a signal that is also aborted at the deadline. */
  readonly open: (signal: AbortSignal) => Source;
}

/** Asks a question about the subject; null if the source fails to answer it. */
export type Ask<Subject extends string = string> = <T>(
  what: Subject,
  question: () => Promise<T>,
) => Promise<T | null>;

/**
 * Runs all questions to one source under one deadline. Rejects only when the signal is aborted or
 * on an error that is not a SourceFailure.
 */
export async function askWithin<Source, Answers, Subject extends string>(
  { title, prefix }: SourceIdentity,
  { clock, signal, deadlineMs, open }: AskContext<Source>,
  askAll: (source: Source, ask: Ask<Subject>) => Promise<Answers>,
): Promise<Answers & Asked<Subject>> {
  const startedAt = clock.monotonic();
  const questions: { what: Subject; failure: Failure | null }[] = [];
  return withDeadline({ clock, ms: deadlineMs, outer: signal }, async (deadline) => {
    const failureOf = ({ reason, detail, hint }: SourceFailure): Failure => {
      if (reason !== 'cancelled' || !deadline.aborted || signal.aborted) {
        return { why: detail, hint, mayPass: mayPass(reason) };
      }
      const why = `no answer within ${deadlineMs / 1000} s`;
      const toCheck = `Check the load on ${title}, and that ${prefix}_URL is right.`;
      return { why, hint: toCheck, mayPass: true };
    };
    const answers = await askAll(open(deadline), async (what, question) => {
      signal.throwIfAborted();
      const asked: (typeof questions)[number] = { what, failure: null };
      questions.push(asked);
      try {
        return await question();
      } catch (error) {
        if (!(error instanceof SourceFailure)) throw error;
        asked.failure = failureOf(error);
        return null;
      }
    });
    signal.throwIfAborted();
    return { ...answers, questions, durationMs: Math.round(clock.monotonic() - startedAt) };
  });
}
