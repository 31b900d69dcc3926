import type { RankedSeries } from './rank-changes.ts';
import { newActivityZ } from './robust-change.ts';

/** Who calls whom, by the names that components are ranked under. */
export interface CallEdge {
  readonly caller: string;
  readonly callee: string;
}

export interface RankedComponent {
  readonly component: string;
  readonly score: number;
  /** Its best line, null when none of its series is there any more to be compared. */
  readonly best: RankedSeries | null;
  /** Its five best lines, best first. */
  readonly strongest: readonly RankedSeries[];
  /** Only its outside moved while its inside is known and quiet. */
  readonly isVictim: boolean;
  /** Most of its series ended: it was stopped or lost, and counts as new activity does. */
  readonly isGone: boolean;
}

const strongestMax = 5;
const goneScore = Math.log1p(newActivityZ);
/** Share of a caller's score that a callee which moved as much outside explains. */
const explainedShare = 0.2;

/**
 * Components by their best series, less what a callee explains. `lines` are in order of rank;
 * components of equal score stay in the order of their best series.
 */
export function rankComponents(
  lines: readonly RankedSeries[],
  { edges, gone }: { readonly edges: readonly CallEdge[]; readonly gone: ReadonlySet<string> },
): RankedComponent[] {
  const strongest = new Map<string, RankedSeries[]>();
  const outside = new Map<string, number>();
  for (const line of lines) {
    const { component, side } = line.candidate;
    const known = strongest.get(component);
    if (known === undefined) strongest.set(component, [line]);
    else if (known.length < strongestMax) known.push(line);
    if (side === 'external' && !outside.has(component)) outside.set(component, line.score);
  }
  const explained = explainedByCallees(strongest, outside, edges);
  const components: RankedComponent[] = [];
  for (const component of new Set([...strongest.keys(), ...[...gone].sort()])) {
    const series = strongest.get(component) ?? [];
    const [best = null] = series;
    const isGone = gone.has(component);
    const own = Math.max(best?.score ?? 0, isGone ? goneScore : 0);
    const score = own * (1 - explainedShare * (explained.get(component) ?? 0));
    const isVictim = !isGone && best?.isVictim === true;
    components.push({ component, score, best, strongest: series, isVictim, isGone });
  }
  return components.sort((a, b) => b.score - a.score);
}

/** How much of each caller's score its callees' outside accounts for, 0 to 1. */
function explainedByCallees(
  strongest: ReadonlyMap<string, readonly RankedSeries[]>,
  outside: ReadonlyMap<string, number>,
  edges: readonly CallEdge[],
): ReadonlyMap<string, number> {
  const explained = new Map<string, number>();
  for (const { caller, callee } of edges) {
    const score = strongest.get(caller)?.[0]?.score ?? 0;
    if (caller === callee || score <= 0 || !strongest.has(callee)) continue;
    const share = Math.min(1, (outside.get(callee) ?? 0) / score);
    explained.set(caller, Math.max(share, explained.get(caller) ?? 0));
  }
  return explained;
}
