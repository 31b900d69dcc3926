import type { Cleanup } from '../../test/support/programs/programs.ts';
import {
  startPrometheus, type PrometheusOptions, type RunningPrometheus,
} from '../../test/support/programs/running-prometheus.ts';
import { caseAlert, ruleOf, stateSamples, type CaseAlert } from './case-alert.ts';
import type { LabelledCase } from './labelled-incidents.ts';
import { openMetricsOf, type Moment } from './openmetrics.ts';

export interface ServedCase {
  readonly incident: LabelledCase;
  readonly alert: CaseAlert;
}

export interface ServedCases {
  readonly prometheus: RunningPrometheus;
  readonly served: readonly ServedCase[];
}

/** The last sample is the fault's fourth: with that one most of the alerts are still firing. */
const faultBeganSeconds = 480;

/** One Prometheus with a namespace for each case; every fault began eight minutes ago. */
export async function serveCases(
  cleanup: Cleanup,
  cases: readonly LabelledCase[],
  alertmanager?: PrometheusOptions['alertmanager'],
): Promise<ServedCases> {
  const { served, samples } = placeCases(cases);
  const prometheus = await startPrometheus(cleanup, {
    samples: samples(),
    rules: served.map(({ alert }) => ruleOf(alert)),
    ...(alertmanager !== undefined && { alertmanager }),
  });
  return { prometheus, served };
}

export interface PlacedCases {
  readonly served: readonly ServedCase[];
  /** What a server that has seen it all would hold; anew at each call. */
  readonly samples: () => Iterable<string>;
}

/** Every case in a namespace of its own, its fault begun eight minutes before now. */
export function placeCases(cases: readonly LabelledCase[]): PlacedCases {
  const nowSeconds = Math.floor(Date.now() / 60_000) * 60;
  const moment = { onsetSeconds: nowSeconds - faultBeganSeconds, nowSeconds };
  const served = cases.map((incident) => ({
    incident, alert: caseAlert(incident, namespaceOf(incident), moment),
  }));
  return { served, samples: () => samplesOf(served, moment) };
}

export function namespaceOf({ id }: LabelledCase): string {
  return id.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

function* samplesOf(served: readonly ServedCase[], moment: Moment): Generator<string> {
  for (const { incident, alert } of served) {
    yield* openMetricsOf(incident, alert.namespace, moment);
    yield* stateSamples(alert, moment);
  }
}
