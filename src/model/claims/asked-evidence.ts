import type { EvidenceItem } from '../../report/report.ts';
import { isProof, queryParts } from '../tools/query-parts.ts';
import { isAsked } from '../tools/tool.ts';

/**
 * The item without what only the model said, else a query with a made-up label would prove what is
 * written in it: of the query is left how far back it looks, and what it selects where the answer
 * shows that this exists.
 */
export function withoutOwnWords(item: EvidenceItem): EvidenceItem {
  if (!isAsked(item)) return item;
  const parts = item.query === null || item.state !== 'ok' ? null : queryParts(item.query);
  const selected = parts !== null && isProof(parts) ? [...parts.metrics, ...parts.matched] : [];
  const measures = parts?.measures ?? [];
  return { ...item, title: '', query: [...selected, ...measures].join(' ') };
}

/** Numbers of a model's query that its answer may only repeat. */
export function ownNumbers(item: EvidenceItem): readonly number[] {
  if (!isAsked(item) || item.query === null) return [];
  return queryParts(item.query)?.constants.filter((value) => value !== 0 && value !== 1) ?? [];
}
