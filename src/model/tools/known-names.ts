import type { LabelSet } from '../../alert/labels.ts';
import type { Ledger } from '../../evidence/ledger.ts';
import { holdsName } from '../claims/names.ts';
import { ownTextOf } from '../claims/whose-words.ts';

/**
 * Whether the alert's labels or the evidence contain the name. Text from outside does not count:
 * whoever steers a model by a log line must not make it look where they cannot look themselves.
 */
export function isKnown(name: string, labels: LabelSet, { items }: Ledger): boolean {
  const texts = [JSON.stringify(labels), ...items.map(ownTextOf)];
  return holdsName(texts.join('\n').toLowerCase(), name);
}
