/**
 * Judges the constants of the score, and the margin from which the first component is called
 * likely, by systems that they were not chosen on.
 */
import { isComparable } from '../../src/statistics/rank-changes.ts';
import { rankSeries, type RankedSeries } from '../../src/statistics/rank-series.ts';
import { scoreConstants, scoreOf, type ScoreConstants } from '../../src/statistics/series-score.ts';
import { strongZ } from '../../src/statistics/strength.ts';
import { meanOf } from '../bench/figures.ts';
import type { LabelledCase } from './labelled-case.ts';
import { accuracyOfPlaces } from './score.ts';

/** A case with all of its series measured once, as their scores alone depend on the constants. */
export interface MeasuredCase {
  readonly incident: LabelledCase;
  readonly lines: readonly RankedSeries[];
}

export function measuredCase(incident: LabelledCase): MeasuredCase {
  const { candidates, split, own, alerting } = incident;
  const others = candidates.filter((candidate) => isComparable(candidate) &&
    candidate.id !== own?.id && candidate.component !== alerting);
  const { lines } = rankSeries(others, {
    split, own: own?.values ?? null, earlier: null, callers: new Set(),
  });
  return { incident, lines };
}

/** Nothing but how unusual a change is. */
const plain: ScoreConstants = {
  deviationMax: Infinity, effectShare: 0, unrelated: 1, traffic: 1, waiting: 1, burst: 0,
};

const choices: Readonly<Record<keyof ScoreConstants, readonly number[]>> = {
  deviationMax: [20, 50, 100, Infinity], effectShare: [0, 1 / 3, 1 / 2, 2 / 3],
  unrelated: [0.2, 0.3, 0.4, 0.6, 1], traffic: [1 / 3, 1 / 2, 1], waiting: [1 / 5, 1 / 3, 2 / 3, 1],
  burst: [0, 2, 5, 20],
};
/** A smaller gain is noise. */
const gainMin = 0.001;

export interface LeftOut {
  readonly system: string;
  /** Avg@5 there: of the plain deviation, of what the others chose, and of what is in use. */
  readonly plain: number;
  readonly chosen: number;
  readonly used: number;
  readonly constants: ScoreConstants;
}

/** For each system, the constants that a forward search over all others chooses. */
export function leaveOneOut(measured: readonly MeasuredCase[]): LeftOut[] {
  return systemsOf(measured).map((system) => {
    const there = measured.filter(({ incident }) => incident.system === system);
    const constants = chosenBy(measured.filter((each) => !there.includes(each)));
    return {
      system, constants, plain: averageAt5(there, plain), chosen: averageAt5(there, constants),
      used: averageAt5(there, scoreConstants),
    };
  });
}

function systemsOf(measured: readonly MeasuredCase[]): string[] {
  return [...new Set(measured.map(({ incident }) => incident.system))];
}

/** Changes one constant at a time, always the one that gains most. */
function chosenBy(measured: readonly MeasuredCase[]): ScoreConstants {
  let best = { constants: plain, score: averageAt5(measured, plain) };
  for (;;) {
    const tried = Object.entries(choices).flatMap(([name, values]) => values.map((value) => {
      const constants = { ...best.constants, [name]: value };
      return { constants, score: averageAt5(measured, constants) };
    }));
    const next = tried.reduce((most, each) => (each.score > most.score ? each : most), best);
    if (next.score < best.score + gainMin) return best.constants;
    best = next;
  }
}

/** The mean of the systems, each the mean of its recordings. */
function averageAt5(measured: readonly MeasuredCase[], constants: ScoreConstants): number {
  return meanOf(systemsOf(measured).map((system) => {
    const there = measured.filter(({ incident }) => incident.system === system);
    return meanOf([...new Set(there.map(({ incident }) => incident.dataset))].map((dataset) => {
      const places = there.filter(({ incident }) => incident.dataset === dataset)
        .map((each) => placeIn(each, constants));
      return accuracyOfPlaces(places).avg5;
    }));
  }));
}

function placeIn(
  { incident: { ranked, answers }, lines }: MeasuredCase,
  constants: ScoreConstants,
): number {
  const scores = new Map<string, number>();
  for (const { candidate, grounds } of lines) {
    const name = ranked === 'series' ? candidate.id : candidate.component;
    const score = scoreOf(grounds, constants);
    if (score > (scores.get(name) ?? -1)) scores.set(name, score);
  }
  // Sorting is stable, so equal scores keep the order of the ranking in use.
  return [...scores].sort(([, a], [, b]) => b - a).findIndex(([name]) => answers.has(name)) + 1;
}

/** A case whose first component moved strongly: how far it is ahead, and whether it is right. */
export interface Lead {
  readonly system: string;
  readonly margin: number;
  readonly isRight: boolean;
}

export function leadsOf(measured: readonly MeasuredCase[]): Lead[] {
  return measured.filter(({ incident }) => incident.ranked === 'components')
    .flatMap(({ incident, lines }) => {
      const [first] = lines;
      if (first === undefined || Math.abs(first.z) < strongZ) return [];
      const next = lines.find(({ candidate }) => candidate.component !== first.candidate.component);
      return [{
        system: incident.system, margin: first.score - (next?.score ?? 0),
        isRight: incident.answers.has(first.candidate.component),
      }];
    });
}

/** The least margin, in tenths, from which the first is right in that share of the cases. */
export function marginFor(share: number, leads: readonly Lead[]): number {
  const margins = Array.from({ length: 30 }, (_, index) => index / 10);
  return margins.find((least) => {
    const beyond = leads.filter(({ margin }) => margin >= least);
    return beyond.filter(({ isRight }) => isRight).length >= share * beyond.length;
  }) ?? Infinity;
}
