import { counted } from '../report/plain-text.ts';
import type { Outcome } from './ask-within.ts';
import type { AddItem } from './ledger.ts';
import type { SourceFault, SourceReport } from './metric-facts.ts';

/** What a source was asked, with the outcomes. */
export interface AskedOf {
  readonly title: string;
  /** Each question by its subject. */
  readonly questions: readonly { readonly what: string; readonly outcome: Outcome<unknown> }[];
  /** Why nothing was asked, if so, as a clause. */
  readonly whyNone: string;
}

/** A question that was not answered. */
export type Failed = Pick<SourceFault, 'what' | 'why' | 'hint'>;

/** Adds the item on how a source did; it failed if no question was answered. */
export function addSourceItem(
  add: AddItem,
  { title, questions, whyNone }: AskedOf,
): Pick<SourceReport, 'state' | 'evidence' | 'mayAnswerLater'> & { failed: readonly Failed[] } {
  const failed = questions.flatMap(({ what, outcome }) => {
    return 'value' in outcome ? [] : [{ what, ...outcome }];
  });
  const [first] = failed;
  const isFailed = first !== undefined && failed.length === questions.length;
  const state = questions.length === 0 ? 'empty' : isFailed ? 'failed' : 'ok';
  const evidence = add({
    title, state,
    summary: questions.length === 0 ? `Not asked: ${whyNone}`
      : `${title} answered ${questions.length - failed.length} of ` +
        `${counted(questions.length, 'question')}.${first === undefined ? '' : ` ${first.hint}`}`,
    error: isFailed ? `Cannot read from ${title}: ${first.why}.` : null,
    warnings: isFailed ? [] : failed.map(({ what, why }) => `${what}: ${why}.`),
  });
  return { state, evidence, failed, mayAnswerLater: failed.some(({ mayPass }) => mayPass) };
}
