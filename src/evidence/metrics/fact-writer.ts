import type { Asked } from '../ask-within.ts';
import type { AddItem, Ledger, NewEvidence } from '../ledger.ts';
import type { Times } from './alert-window.ts';
import type { Part } from './asking.ts';

/** Where the facts of one alert are written down. */
export interface FactWriter extends Times {
  /** The alert's name. */
  readonly name: string;
  readonly ledger: Ledger;
  readonly add: AddItem;
  readonly questions: Asked<Part>['questions'];
}

/** Why a part got no answer, as a sentence; null if all of its questions were answered. */
export function whyMissing({ questions }: FactWriter, part: Part): string | null {
  const [first = null] = questions
    .flatMap(({ what, failure }) => (what === part && failure !== null ? [failure.why] : []))
    .sort();
  return first && `Cannot read from Prometheus: ${first}.`;
}

/** Adds an item for what is not known: nobody answered, or else the answer says nothing. */
export function addUnknown(
  writing: FactWriter,
  item: Pick<NewEvidence, 'kind' | 'title' | 'query'>,
  { part, otherwise = 'There was no answer.' }: {
    /** The part that it belongs to; null if that was answered. */
    readonly part: Part | null; readonly otherwise?: string;
  },
): null {
  const why = part && whyMissing(writing, part);
  const state = why === null ? 'empty' : 'failed';
  writing.add({ ...item, state, summary: why ?? otherwise, error: why });
  return null;
}
