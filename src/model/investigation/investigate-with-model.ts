import type { Clock } from '../../lib/clock.ts';
import { withDeadline } from '../../lib/deadline.ts';
import type { Report } from '../../report/report.ts';
import type { Assertions } from '../answer/answer-schema.ts';
import type { JudgedAssertions } from '../answer/judge-answer.ts';
import { AskingEnded, type Meter, type BudgetRefusal } from '../client/meter.ts';
import { hintFor, ModelError } from '../client/model-error.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import { caseText } from './case-text.ts';
import {
  concludeWithModel, type AcceptedAnswer, type AnswerForm, type ConcludeOptions,
} from './conclude-with-model.ts';
import { explore, type Explored } from './explore.ts';

interface InvestigationOptions<T extends Assertions, J extends JudgedAssertions> {
  readonly meter: Meter;
  readonly toolbox: Toolbox;
  readonly clock: Clock;
  readonly asking: AnswerForm<T, J>;
  /** The question of a person about the report; null for an investigation of the alert. */
  readonly question: string | null;
  /** Whether the conclusion can be asked for in the conversation that explored. */
  readonly concludesInConversation: boolean;
  /** Rounds of tool calls; 0 asks only for the conclusion. */
  readonly rounds: number;
  readonly deadlineMs: number;
  /** Masks secrets in plain data, by the names of its members; the shape stays the same. */
  readonly mask: <D>(data: D) => D;
  /** Masks secrets in text and fences it as untrusted. */
  readonly shield: (text: string) => string;
  /** When aborted, the investigation rejects with its reason. */
  readonly signal: AbortSignal;
  readonly onStep: (step: string) => void;
}

export type Candidate<T, J> =
  | (AcceptedAnswer<T, J> & {
      readonly kind: 'answered';
      /** Null when only a conclusion was asked for. */
      readonly explored: Explored | null;
    })
  | { readonly kind: 'none'; readonly reason: BudgetRefusal | 'failed'; readonly detail: string };

/** Share of the deadline after which no more evidence is asked for. */
const exploreShare = 0.6;
/** Time that one more round and the conclusion need, in multiples of the slowest answer so far. */
const anotherTimes = 2.2;

/**
 * Has the model investigate an alert that already has its report, or answer a question about it: it
 * asks for more evidence, then draws a conclusion from all of it, which is judged and may be
 * corrected once. Rejects only when aborted.
 */
export async function investigateWithModel<T extends Assertions, J extends JudgedAssertions>(
  report: Report,
  options: InvestigationOptions<T, J>,
): Promise<Candidate<T, J>> {
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

async function investigated<T extends Assertions, J extends JudgedAssertions>(
  report: Report,
  options: InvestigationOptions<T, J>,
): Promise<Candidate<T, J>> {
  const { meter, toolbox, rounds, signal, onStep, shield, asking } = options;
  const textOf: ConcludeOptions<T, J>['textOf'] = (limits) => shownCase(report, explored, {
    ...options, ...limits,
  });
  let explored: Explored | null = null;
  if (rounds > 0) explored = await exploreWith(options, textOf);
  onStep('The model is drawing its conclusion');
  const goesOn = explored !== null && options.concludesInConversation
    && explored.stoppedBecause !== 'no_tools' && explored.stoppedBecause !== 'context';
  const concluded = await concludeWithModel({
    meter, signal, textOf, shield, asking,
    conversation: goesOn && explored !== null
      ? { turns: explored.turns, tools: toolbox.specs } : null,
  });
  if ('detail' in concluded) {
    return { kind: 'none', reason: 'failed', detail: concluded.detail };
  }
  return { kind: 'answered', ...concluded, explored };
}

function exploreWith<T extends Assertions, J extends JudgedAssertions>(
  options: InvestigationOptions<T, J>,
  textOf: ConcludeOptions<T, J>['textOf'],
): Promise<Explored> {
  const { meter, toolbox, clock, rounds, deadlineMs, signal, onStep, shield } = options;
  const startedAt = clock.monotonic();
  return explore({
    meter, toolbox, rounds, shield, signal, clock,
    text: textOf({ lengthMax: meter.unitsFor(meter.requestMax / 3), isReduced: false }),
    isTimeUp: (slowestMs) => {
      const passedMs = clock.monotonic() - startedAt;
      return passedMs >= deadlineMs * exploreShare
        || deadlineMs - passedMs < anotherTimes * slowestMs;
    },
    onRound: (round) => onStep(`The model is gathering evidence, round ${round} of ${rounds}`),
  });
}

/**
 * The case as a model sees it. After an exploration it ends in the answers of the tools as they
 * were given, as many of the latest as fit; a reduced case has the evidence made of them instead.
 */
function shownCase<T extends Assertions, J extends JudgedAssertions>(
  report: Report,
  explored: Explored | null,
  { toolbox, mask, shield, question, lengthMax, isReduced }: InvestigationOptions<T, J> & {
    readonly lengthMax: number; readonly isReduced: boolean;
  },
): string {
  const answers = isReduced || explored === null ? [] : explored.turns.flatMap((turn) =>
    turn.role === 'tool_results' ? turn.results.map(({ text }) => text)
      : turn.role === 'assistant' && turn.text.trim() !== ''
        ? [shield(`Said by you before: ${turn.text}`)] : []);
  const room = lengthMax / 2;
  let [from, length] = [answers.length, 0];
  while (from > 0 && length + (answers[from - 1]?.length ?? 0) <= room) {
    from -= 1;
    length += answers[from]?.length ?? 0;
  }
  const shown = answers.slice(from);
  const evidence = shown.length > 0
    ? toolbox.evidence.slice(0, report.evidence.length) : toolbox.evidence;
  const { frame, data } = caseText(mask(report), {
    evidence: mask(evidence), lengthMax: lengthMax - length, isReduced, now: toolbox.now,
  });
  const asked = question === null ? [] : [`A person asks:\n${shield(question)}`];
  return [frame, shield(data), ...shown, ...asked].join('\n\n');
}

function noneBecause(
  error: unknown,
  { isLate, deadlineMs }: { readonly isLate: boolean; readonly deadlineMs: number },
): Extract<Candidate<never, never>, { kind: 'none' }> {
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
