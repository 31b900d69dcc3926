import type { Evidence } from '../../evidence/collect-evidence.ts';
import { calledIn } from '../../statistics/callers.ts';
import { movedSeries, type MovedSeries } from '../changes/moved-series.ts';

/** A component that another one waits for, with the series of that one's calls to it. */
interface Behind {
  readonly name: string;
  readonly calls: MovedSeries;
}

/** What a component that fails or is slow calls in turn that is, and so on to the last. */
export function behind(called: string, evidence: Evidence): Behind[] {
  const known = new Set(evidence.metrics?.ranking?.ranking.components
    .map(({ component }) => component));
  const calls = movedSeries(evidence).filter(({ candidate: { signal }, strength, z }) =>
    (signal === 'latency' || signal === 'errors') && strength === 'strong' && z > 0);
  const found: Behind[] = [];
  const passed = new Set([called]);
  // What is added while a set is iterated is iterated as well.
  for (const caller of passed) {
    const [next] = calls.filter(({ candidate }) => candidate.component === caller)
      .flatMap((series) => calledIn(series.candidate, known)
        .filter((name) => !passed.has(name)).map((name) => ({ name, calls: series })));
    if (next === undefined) break;
    passed.add(next.name);
    found.push(next);
  }
  return found;
}
