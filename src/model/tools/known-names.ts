import type { LabelSet } from '../../alert/labels.ts';
import type { Ledger } from '../../evidence/ledger.ts';
import { withoutOwnWords } from '../claims/asked-evidence.ts';
import { kindsOfStrangers } from '../claims/grounding.ts';
import { holdsName } from '../claims/names.ts';

/**
 * Whether the alert's labels or evidence name it. What strangers may have worded names nothing:
 * whoever steers a model by what he has logged must not have it look where he cannot.
 */
export function isKnown(name: string, labels: LabelSet, { items }: Ledger): boolean {
  const own = items.filter(({ kind }) => !kindsOfStrangers.has(kind)).map(withoutOwnWords);
  const told = JSON.stringify([labels, own], (member, value: unknown) => {
    return member === 'message' ? null : value;
  });
  return holdsName(told.toLowerCase(), name);
}
