/**
 * How long ranking takes: by default 1000 series of 240 points, the median of 15 runs after 3
 * warm-up runs.
 *
 *   npx tsx scripts/bench-ranking.ts [--series 1000] [--points 240]
 */
import type { ChangeCandidate } from '../src/statistics/change-candidate.ts';
import { rankChanges } from '../src/statistics/rank-changes.ts';
import { machine, median } from './bench/figures.ts';
import { createRandom } from './random.ts';
import { scriptOptions } from './script-options.ts';

const warmUps = 3;
const runs = 15;

const values = scriptOptions(import.meta.url, {
  series: { type: 'number', default: 1000 },
  points: { type: 'number', default: 240 },
});
const { points } = values;
const split = Math.round(points * 0.75);
const candidates = makeCandidates(values.series);
const own = candidates[1]?.values ?? null;

const took: number[] = [];
for (let run = 0; run < warmUps + runs; run += 1) {
  const start = performance.now();
  rankChanges(candidates, { split, own });
  if (run >= warmUps) took.push(performance.now() - start);
}
console.log(`${machine()}, ${candidates.length} series of ${points} points`);
console.log(`median ${median(took).toFixed(1)} ms, fastest ${Math.min(...took).toFixed(1)}, ` +
  `slowest ${Math.max(...took).toFixed(1)}`);

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
