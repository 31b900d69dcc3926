import type { Clock } from '../lib/clock.ts';
import { withDeadline } from '../lib/deadline.ts';
import type { SourceIdentity } from '../sources/source-access.ts';
import { mayPass, SourceFailure } from '../sources/source-failure.ts';

/** What came of one question. */
export type Told<T> =
  | { readonly value: T }
  | {
      readonly why: string;
      readonly hint: string;
      /** Whether the same question may well be answered some minutes later. */
      readonly mayPass: boolean;
    };

export interface AskContext<Source> {
  readonly clock: Clock;
  /** Aborting it makes the collector throw its reason. */
  readonly signal: AbortSignal;
  /** What is not answered after so long counts as not answered. */
  readonly deadlineMs: number;
  /** Asks with the signal it is given, which ends at the deadline as well. */
  readonly open: (signal: AbortSignal) => Source;
}

/** Waits for a question: a failure of the source is an answer as well. */
export type Tell = <T>(question: Promise<T>) => Promise<Told<T>>;

/**
 * Has all questions to one source asked within one deadline. Rejects only when the signal is
 * aborted, or with what is no failure of a source.
 */
export async function askWithin<Source, Answers>(
  { title, prefix }: SourceIdentity,
  { clock, signal, deadlineMs, open }: AskContext<Source>,
  ask: (source: Source, tell: Tell) => Promise<Answers>,
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
        const hint = `See how busy ${title} is, and whether ${prefix}_URL is right.`;
        return { why, hint, mayPass: true };
      }
    });
    signal.throwIfAborted();
    return { ...answers, durationMs: clock.monotonic() - startedAt };
  });
}
