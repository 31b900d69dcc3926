import { groupBy } from '../lib/group-by.ts';
import type { RankedSeries } from './rank-series.ts';
import { newActivityZ } from './robust-change.ts';

export interface RankedComponent {
  readonly component: string;
  readonly score: number;
  /** Its best line; null when none of its series has enough points left to be compared. */
  readonly best: RankedSeries | null;
  /** Its five best lines, best first. */
  readonly strongest: readonly RankedSeries[];
  /** Most of what it reported ended: it was stopped or lost, which scores like new activity. */
  readonly isGone: boolean;
}

const strongestMax = 5;
const goneScore = Math.log1p(newActivityZ);

/**
 * Components ranked by their best series; those in `gone` score at least as high as new activity.
 * `lines` are in order of rank, and components of equal score keep the order of their best series.
 */
export function rankComponents(
  lines: readonly RankedSeries[],
  gone: ReadonlySet<string>,
): RankedComponent[] {
  const byComponent = groupBy(lines, ({ candidate }) => candidate.component);
  const all = new Set([...byComponent.keys(), ...[...gone].sort()]);
  return Array.from(all, (component) => {
    const strongest = (byComponent.get(component) ?? []).slice(0, strongestMax);
    const [best = null] = strongest;
    const isGone = gone.has(component);
    const score = Math.max(best?.score ?? 0, isGone ? goneScore : 0);
    return { component, score, best, strongest, isGone };
  }).sort((a, b) => b.score - a.score);
}
