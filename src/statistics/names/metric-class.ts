import { kindOf, type MetricKind } from './metric-kind.ts';
import type { Rule, Side, Signal } from './metric-rule.ts';
import { signalRules } from './metric-rules.ts';
import { unitOf } from './metric-unit.ts';
import { metricWords } from './metric-words.ts';

export type { MetricKind } from './metric-kind.ts';
export type { Side, Signal } from './metric-rule.ts';

/** What a metric is and what it tells of the component it belongs to. */
export interface MetricClass {
  readonly kind: MetricKind;
  readonly signal: Signal;
  /** `external` is what its callers see of a component, `internal` its own resources and state. */
  readonly side: Side;
  /** Unit of the values as they are stored, a word that `formatQuantity` knows; null is unknown. */
  readonly unit: string | null;
}

/** What else is known of a metric than its name. */
export interface MetricContext {
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Every metric name of the same target: a `_count` with a `_sum` beside it counts something. */
  readonly names?: ReadonlySet<string> | undefined;
}

/**
 * What a metric is by its name, and its labels where they matter. The first matching rule wins. A
 * name that says nothing is a gauge of the component's inside.
 */
export function classifyMetric(name: string, context: MetricContext = {}): MetricClass {
  const plain = metricWords(name);
  const rule = signalRules.find((candidate) => matches(candidate, plain)) ?? unknown;
  const kind = kindOf(name, plain, { ...context, rule });
  const unit = unitOf(plain, kind);
  const signal = signalOf(rule, { kind, plain, labels: context.labels });
  const side = signal === rule.signal ? (rule.side ?? sideBySignal[signal]) : sideBySignal[signal];
  return { kind, signal, side, unit };
}

const unknown: Rule = { match: /$/, signal: 'other', side: 'internal' };

function matches({ match, unless }: Rule, plain: string): boolean {
  return match.test(plain) && unless?.test(plain) !== true;
}

const sideBySignal: Readonly<Record<Signal, Side>> = {
  traffic: 'external', errors: 'external', latency: 'external', saturation: 'internal',
  utilization: 'internal', restarts: 'internal', state: 'internal', config: 'internal',
  other: 'internal', skip: 'skip',
};

interface Named {
  readonly kind: MetricKind;
  readonly plain: string;
  readonly labels: Readonly<Record<string, string>> | undefined;
}

/** What a histogram counts is traffic, whatever it observes; of that, some are failures. */
function signalOf(rule: Rule, { kind, plain, labels }: Named): Signal {
  const seenOutside = (rule.side ?? sideBySignal[rule.signal]) === 'external';
  if (!seenOutside) return rule.signal;
  if (kind === 'histogram_bucket' && rule.signal === 'traffic' && /seconds/.test(plain)) {
    return 'latency';
  }
  const counts = rule.signal === 'traffic' ||
    (rule.signal === 'latency' && kind === 'histogram_count');
  if (!counts) return rule.signal;
  return labels !== undefined && saysFailure(labels) ? 'errors' : 'traffic';
}

const codeLabels = [
  'code', 'status', 'status_code', 'response_code', 'http_status_code', 'http_response_status_code',
  'envoy_response_code', 'envoy_response_code_class', 'grpc_code', 'grpc_response_status',
  'grpc_status', 'outcome', 'result',
];
const failureCode = new RegExp(
  '^(5(\\d\\d|xx)?|error|errors|failed|failure|fail|timeout|server_error|internal|unavailable|' +
  'deadline_?exceeded|data_?loss|resource_?exhausted|aborted|unknown|4|8|10|13|14|15)$', 'i',
);
/** Envoy writes the first digit of an HTTP code, gRPC numbers that stand for other things. */
const grpcNumber = /^(4|8|10|13|14|15|unknown)$/i;

/** Whether labels say that what is counted went wrong on the answering side. */
function saysFailure(labels: Readonly<Record<string, string>>): boolean {
  return codeLabels.some((label) => {
    const value = labels[label];
    if (value === undefined || !failureCode.test(value)) return false;
    return !grpcNumber.test(value) || label.startsWith('grpc');
  });
}
