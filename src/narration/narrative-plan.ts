import { severityOf, type Severity } from '../alert/severity.ts';
import { refusals } from '../model/client/meter.ts';
import type { CaseFile } from '../report/case-file.ts';
import { caseEndOf } from '../report/new-report.ts';
import type { AbsentNarrative } from '../report/report.ts';
import { waitingMax } from './waiting-episodes.ts';

/** Whether the model is asked about an alert, with how many rounds, or why not. */
type NarrativePlan =
  | { readonly kind: 'ask'; readonly rounds: number }
  | { readonly kind: 'skip'; readonly narrative: AbsentNarrative };

export interface AskingState {
  /** Whether the breaker lets a request through. */
  readonly isPassable: boolean;
  /** Sentences to add where it does not; may be empty. */
  readonly whenOpen: string;
  /** Share of the day's tokens that is used. */
  readonly shareUsed: number;
  /** Whether that share is known. */
  readonly isCounted: boolean;
  /** Alerts that come before this one in the queue. */
  readonly waiting: number;
}

/** Rounds of tool calls; with 0 the model concludes from the report's own evidence. */
const roundsFor: Readonly<Record<Exclude<Severity, 'none'>, number>> = {
  critical: 10, warning: 6, unknown: 6, info: 0,
};
/** Share of the day's tokens after which the rest is kept for critical alerts. */
const sharedUntil = 0.8;

/** For an alert that the queue has no room for. */
export const crowdedOut: AbsentNarrative = {
  state: 'absent', reason: 'severity',
  detail: `${waitingMax} alerts of the same or a higher severity are already waiting for the ` +
    'language model.',
};

export function narrativePlan(caseFile: CaseFile, state: AskingState): NarrativePlan {
  const severity = severityOf(caseFile.alert.labels);
  if (caseEndOf(caseFile) !== null) {
    return skip('failed', 'The alert ended before the language model had answered.');
  }
  if (severity === 'none') {
    return skip('severity', 'The language model is not asked about alerts of severity none.');
  }
  const { storm } = caseFile;
  if (storm !== null && storm.representative !== null) {
    // That alert may end before the model has answered; then no report has a narrative.
    return skip('storm', `In this storm of ${storm.size} alerts the language model is asked ` +
      `about a few only; see the report of ${storm.representative.name}.`);
  }
  if (state.waiting >= waitingMax) return { kind: 'skip', narrative: crowdedOut };
  if (!state.isPassable) return skip('breaker', pausedText(state));
  if (!state.isCounted) return skip('budget', refusals.uncounted);
  if (state.shareUsed >= 1) return skip('budget', refusals.budget);
  if (state.shareUsed >= sharedUntil && severity !== 'critical') {
    return skip('budget', "What is left of the day's tokens for the language model " +
      '(MODEL_TOKENS_PER_DAY) is kept for critical alerts.');
  }
  return { kind: 'ask', rounds: roundsFor[severity] };
}

/** Why the model is not asked while the breaker is open, as sentences. */
export function pausedText({ whenOpen }: Pick<AskingState, 'whenOpen'>): string {
  return `${refusals.breaker} ${whenOpen}`.trim();
}

function skip(reason: AbsentNarrative['reason'], detail: string): NarrativePlan {
  return { kind: 'skip', narrative: { state: 'absent', reason, detail } };
}
