import type { EvidenceItem } from '../../report/report.ts';
import { isProof, queryParts } from '../tools/query-parts.ts';
import { isAsked } from '../tools/tool.ts';

/**
 * The item without the model's own words; otherwise a query with a made-up label would prove what
 * is written in it. What stays of the query is its durations, and its selectors if a non-empty
 * answer shows that they match something.
 */
export function withoutOwnWords(item: EvidenceItem): EvidenceItem {
  if (!isAsked(item)) return item;
  const parts = item.query === null || item.state !== 'ok' ? null : queryParts(item.query);
  const selected = parts !== null && isProof(parts) ? [...parts.metrics, ...parts.matched] : [];
  const measures = parts?.measures ?? [];
  return { ...item, title: '', query: [...selected, ...measures].join(' ') };
}

/** Constants of a model's query, which its answer may merely repeat. */
export function ownNumbers(item: EvidenceItem): readonly number[] {
  if (!isAsked(item) || item.query === null) return [];
  return queryParts(item.query)?.constants.filter((value) => value !== 0 && value !== 1) ?? [];
}
