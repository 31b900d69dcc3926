/** A labelled incident as the ranking sees it, whatever recording it comes from. */
import type { ChangeCandidate } from '../../src/statistics/change-candidate.ts';
import { classifyMetric } from '../../src/statistics/names/metric-class.ts';
import { nameSeries } from './series-names.ts';

export interface LabelledCase {
  readonly id: string;
  /** The recording that it is from, and the system that was recorded, which may have several. */
  readonly dataset: string;
  readonly system: string;
  readonly fault: string;
  /** What is ranked: components, or the series of a single machine. */
  readonly ranked: 'components' | 'series';
  /** The component the fault was injected into, or the ids of the series that show the fault. */
  readonly answers: ReadonlySet<string>;
  /** Index of the first point with the fault. */
  readonly split: number;
  readonly candidates: readonly ChangeCandidate[];
  /** The component that alerts, which does not count in the scores; empty for a single machine. */
  readonly alerting: string;
  /** The series that the alert is about. */
  readonly own: ChangeCandidate | null;
}

/** A period without a fault, ranked as if there had been one. */
export interface QuietWindow {
  readonly dataset: string;
  readonly split: number;
  readonly candidates: readonly ChangeCandidate[];
}

export interface LabelledIncidents {
  readonly cases: readonly LabelledCase[];
  readonly quiet: readonly QuietWindow[];
}

/** Recorded values; null where none was. */
export type Recorded = readonly (number | null)[];

/**
 * A recorded series, `component|metric`, named and classified as an exporter's would be. The values
 * of what an exporter counts were recorded as rates, and stay rates.
 */
export function toCandidate(dataset: string, id: string, recorded: Recorded): ChangeCandidate {
  const [component = '', metric = ''] = id.split('|');
  const { name, labels, factor, isCounter } = nameSeries(dataset, { component, metric });
  const { signal, side, kind, unit } = classifyMetric(name, { labels });
  return {
    id, component, metric: name, labels, unit, signal, side, named: null, valueless: null,
    kind: kind === 'counter' && !isCounter ? 'gauge' : kind,
    ...(isCounter && { made: 'rate' }),
    values: Float64Array.from(recorded, (value) => factor * (value ?? Number.NaN)),
  };
}

/** The case with only the last `points` before its fault. */
export function recentOf(incident: LabelledCase, points: number): LabelledCase {
  const from = Math.max(0, incident.split - points);
  const cut = (candidate: ChangeCandidate): ChangeCandidate =>
    ({ ...candidate, values: candidate.values.subarray(from) });
  return {
    ...incident, candidates: incident.candidates.map(cut), own: incident.own && cut(incident.own),
    split: incident.split - from,
  };
}
