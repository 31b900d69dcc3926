import type { Cleanup } from '../../test/support/cleanup.ts';
import {
  startPrometheus, type PrometheusOptions, type RunningPrometheus,
} from '../../test/support/programs/running-prometheus.ts';
import { caseAlert, ruleOf, secondsToAlert, stateSamples, type CaseAlert } from './case-alert.ts';
import type { LabelledCase } from './labelled-case.ts';
import { openMetricsOf, type Moment } from './openmetrics.ts';

export interface ServedCase {
  readonly incident: LabelledCase;
  readonly alert: CaseAlert;
}

export interface ServedCases {
  readonly prometheus: RunningPrometheus;
  readonly served: readonly ServedCase[];
}

/** Recent enough that most of the alerts are still firing at the last sample. */
const faultBeganSeconds = 480;
/** Earlier for an alert that fires late, so that it has fired for as long when it is reported. */
const firingSeconds = 120;

/** Starts one Prometheus with a namespace for each case; every fault began eight minutes ago. */
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
  /** The samples a server would hold; each call starts from the beginning. */
  readonly samples: () => Iterable<string>;
}

/** Puts each case in a namespace of its own, with its fault beginning eight minutes ago. */
export function placeCases(cases: readonly LabelledCase[]): PlacedCases {
  const nowSeconds = Math.floor(Date.now() / 60_000) * 60;
  const served = cases.map((incident) => {
    const beganSeconds = Math.max(faultBeganSeconds, secondsToAlert(incident) + firingSeconds);
    const moment = { onsetSeconds: nowSeconds - beganSeconds, nowSeconds };
    return { incident, moment, alert: caseAlert(incident, namespaceOf(incident), moment) };
  });
  return { served, samples: () => samplesOf(served) };
}

export function namespaceOf({ id }: LabelledCase): string {
  return id.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

function* samplesOf(
  served: readonly (ServedCase & { readonly moment: Moment })[],
): Generator<string> {
  for (const { incident, alert, moment } of served) {
    yield* openMetricsOf(incident, alert.namespace, moment);
    yield* stateSamples(alert, moment);
  }
}
