import type { Clock } from '../lib/clock.ts';
import { withDeadline } from '../lib/deadline.ts';
import type { SourceIdentity } from '../sources/source-access.ts';
import { mayPass, SourceFailure } from '../sources/source-failure.ts';

/** The outcome of one question: its answer, or why there is none. */
export type Outcome<T> =
  | { readonly value: T }
  | {
      readonly why: string;
      readonly hint: string;
      /** Whether asking again in a few minutes may succeed. */
      readonly mayPass: boolean;
    };

export interface AskContext<Source> {
  readonly clock: Clock;
  /** Aborting it makes the collector throw its reason. */
  readonly signal: AbortSignal;
  /** Questions still open after this time count as unanswered. */
  readonly deadlineMs: number;
  /** Opens the source with a signal that is also aborted at the deadline. */
  readonly open: (signal: AbortSignal) => Source;
}

/** Waits for a question and returns a failure of the source as a value. */
export type Settle = <T>(question: Promise<T>) => Promise<Outcome<T>>;

/**
 * Runs all questions to one source under one deadline. Rejects only when the signal is aborted or
 * on an error that is not a SourceFailure.
 */
export async function askWithin<Source, Answers>(
  { title, prefix }: SourceIdentity,
  { clock, signal, deadlineMs, open }: AskContext<Source>,
  ask: (source: Source, settle: Settle) => Promise<Answers>,
): Promise<Answers & { readonly durationMs: number }> {
  const startedAt = clock.monotonic();
  return withDeadline({ clock, ms: deadlineMs, outer: signal }, async (deadline) => {
    const answers = await ask(open(deadline), async (question) => {
      try {
        return { value: await question };
      } catch (error) {
        if (!(error instanceof SourceFailure)) throw error;
        if (error.reason !== 'cancelled' || !deadline.aborted || signal.aborted) {
          return { why: error.detail, hint: error.hint, mayPass: mayPass(error.reason) };
        }
        const why = `no answer within ${deadlineMs / 1000} s`;
        const hint = `Check the load on ${title}, and that ${prefix}_URL is right.`;
        return { why, hint, mayPass: true };
      }
    });
    signal.throwIfAborted();
    return { ...answers, durationMs: clock.monotonic() - startedAt };
  });
}
