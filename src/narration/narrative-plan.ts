import { severityOf, type Severity } from '../alert/severity.ts';
import { refusals } from '../model/client/meter.ts';
import type { CaseFile } from '../report/case-file.ts';
import { endOf } from '../report/new-report.ts';
import type { Narrative } from '../report/report.ts';
import { waitingMax } from './waiting-episodes.ts';

export type Absent = Extract<Narrative, { state: 'absent' }>;

/** Whether a model is asked about an alert: how deep, or why not. */
export type NarrativePlan =
  | { readonly kind: 'ask'; readonly rounds: number }
  | { readonly kind: 'skip'; readonly narrative: Absent };

export interface AskingState {
  readonly isPassable: boolean;
  /** What is to be told beside that where it is not; may be empty. */
  readonly whenOpen: string;
  /** Of the day's tokens. */
  readonly shareUsed: number;
  /** Whether that is known. */
  readonly isCounted: boolean;
  /** Alerts that would be asked about before this one. */
  readonly waiting: number;
}

/** Rounds of tool calls; 0 asks for a conclusion from the evidence that is there. */
const roundsFor: Readonly<Record<Exclude<Severity, 'none'>, number>> = {
  critical: 10, warning: 6, unknown: 6, info: 0,
};
/** From here on the day's tokens are kept for critical alerts. */
const sharedUntil = 0.8;

/** What is told of an alert for which the queue has no place left. */
export const tooManyWait: Absent = {
  state: 'absent', reason: 'severity',
  detail: `${waitingMax} alerts that are as grave or graver wait for the language model already.`,
};

export function narrativePlan(caseFile: CaseFile, state: AskingState): NarrativePlan {
  const severity = severityOf(caseFile.alert.labels);
  const other = caseFile.storm?.representative ?? null;
  if (endOf(caseFile) !== null) {
    return skip('failed', 'The alert ended before the language model had answered.');
  }
  if (severity === 'none') {
    return skip('severity', 'The language model is not asked about alerts of severity none.');
  }
  if (other !== null) {
    // It may end before the model has answered: then nobody's report has a narrative.
    return skip('storm', `In a storm of ${caseFile.storm?.size ?? 'many'} alerts the language ` +
      `model is asked about one of them alone, ${other.name}: its report says what came of that.`);
  }
  if (state.waiting >= waitingMax) {
    return { kind: 'skip', narrative: tooManyWait };
  }
  if (!state.isPassable) {
    return skip('breaker', leftAlone(state));
  }
  if (!state.isCounted) return skip('budget', refusals.uncounted);
  if (state.shareUsed >= 1) return skip('budget', refusals.budget);
  if (state.shareUsed >= sharedUntil && severity !== 'critical') {
    return skip('budget', "What is left of the day's tokens for the language model " +
      '(MODEL_TOKENS_PER_DAY) is kept for critical alerts.');
  }
  return { kind: 'ask', rounds: roundsFor[severity] };
}

/** While the breaker is open, as sentences. */
export function leftAlone({ whenOpen }: Pick<AskingState, 'whenOpen'>): string {
  return `${refusals.breaker} ${whenOpen}`.trim();
}

function skip(reason: Absent['reason'], detail: string): NarrativePlan {
  return { kind: 'skip', narrative: { state: 'absent', reason, detail } };
}
