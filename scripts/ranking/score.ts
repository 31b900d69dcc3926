import type { ChangeCandidate } from '../../src/statistics/change-candidate.ts';
import { rankChanges, type ChangeRanking } from '../../src/statistics/rank-changes.ts';
import { measureChange, natureOf } from '../../src/statistics/robust-change.ts';
import { notableZ } from '../../src/statistics/strength.ts';
import { baroScore, nSigmaScore, type SeriesScore } from './baselines.ts';
import type { LabelledCase, QuietWindow } from './labelled-case.ts';
import { referenceScores } from './reference.ts';

/** Ranks the components of a case, best first, or the series of a single machine. */
export type Method = (incident: LabelledCase) => readonly string[];

export const methods: Readonly<Record<string, Method>> = {
  'BARO': byScore(baroScore),
  'n-sigma': byScore(nSigmaScore),
  'reference': referenceRanking,
  'this service': ownRanking,
};

function ownRanking(incident: LabelledCase): string[] {
  const { components, series } = rankedByService(incident);
  return incident.ranked === 'series' ? series.map(({ candidate: { id } }) => id)
    : components.map(({ component }) => component);
}

export function rankedByService({ candidates, split, own }: LabelledCase): ChangeRanking {
  return rankChanges(candidates, {
    split, own: own?.values ?? null, ownIds: new Set(own === null ? [] : [own.id]),
  });
}

function byScore(score: SeriesScore): Method {
  return (incident) => bestFirst(incident, incident.candidates.map((candidate) => ({
    candidate, score: score(candidate.values, incident.split),
  })));
}

function referenceRanking(incident: LabelledCase): string[] {
  return bestFirst(incident, referenceScores(incident));
}

export interface ScoredCandidate {
  readonly candidate: ChangeCandidate;
  readonly score: number | null;
}

function bestFirst(
  { ranked, own }: LabelledCase,
  scored: readonly ScoredCandidate[],
): string[] {
  const sorted = scored
    .filter(({ candidate, score }) => candidate.id !== own?.id && !Number.isNaN(score ?? NaN))
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0) || hash(a.candidate.id) - hash(b.candidate.id));
  return [...new Set(sorted.map(({ candidate }) =>
    ranked === 'series' ? candidate.id : candidate.component))];
}

/** Breaks ties independently of the order of columns, which would favour some methods. FNV-1a. */
function hash(name: string): number {
  let state = 2_166_136_261;
  for (let index = 0; index < name.length; index += 1) {
    state = Math.imul(state ^ name.charCodeAt(index), 16_777_619);
  }
  return state >>> 0;
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
    const others = method(incident).filter((name) => name !== incident.alerting);
    return others.findIndex((name) => incident.answers.has(name)) + 1;
  }));
}

/** From the place of the first right answer in each case: 1 is first, 0 means none. */
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
      const { values } = candidate;
      const change = measureChange(values, split, natureOf(candidate, values, split));
      if (change === null) continue;
      compared += 1;
      if (Math.abs(change.z) >= notableZ) notable += 1;
    }
  }
  return { share: notable / compared, series: compared };
}
