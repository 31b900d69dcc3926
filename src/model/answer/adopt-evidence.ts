import type { EvidenceItem, Statement } from '../../report/report.ts';
import { citedId, citedIdsIn } from '../assertions/cited-ids.ts';

/** Evidence of one report with what another one cites, and how to move statements over. */
interface Adopted {
  readonly evidence: readonly EvidenceItem[];
  /** The statement with the ids that its evidence has now, in its text as well. */
  readonly moved: <T extends Statement>(statement: T) => T;
  readonly reworded: (text: string) => string;
}

/**
 * Appends the items that statements of another report cite and the evidence lacks; an item that it
 * has is not duplicated.
 */
export function adoptEvidence(
  evidence: readonly EvidenceItem[],
  other: readonly EvidenceItem[],
  citing: readonly Statement[],
): Adopted {
  const all = [...evidence];
  const ids = new Map<string, string>();
  const byText = new Map(evidence.map((item) => [textOf(item), item.id]));
  const cited = new Set(citing.flatMap((each) => [...each.evidence, ...citedIdsIn(each.text)]));
  for (const item of other) {
    if (!cited.has(item.id)) continue;
    const known = byText.get(textOf(item));
    const id = known ?? `E${all.length + 1}`;
    if (known === undefined) all.push({ ...item, id });
    ids.set(item.id, id);
  }
  const idOf = (id: string): string => ids.get(id) ?? id;
  const reworded = (text: string): string => text.replace(citedId, idOf);
  return {
    evidence: all, reworded,
    moved: (statement) => ({
      ...statement, text: reworded(statement.text), evidence: statement.evidence.map(idOf),
    }),
  };
}

function textOf({ source, title, query, summary }: EvidenceItem): string {
  return JSON.stringify([source, title, query, summary]);
}
