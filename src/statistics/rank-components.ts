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
  const strongest = new Map<string, RankedSeries[]>();
  for (const line of lines) {
    const { component } = line.candidate;
    const known = strongest.get(component);
    if (known === undefined) strongest.set(component, [line]);
    else if (known.length < strongestMax) known.push(line);
  }
  const components: RankedComponent[] = [];
  for (const component of new Set([...strongest.keys(), ...[...gone].sort()])) {
    const series = strongest.get(component) ?? [];
    const [best = null] = series;
    const isGone = gone.has(component);
    const score = Math.max(best?.score ?? 0, isGone ? goneScore : 0);
    components.push({ component, score, best, strongest: series, isGone });
  }
  return components.sort((a, b) => b.score - a.score);
}
