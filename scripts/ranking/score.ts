import { agreement } from '../../src/statistics/agreement.ts';
import { rankChanges } from '../../src/statistics/rank-changes.ts';
import { leastDeviation, measureChange, originOf } from '../../src/statistics/robust-change.ts';
import { notableZ } from '../../src/statistics/strength.ts';
import { baroScore, nSigmaScore, type SeriesScore } from './baselines.ts';
import type { LabelledCase, QuietWindow } from './labelled-incidents.ts';

/** Ranks the components of a case, best first. */
export type Method = (incident: LabelledCase) => readonly string[];

export const methods: Readonly<Record<string, Method>> = {
  'BARO': byScore(baroScore),
  'n-sigma': byScore(nSigmaScore),
  'reference': referenceRanking,
  'this service': ownRanking,
};

function ownRanking({ candidates, split, own }: LabelledCase): string[] {
  const ranking = rankChanges(candidates, {
    split, own: own?.values ?? null, ownIds: new Set(own === null ? [] : [own.id]),
  });
  return ranking.components.map(({ component }) => component);
}

function byScore(score: SeriesScore): Method {
  return ({ candidates, split }) => bestFirst(candidates.map(({ id, component, values }) => ({
    id, component, score: score(values, split),
  })));
}

interface Scored {
  readonly id: string;
  readonly component: string;
  readonly score: number | null;
}

function bestFirst(scored: readonly Scored[]): string[] {
  const sorted = scored.filter(({ score }) => score !== null && !Number.isNaN(score))
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0) || hash(a.id) - hash(b.id));
  return [...new Set(sorted.map(({ component }) => component))];
}

/** Breaks ties independently of the order of columns, which would favour some methods. FNV-1a. */
function hash(name: string): number {
  let state = 2_166_136_261;
  for (let index = 0; index < name.length; index += 1) {
    state = Math.imul(state ^ name.charCodeAt(index), 16_777_619);
  }
  return state >>> 0;
}

/** The guarded robust z score as first published; metric names tell inside from outside. */
function referenceRanking({ candidates, split, own }: LabelledCase): string[] {
  const measured = candidates.filter(({ id }) => id !== own?.id).flatMap((candidate) => {
    const change = measureChange(candidate.values, split);
    return change === null ? [] : [{ candidate, size: Math.abs(change.z) }];
  });
  const inside = new Map<string, number>();
  for (const { candidate: { component, metric }, size } of measured) {
    if (isInside(metric)) inside.set(component, Math.max(size, inside.get(component) ?? 0));
  }
  return bestFirst(measured.map(({ candidate: { component, metric, values }, size }) => {
    const agreeing = own === null ? 1 : agreement(values, own.values, split);
    const isVictim = !isInside(metric) && (inside.get(component) ?? Infinity) < 6;
    const score = Math.log1p(size) * (0.4 + 0.6 * agreeing) * (isVictim ? 0.5 : 1);
    return { id: component, component, score };
  }));
}

function isInside(metric: string): boolean {
  return /^(CpuUsage|MemoryUsage|Syscall|Network)/.test(metric);
}

export interface Accuracy {
  readonly cases: number;
  /** Share of cases with the culprit among the first 1, 3 and 5. */
  readonly ac1: number;
  readonly ac3: number;
  readonly ac5: number;
  /** Mean of the shares for the first 1, 2, 3, 4 and 5. */
  readonly avg5: number;
}

/** The columns of {@linkcode accuracyColumns}. */
export const accuracyHead = ' AC@1  AC@3  AC@5 Avg@5';

export function accuracyColumns({ ac1, ac3, ac5, avg5 }: Accuracy): string {
  return [ac1, ac3, ac5, avg5].map((share) => share.toFixed(2).padStart(5)).join(' ');
}

export function accuracyOf(method: Method, cases: readonly LabelledCase[]): Accuracy {
  return accuracyOfPlaces(cases.map((incident) => {
    const others = method(incident).filter((component) => component !== incident.alerting);
    return others.indexOf(incident.culprit) + 1;
  }));
}

/** From the culprit's place in each case: 1 is first, 0 means not named. */
export function accuracyOfPlaces(places: readonly number[]): Accuracy {
  const within = (k: number): number =>
    places.filter((place) => place > 0 && place <= k).length / places.length;
  const avg5 = [1, 2, 3, 4, 5].reduce((sum, k) => sum + within(k), 0) / 5;
  return { cases: places.length, ac1: within(1), ac3: within(3), ac5: within(5), avg5 };
}

/** The share of series that are called notable in windows without a fault. */
export function quietShare(windows: readonly QuietWindow[]): { share: number; series: number } {
  let compared = 0;
  let notable = 0;
  for (const { candidates, split } of windows) {
    for (const candidate of candidates) {
      const change = measureChange(candidate.values, split, {
        origin: originOf(candidate, split), least: leastDeviation(candidate, split),
      });
      if (change === null) continue;
      compared += 1;
      if (Math.abs(change.z) >= notableZ) notable += 1;
    }
  }
  return { share: notable / compared, series: compared };
}
