import { severityOf } from '../../alert/severity.ts';
import type { Ledger } from '../../evidence/ledger.ts';
import type { Clock } from '../../lib/clock.ts';
import { withDeadline } from '../../lib/deadline.ts';
import type { EvidenceItem, Report } from '../../report/report.ts';
import type { ModelAnswer } from '../answer/answer-schema.ts';
import { AskingEnded, type Meter, type RefusalReason } from '../client/meter.ts';
import { hints, ModelError, type ModelErrorKind } from '../client/model-error.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import { caseText } from './case-text.ts';
import { concludeOutput, concludeWithModel } from './conclude-with-model.ts';
import { doubtWithModel, type Doubt } from './doubt.ts';
import { explore, type Explored } from './explore.ts';

export interface InvestigationOptions {
  readonly meter: Meter;
  readonly toolbox: Toolbox;
  /** Begins with the report's evidence; what tools bring is added. */
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Rounds of tool calls; 0 asks for the conclusion alone. */
  readonly rounds: number;
  readonly deadlineMs: number;
  /** Masks what a member's name says is secret, in plain data of the same shape. */
  readonly mask: (data: unknown) => unknown;
  /** Masks secrets and fences what strangers wrote. */
  readonly shield: (text: string) => string;
  /** Aborting it makes the investigation throw its reason. */
  readonly signal: AbortSignal;
  readonly onStep: (step: string) => void;
}

export type Candidate =
  | {
      readonly kind: 'answered';
      readonly answer: ModelAnswer;
      /** Null when only a conclusion was asked for. */
      readonly explored: Explored | null;
      /** Null when nobody read it a second time. */
      readonly doubts: readonly Doubt[] | null;
    }
  | { readonly kind: 'none'; readonly reason: RefusalReason | 'failed'; readonly detail: string };

/** Of the deadline: then the conclusion has to begin. */
const exploreShare = 0.6;
/** Of the time of its slowest answer: what another question and the conclusion need. */
const anotherTimes = 2.2;
/** The same for a single answer. */
const lastTimes = 1.2;
const concludeReserve = 12_000;
/** Of what the model said when it had looked for evidence, in UTF-16 units. */
const noteMax = 2_000;

/**
 * The model's investigation of an alert whose report is there: it asks for more evidence, then
 * concludes from all of it. Nothing of the answer is checked here. Rejects only when aborted.
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
  const { meter, toolbox, ledger, clock, rounds, deadlineMs, signal, onStep } = options;
  const { mask, shield } = options;
  const startedAt = clock.monotonic();
  const endsAt = startedAt + deadlineMs;
  let explored: Explored | null = null;
  const textOf = (limits: { lengthMax: number; isReduced: boolean }): string => {
    const evidence = mask(ledger.items) as readonly EvidenceItem[];
    const text = caseText(mask(report) as Report, { evidence, ...limits });
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
      onRound: (round) => onStep(`The model looks for evidence, round ${round} of ${rounds}`),
    });
  }
  onStep('The model draws its conclusion');
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

/** Where much hangs on it: a grave alert with a cause that both hold for more than possible. */
function isWorthDoubting(
  { alert, verdict }: Report,
  { answer, rounds }: { readonly answer: ModelAnswer; readonly rounds: number },
): boolean {
  const isSure = verdict.certainty === 'confirmed' || verdict.certainty === 'likely';
  const agrees = answer.verdict === 'confirmed' || answer.verdict === 'probable';
  return rounds > 0 && severityOf(alert.labels) === 'critical' && isSure && agrees;
}

function noneBecause(
  error: unknown,
  { isLate, deadlineMs }: { readonly isLate: boolean; readonly deadlineMs: number },
): Candidate {
  if (isLate) {
    const late = `The language model took longer than the ${deadlineMs / 1000} s it may.`;
    const detail = `${late} ${hints.timeout}`;
    return { kind: 'none', reason: 'failed', detail };
  }
  if (error instanceof AskingEnded) {
    return { kind: 'none', reason: error.reason, detail: error.message };
  }
  if (error instanceof ModelError) {
    const detail = `${failureDetails[error.kind]} ${error.hint}`;
    // Who says when to come back is not left for good.
    const isForLater = error.kind === 'retryable' && error.retryAfterMs !== null;
    return { kind: 'none', reason: isForLater ? 'breaker' : 'failed', detail };
  }
  throw error;
}

const failureDetails: Readonly<Record<ModelErrorKind, string>> = {
  retryable: 'The language model could not be reached, or failed.',
  config: 'The language model cannot be asked as it is configured.',
  quota: 'The account at the provider of the language model is used up.',
  context: 'The evidence is more than the language model can read at once.',
  filtered: "The provider's filter stopped the request about this alert.",
  malformed: 'What the language model answered could not be read.',
  aborted: 'The request to the language model was broken off.',
};
