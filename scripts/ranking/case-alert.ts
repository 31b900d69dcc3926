/** The alert that a labelled incident would have raised, and the rule for it. */
import type { LabelSet } from '../../src/alert/labels.ts';
import type { ChangeCandidate } from '../../src/statistics/change-candidate.ts';
import { median } from '../bench/figures.ts';
import type { LabelledCase } from './labelled-case.ts';
import { placedLabels, seriesText, stepSeconds, type Moment } from './openmetrics.ts';

export interface CaseAlert {
  readonly namespace: string;
  readonly expression: string;
  readonly forSeconds: number;
  /** The alert has these and the labels of its series. */
  readonly ruleLabels: LabelSet;
  readonly labels: LabelSet;
  /** When the expression became true; the alert fires `forSeconds` later. */
  readonly activeSeconds: number;
  readonly startsAt: string;
}

const alertname = 'ServiceDegraded';
const severity = 'critical';
const forSeconds = stepSeconds;

interface Crossing {
  readonly own: ChangeCandidate;
  readonly threshold: number;
  readonly isUp: boolean;
  /** From the beginning of the fault until the alert fires. */
  readonly seconds: number;
}

/** The threshold lies halfway between the median before the fault and the extreme after it. */
function crossingOf({ own, split, id }: LabelledCase): Crossing {
  if (own === null) throw new Error(`${id} has no series of its alert`);
  const before = own.values.subarray(0, split);
  const usual = median(before.filter((value) => !Number.isNaN(value)));
  const after = own.values.subarray(split);
  const isUp = Math.max(...after) - usual >= usual - Math.min(...after);
  const extreme = isUp ? Math.max(...after) : Math.min(...after);
  const threshold = Number(((usual + extreme) / 2).toPrecision(4));
  const late = after.findIndex((value) => isUp ? value > threshold : value < threshold);
  const activeSeconds = Math.max(0, late) * stepSeconds;
  return { own, threshold, isUp, seconds: activeSeconds + forSeconds };
}

/** How long after its fault began the alert of a case fires. */
export function secondsToAlert(incident: LabelledCase): number {
  return crossingOf(incident).seconds;
}

export function caseAlert(incident: LabelledCase, namespace: string, moment: Moment): CaseAlert {
  const { own, threshold, isUp, seconds } = crossingOf(incident);
  const activeSeconds = moment.onsetSeconds + seconds - forSeconds;
  const labels = placedLabels(own, namespace);
  const expression = `${seriesText(own.metric, labels)} ${isUp ? '>' : '<'} ${threshold}`;
  return {
    namespace, expression, forSeconds, ruleLabels: { severity },
    labels: { alertname, ...labels, severity },
    activeSeconds, startsAt: new Date((activeSeconds + forSeconds) * 1000).toISOString(),
  };
}

export function ruleOf({ expression, ruleLabels, labels, forSeconds }: CaseAlert): object {
  return {
    alert: labels['alertname'], expr: expression, for: `${forSeconds}s`, labels: ruleLabels,
    annotations: { summary: 'It is {{ $value }}' },
  };
}

/** The samples of ALERTS and ALERTS_FOR_STATE that Prometheus would have stored by now. */
export function* stateSamples(alert: CaseAlert, { nowSeconds }: Moment): Generator<string> {
  const { labels, activeSeconds } = alert;
  for (let at = activeSeconds; at <= nowSeconds; at += stepSeconds) {
    yield `${seriesText('ALERTS_FOR_STATE', labels)} ${activeSeconds} ${at}`;
    const alertstate = at - activeSeconds < alert.forSeconds ? 'pending' : 'firing';
    yield `${seriesText('ALERTS', { ...labels, alertstate })} 1 ${at}`;
  }
}
