/** A namespace with any number of series, all of them quiet except for one service. */
import type { CaseAlert } from '../../../scripts/ranking/case-alert.ts';
import { seriesText, stepSeconds, type Moment } from '../../../scripts/ranking/openmetrics.ts';
import { seededRandom } from '../random.ts';

export interface ManySeries {
  readonly namespace: string;
  readonly count: number;
  /** Samples of each series before the trouble begins, a minute apart. */
  readonly historySteps: number;
}

export const alertingService = 'entrance';
export const troubledService = 'service-7';
const services = 20;
const troubledParts = 8;
const kinds = [
  'worker_busy_ratio', 'pool_used_connections', 'heap_used_bytes', 'request_latency_seconds',
  'queue_waiting_jobs', 'cache_hit_ratio', 'tasks_done_total', 'bytes_sent_total',
];

const alertingMetric = 'request_latency_seconds';
const alerting = { name: alertingMetric, service: alertingService, isTroubled: true };

/** Only some series of the troubled service are affected. */
function seriesAt(index: number): { name: string; service: string; isTroubled: boolean } {
  const number = Math.floor(index / kinds.length);
  const part = Math.floor(number / services);
  const service = `service-${number % services}`;
  return {
    name: `part_${part}_${kinds[index % kinds.length]}`, service,
    isTroubled: service === troubledService && part < troubledParts,
  };
}

export function* manySeries(
  { namespace, count, historySteps }: ManySeries,
  { onsetSeconds, nowSeconds }: Moment,
): Generator<string> {
  const random = seededRandom(count);
  const from = onsetSeconds - historySteps * stepSeconds;
  for (let index = -1; index < count - 1; index += 1) {
    const { name, service, isTroubled } = index < 0 ? alerting : seriesAt(index);
    const series = seriesText(name, { namespace, job: 'many', service });
    let total = 0;
    for (let at = from; at <= nowSeconds; at += stepSeconds) {
      const value = (isTroubled && at >= onsetSeconds ? 6 : 1) + random() / 2 ** 33;
      total += value * stepSeconds;
      yield `${series} ${name.endsWith('_total') ? total : value} ${at}`;
    }
  }
}

export function alertOfMany(namespace: string, moment: Moment): CaseAlert {
  const labels = { namespace, job: 'many', service: alertingService };
  const ruleLabels = { severity: 'critical' };
  return {
    namespace, ruleLabels, forSeconds: stepSeconds,
    expression: `${seriesText(alertingMetric, labels)} > 3`,
    labels: { alertname: 'EntranceSlow', ...labels, ...ruleLabels },
    activeSeconds: moment.onsetSeconds,
    startsAt: new Date((moment.onsetSeconds + stepSeconds) * 1000).toISOString(),
  };
}
