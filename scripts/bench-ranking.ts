/**
 * How long ranking takes, and the plain method that it is compared with, in turn: by default 1000
 * series of 240 points, the median of 45 runs after 5 warm-up runs.
 *
 *   npx tsx scripts/bench-ranking.ts [--series 1000] [--points 240]
 */
import type { ChangeCandidate } from '../src/statistics/change-candidate.ts';
import { rankChanges } from '../src/statistics/rank-changes.ts';
import { machine, median } from './bench/figures.ts';
import { createRandom } from './random.ts';
import { referenceScores } from './ranking/reference.ts';
import { scriptOptions } from './script-options.ts';

const warmUps = 5;
const runs = 45;

const values = scriptOptions(import.meta.url, {
  series: { type: 'number', default: 1000 },
  points: { type: 'number', default: 240 },
});
const { points } = values;
const split = Math.round(points * 0.75);
const candidates = makeCandidates(values.series);
const own = candidates[1] ?? null;

const ranked = {
  'this service': () => rankChanges(candidates, { split, own: own?.values ?? null }),
  'reference': () => referenceScores({ candidates, split, own }).sort((a, b) => b.score - a.score),
};
const took = new Map<string, number[]>();
for (let run = 0; run < warmUps + runs; run += 1) {
  for (const [name, rank] of Object.entries(ranked)) {
    const start = performance.now();
    rank();
    if (run >= warmUps) took.set(name, [...(took.get(name) ?? []), performance.now() - start]);
  }
}
console.log(`${machine()}, ${candidates.length} series of ${points} points`);
for (const [name, all] of took) {
  console.log(`${name}: median ${median(all).toFixed(1)} ms, fastest ` +
    `${Math.min(...all).toFixed(1)}, slowest ${Math.max(...all).toFixed(1)}`);
}

/** Counts, levels, large levels, bursts and constants, with some gaps; one series in 97 changes. */
function makeCandidates(count: number): ChangeCandidate[] {
  const share = createRandom(42);
  return Array.from({ length: count }, (_, index) => {
    let drift = 0;
    const series = Float64Array.from({ length: points }, (_value, at) => {
      drift = 0.9 * drift + share() - 0.5;
      const burst = share() < 0.05 ? 50 : 1;
      const kinds = [
        Math.floor(share() * 3), 100 + drift, 1e9 + 1e6 * drift, Math.abs(drift) * burst, 42,
      ];
      if (share() < 0.02) return Number.NaN;
      return (kinds[index % 5] ?? 0) + (index % 97 === 0 && at > split + 3 ? 60 : 0);
    });
    return {
      id: `series-${index}`, component: `component-${index % 50}`, metric: `metric-${index % 20}`,
      values: series, unit: null, signal: index % 2 === 0 ? 'latency' : 'utilization',
      side: index % 2 === 0 ? 'external' : 'internal',
      labels: { pod: `pod-${index}`, route: `/${index}` },
      kind: 'gauge', named: null, valueless: null,
    };
  });
}
