import type { LabelSet } from '../../alert/labels.ts';
import type { Ledger } from '../../evidence/ledger.ts';
import { ownTextOf } from '../claims/grounding.ts';
import { holdsName } from '../claims/names.ts';

/**
 * Whether the alert's labels or evidence name it. What strangers may have worded names nothing:
 * whoever steers a model by what he has logged must not have it look where he cannot.
 */
export function isKnown(name: string, labels: LabelSet, { items }: Ledger): boolean {
  return holdsName(`${JSON.stringify(labels).toLowerCase()}\n${ownTextOf(items)}`, name);
}
