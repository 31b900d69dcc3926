import { agreement } from '../../src/statistics/agreement.ts';
import { rankChanges } from '../../src/statistics/rank-changes.ts';
import { createChangeMeasure } from '../../src/statistics/robust-change.ts';
import { notableZ } from '../../src/statistics/strength.ts';
import { baroScore, nSigmaScore, type SeriesScore } from './baselines.ts';
import type { LabelledCase, QuietWindow } from './labelled-incidents.ts';

/** Components of a case, best first. */
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

/** Ties fall by a hash of the name: the order of columns must not help or harm anybody. */
function hash(name: string): number {
  let state = 2_166_136_261;
  for (let index = 0; index < name.length; index += 1) {
    state = Math.imul(state ^ name.charCodeAt(index), 16_777_619);
  }
  return state >>> 0;
}

/** The guarded robust z as first published, with the sides that came with the data. */
function referenceRanking({ candidates, split, own }: LabelledCase): string[] {
  const measure = createChangeMeasure();
  const measured = candidates.filter(({ id }) => id !== own?.id).flatMap((candidate) => {
    const change = measure(candidate.values, split);
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

export function accuracyOf(method: Method, cases: readonly LabelledCase[]): Accuracy {
  return accuracyOfPlaces(cases.map((incident) => {
    const others = method(incident).filter((component) => component !== incident.alerting);
    return others.indexOf(incident.culprit) + 1;
  }));
}

/** Of the culprit's place in each case: 1 is the first, 0 says it was not named. */
export function accuracyOfPlaces(places: readonly number[]): Accuracy {
  const within = (k: number): number =>
    places.filter((place) => place > 0 && place <= k).length / places.length;
  const avg5 = [1, 2, 3, 4, 5].reduce((sum, k) => sum + within(k), 0) / 5;
  return { cases: places.length, ac1: within(1), ac3: within(3), ac5: within(5), avg5 };
}

/** Share of the series of windows without a fault that are called notable. */
export function quietShare(windows: readonly QuietWindow[]): { share: number; series: number } {
  let compared = 0;
  let notable = 0;
  const measure = createChangeMeasure();
  for (const { candidates, split } of windows) {
    for (const { values } of candidates) {
      const change = measure(values, split);
      if (change === null) continue;
      compared += 1;
      if (Math.abs(change.z) >= notableZ) notable += 1;
    }
  }
  return { share: notable / compared, series: compared };
}
