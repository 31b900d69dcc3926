/**
 * Turns a labelled incident into samples for `promtool tsdb create-blocks-from openmetrics`, with
 * its timestamps shifted to the given moment.
 */
import type { LabelSet } from '../../src/alert/labels.ts';
import type { ChangeCandidate } from '../../src/statistics/change-candidate.ts';
import type { LabelledCase } from './labelled-case.ts';

export interface Moment {
  /** When the fault begins; a whole minute. */
  readonly onsetSeconds: number;
  /** No sample is later. */
  readonly nowSeconds: number;
}

/**
 * A recorded step becomes one minute, however long it was: Prometheus treats series with samples
 * five minutes apart as stale in between.
 */
export const stepSeconds = 60;
/** Steps before the fault that are kept at most. */
const historySteps = 300;

/**
 * All series of the case in the given namespace, and `up` for each of their targets. The samples of
 * the fault repeat until now.
 */
export function* openMetricsOf(
  incident: LabelledCase,
  namespace: string,
  moment: Moment,
): Generator<string> {
  const { candidates, own } = incident;
  const isListed = own !== null && candidates.some(({ id }) => id === own.id);
  const all = own === null || isListed ? candidates : [...candidates, own];
  const targets = new Set<string>();
  for (const candidate of all) {
    yield* samplesOf(incident, { candidate, namespace, moment });
    targets.add(seriesText('up', withoutQuantile(placedLabels(candidate, namespace))));
  }
  const from = moment.onsetSeconds - Math.min(incident.split, historySteps) * stepSeconds;
  for (const series of targets) {
    for (let at = from; at <= moment.nowSeconds; at += stepSeconds) yield `${series} 1 ${at}`;
  }
}

function withoutQuantile(labels: LabelSet): LabelSet {
  return Object.fromEntries(Object.entries(labels).filter(([label]) => label !== 'quantile'));
}

interface Placed {
  readonly candidate: ChangeCandidate;
  readonly namespace: string;
  readonly moment: Moment;
}

function* samplesOf(incident: LabelledCase, placed: Placed): Generator<string> {
  const { candidate, namespace, moment: { onsetSeconds, nowSeconds } } = placed;
  const { split } = incident;
  const recorded = candidate.values.length;
  const series = seriesText(candidate.metric, placedLabels(candidate, namespace));
  const last = split + Math.floor((nowSeconds - onsetSeconds) / stepSeconds);
  let total = 0;
  for (let index = Math.max(0, split - historySteps); index <= last; index += 1) {
    const place = index < recorded ? index : split + (index - split) % (recorded - split);
    const value = candidate.values[place] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    total += value * stepSeconds;
    const at = onsetSeconds + (index - split) * stepSeconds;
    yield `${series} ${candidate.made === 'rate' ? total : value} ${at}`;
  }
}

/** The labels of a series where it is served. */
export function placedLabels({ labels }: ChangeCandidate, namespace: string): LabelSet {
  return { namespace, job: 'shop', ...labels };
}

/** `name{label="value"}` as both OpenMetrics and PromQL write it. */
export function seriesText(name: string, labels: LabelSet): string {
  const pairs = Object.entries(labels).map(([label, value]) => {
    const escaped = value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
    return `${label}="${escaped}"`;
  });
  return `${name}{${pairs.join(',')}}`;
}
