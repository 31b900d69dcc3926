import { severityOf } from '../../alert/severity.ts';
import type { Clock } from '../../lib/clock.ts';
import { withDeadline } from '../../lib/deadline.ts';
import { isEstablished, type Report } from '../../report/report.ts';
import type { ModelAnswer } from '../answer/answer-schema.ts';
import type { Doubt } from '../answer/read-doubts.ts';
import { AskingEnded, type Meter, type RefusalReason } from '../client/meter.ts';
import { hintFor, ModelError } from '../client/model-error.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import { caseText } from './case-text.ts';
import { concludeOutput, concludeWithModel, type ConcludeOptions } from './conclude-with-model.ts';
import { doubtWithModel } from './doubt-with-model.ts';
import { explore, type Explored } from './explore.ts';

interface InvestigationOptions {
  readonly meter: Meter;
  readonly toolbox: Toolbox;
  readonly clock: Clock;
  /** Rounds of tool calls; 0 asks only for the conclusion. */
  readonly rounds: number;
  readonly deadlineMs: number;
  /** Masks secrets in plain data, by the names of its members; the shape stays the same. */
  readonly mask: <T>(data: T) => T;
  /** Masks secrets in text and fences it as untrusted. */
  readonly shield: (text: string) => string;
  /** When aborted, the investigation rejects with its reason. */
  readonly signal: AbortSignal;
  readonly onStep: (step: string) => void;
}

export type Candidate =
  | {
      readonly kind: 'answered';
      readonly answer: ModelAnswer;
      /** Null when only a conclusion was asked for. */
      readonly explored: Explored | null;
      /** Null when there was no review. */
      readonly doubts: readonly Doubt[] | null;
    }
  | { readonly kind: 'none'; readonly reason: RefusalReason | 'failed'; readonly detail: string };

/** Share of the deadline after which no more evidence is asked for. */
const exploreShare = 0.6;
/** Time that one more round and the conclusion need, in multiples of the slowest answer so far. */
const anotherTimes = 2.2;
/** The same for the review alone, in multiples of the time that the conclusion took. */
const lastTimes = 1.2;
/** Tokens of input kept for the conclusion. */
const concludeReserve = 12_000;
/** Length at which the model's closing remark on its exploration is cut, in UTF-16 units. */
const noteMax = 2_000;

/**
 * Has the model investigate an alert that already has its report: it asks for more evidence, then
 * draws a conclusion from all of it, which may be reviewed once. The answer is not checked against
 * the evidence here. Rejects only when aborted.
 */
export async function investigateWithModel(
  report: Report,
  options: InvestigationOptions,
): Promise<Candidate> {
  const { signal, clock, deadlineMs } = options;
  return withDeadline({ clock, ms: deadlineMs, outer: signal }, async (deadline) => {
    try {
      const candidate = await investigated(report, { ...options, signal: deadline });
      signal.throwIfAborted();
      return candidate;
    } catch (error) {
      signal.throwIfAborted();
      return noneBecause(error, { isLate: deadline.aborted, deadlineMs });
    }
  });
}

async function investigated(report: Report, options: InvestigationOptions): Promise<Candidate> {
  const { meter, toolbox, clock, rounds, deadlineMs, signal, onStep } = options;
  const { mask, shield } = options;
  const startedAt = clock.monotonic();
  const endsAt = startedAt + deadlineMs;
  let explored: Explored | null = null;
  const textOf: ConcludeOptions['textOf'] = (limits) => {
    const text = caseText(mask(report), { evidence: mask(toolbox.evidence), ...limits });
    const note = limits.isReduced ? null : explored?.note ?? null;
    const said = note === null ? '' : `\n\nSaid before, unchecked: ${note.slice(0, noteMax)}`;
    return shield(`${text}${said}`);
  };
  if (rounds > 0) {
    const exploreUntil = startedAt + deadlineMs * exploreShare;
    explored = await explore({
      meter, toolbox, rounds, shield, signal, clock,
      text: textOf({ lengthMax: meter.unitsFor(meter.requestMax / 2), isReduced: false }),
      reserve: Math.min(concludeReserve, meter.requestMax) + concludeOutput,
      isTimeUp: (slowestMs) => {
        const now = clock.monotonic();
        return now >= exploreUntil || endsAt - now < anotherTimes * slowestMs;
      },
      onRound: (round) => onStep(`The model is gathering evidence, round ${round} of ${rounds}`),
    });
  }
  onStep('The model is drawing its conclusion');
  const askedAt = clock.monotonic();
  const concluded = await concludeWithModel({ meter, signal, textOf });
  const answeredAt = clock.monotonic();
  const { answer } = concluded;
  if (answer === null) return { kind: 'none', reason: 'failed', detail: concluded.detail };
  const isInTime = endsAt - answeredAt >= lastTimes * (answeredAt - askedAt);
  const doubts = isInTime && isWorthDoubting(report, { answer, rounds })
    ? await doubtWithModel(answer, {
      meter, signal, textOf, shield, count: report.hypotheses.length,
    })
    : null;
  return { kind: 'answered', answer, explored, doubts };
}

/** A review is worth its tokens for a critical alert whose cause code and model both believe. */
function isWorthDoubting(
  { alert, verdict }: Report,
  { answer, rounds }: { readonly answer: ModelAnswer; readonly rounds: number },
): boolean {
  const agrees = answer.verdict === 'confirmed' || answer.verdict === 'probable';
  return rounds > 0 && severityOf(alert.labels) === 'critical' && isEstablished(verdict) && agrees;
}

function noneBecause(
  error: unknown,
  { isLate, deadlineMs }: { readonly isLate: boolean; readonly deadlineMs: number },
): Candidate {
  if (isLate) {
    const late = `The language model took longer than the ${deadlineMs / 1000} s allowed.`;
    const detail = `${late} ${hintFor('timeout')}`;
    return { kind: 'none', reason: 'failed', detail };
  }
  if (error instanceof AskingEnded) {
    return { kind: 'none', reason: error.reason, detail: error.message };
  }
  if (error instanceof ModelError) {
    const detail = `${error.what} ${error.hint}`;
    // A provider that says when to come back is asked again later.
    const isForLater = error.kind === 'retryable' && error.retryAfterMs !== null;
    return { kind: 'none', reason: isForLater ? 'breaker' : 'failed', detail };
  }
  throw error;
}
