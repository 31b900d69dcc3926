import type { LabelSet } from '../../alert/labels.ts';
import { kindOf, type MetricContext, type MetricKind } from './metric-kind.ts';
import type { Rule, Side, Signal } from './metric-rule.ts';
import { signalRules } from './metric-rules.ts';
import { unitOf } from './metric-unit.ts';
import { metricWords } from './metric-words.ts';

/** What a metric is, and what it says about its component. */
export interface MetricClass {
  readonly kind: MetricKind;
  readonly signal: Signal;
  /** `external`: what callers see of a component; `internal`: its own resources and state. */
  readonly side: Side;
  /** Unit of the stored values, a word that `formatQuantity` knows; null when unknown. */
  readonly unit: string | null;
}

/**
 * Classifies a metric by its name, and its labels where they matter. The first matching rule wins;
 * a name that matches none is an internal gauge.
 */
export function classifyMetric(name: string, context: MetricContext = {}): MetricClass {
  const plain = metricWords(name);
  const rule = signalRules.find(({ match, unless }) =>
    match.test(plain) && unless?.test(plain) !== true) ?? unknown;
  const kind = kindOf(name, plain, { ...context, rule });
  const unit = unitOf(plain, kind);
  const signal = signalOf(rule, { kind, plain, labels: context.labels });
  return { kind, signal, side: rule.side ?? sideBySignal[signal], unit };
}

const unknown: Rule = { match: /$/, signal: 'other', side: 'internal' };

const sideBySignal: Readonly<Record<Signal, Side>> = {
  traffic: 'external', errors: 'external', latency: 'external', saturation: 'internal',
  utilization: 'internal', restarts: 'internal', state: 'internal', config: 'internal',
  other: 'internal', skip: 'skip',
};

interface Named {
  readonly kind: MetricKind;
  readonly plain: string;
  readonly labels: LabelSet | undefined;
}

/** A histogram's count is traffic, whatever it observes, or errors if its labels say so. */
function signalOf(rule: Rule, { kind, plain, labels }: Named): Signal {
  const isExternal = (rule.side ?? sideBySignal[rule.signal]) === 'external';
  if (!isExternal) return rule.signal;
  const isObserved = kind === 'histogram_bucket' || kind === 'histogram_sum';
  if (isObserved && rule.signal === 'traffic' && /seconds/.test(plain)) return 'latency';
  const counts = rule.signal === 'traffic' ||
    (rule.signal === 'latency' && kind === 'histogram_count');
  if (!counts) return rule.signal;
  return labels !== undefined && namesFailure(labels) ? 'errors' : 'traffic';
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
/** gRPC status numbers; in an Envoy code class, `4` is the first digit of an HTTP status. */
const grpcNumber = /^(4|8|10|13|14|15|unknown)$/i;

/** Whether labels say that the counted requests failed on the server's side. */
function namesFailure(labels: LabelSet): boolean {
  return codeLabels.some((label) => {
    const value = labels[label];
    if (value === undefined || !failureCode.test(value)) return false;
    return !grpcNumber.test(value) || label.startsWith('grpc');
  });
}
