import { quotientIn } from '../evidence/rule/divisor.ts';
import { readExpression, type ReadComparison } from '../evidence/rule/rule-expression.ts';
import { timeDifferenceIn } from '../evidence/rule/time-difference.ts';
import { isWord } from '../lib/promql/promql-tokens.ts';
import {
  allParts, parsePromql, selectorsIn, type Node, type Selector,
} from '../lib/promql/promql-tree.ts';
import { classifyMetric } from '../statistics/names/metric-class.ts';
import type { Signal } from '../statistics/names/metric-rule.ts';
import { metricWords, words } from '../statistics/names/metric-words.ts';
import { generalFamilies as general } from './families/general.ts';
import { targetDown } from './families/targets-and-probes.ts';
import type { Family } from './family.ts';

/** What a rule compares, as far as its form and the names in it tell. */
interface Form {
  readonly compared: string;
  readonly tree: Node;
  /** Which values fire. */
  readonly fires: 'high' | 'low' | 'equal' | 'unequal';
  readonly threshold: number | null;
  readonly unit: string | null;
  readonly functions: readonly string[];
  /** What is measured: of a quotient, its dividend. */
  readonly measured: readonly Selector[];
  readonly isShare: boolean;
  /** It is about what lacks another series, as in `a unless b`. */
  readonly isWithout: boolean;
}

const free = words('free avail available remaining left headroom unused');
const succeeding = words('success successes successful succeeded apdex availability hits? ok');
const sinceLast = words('staleness last_\\w*age since_last seconds_since time_since');
const due = words('expir(y|es|ation|ing) not_after days_left days_remaining validity');
const waits = words('queue queues queued pending waiting waiters wait waits lag backlog depth ' +
  'behind unacked unacknowledged blocked oldest delay');
const cpuTime = words('cpu_seconds cpu_time cpu_usage node_cpu');
const resources = words('cpu mem memory heap usage used util utili[sz]ation load');
const removed = words('evict\\w*');
/** The part of a device's life that is over is no room that is in use. */
const wearing = words('nvme smart\\w* wear\\w* endurance');
const pastNames = words('stddev\\w* avg_over_time\\w* prediction baseline forecast');
const inPast = new Set(['stddev_over_time', 'stdvar_over_time', 'holt_winters',
  'double_exponential_smoothing', 'mad_over_time']);
const growing = new Set(['rate', 'irate', 'increase', 'delta', 'idelta', 'deriv', 'changes',
  'resets', 'predict_linear', 'histogram_quantile', 'count_over_time']);

/** The most telling first; the first that holds is taken. */
const forms: readonly (readonly [Family, (form: Form) => boolean])[] = [
  [general.unusual, isOfPast],
  [general.dueSoon, (form) => form.fires === 'low' &&
    (timeDifferenceIn(form.compared)?.isAhead === true || isNamed(form, due))],
  [general.overdue, (form) => form.fires === 'high' &&
    (timeDifferenceIn(form.compared)?.isAhead === false || isNamed(form, sinceLast))],
  [general.restarting, (form) => form.fires === 'high' && isGrowing(form) &&
    isAll(form, 'restarts')],
  [general.successLow, (form) => form.fires === 'low' && isRatio(form) &&
    isNamed(form, succeeding)],
  [general.failures, (form) => form.fires === 'high' && (isGrowing(form) || isRatio(form)) &&
    isAll(form, 'errors') && !isNamed(form, removed)],
  [general.nearlyUsedUp, isNearlyUsedUp],
  [general.operationSlow, (form) => form.fires === 'high' && isAll(form, 'latency') &&
    !isCounting(form)],
  [general.waiting, (form) => form.fires === 'high' && !form.isShare && !isGrowing(form) &&
    !form.isWithout && isNamed(form, waits) && !isAll(form, 'state')],
  [general.useHigh, (form) => form.fires === 'high' && isAll(form, 'utilization') &&
    !isNamed(form, wearing) &&
    (isGrowing(form) ? isNamed(form, cpuTime)
      : isRatio(form) || isNamed(form, resources))],
  [targetDown, ({ fires, measured }) => fires !== 'high' &&
    measured.every(({ metric }) => metric === 'up')],
  [general.tooFew, (form) => form.fires === 'low' &&
    (isRatio(form) ? isAll(form, 'state') : form.functions.includes('count'))],
  [general.wrongState, isState],
];

/**
 * The general family of a rule on what no other family knows, by what its PromQL compares; null if
 * that leaves it open.
 */
export function familyByForm(expression: string): Family | null {
  const { comparison } = readExpression(expression);
  const tree = comparison === null ? null : parsePromql(comparison.compared);
  if (comparison === null || tree === null) return null;
  const form = formOf(expression, comparison, tree);
  if (form.measured.length === 0) return null;
  return forms.find(([, holds]) => holds(form))?.[0] ?? null;
}

function formOf(
  expression: string,
  { compared, operator, threshold, unit }: ReadComparison,
  tree: Node,
): Form {
  const quotient = quotientIn(tree);
  const fires = operator.startsWith('>') ? 'high' : operator.startsWith('<') ? 'low'
    : operator === '==' ? 'equal' : 'unequal';
  return {
    compared, tree, fires, threshold, unit,
    functions: allParts(tree).flatMap((part) => part.kind === 'call' ? [part.name] : []),
    measured: selectorsIn(quotient?.left ?? tree).filter(({ metric }) => metric !== null),
    isShare: quotient !== null,
    isWithout: parsePromql(expression)?.tokens().some((token) => isWord(token, 'unless')) === true,
  };
}

/** It compares a metric with its own past. */
function isOfPast({ functions, tree }: Form): boolean {
  const quotient = quotientIn(tree);
  return functions.some((name) => inPast.has(name)) ||
    selectorsIn(tree).some(({ metric }) => pastNames.test(metricWords(metric ?? ''))) ||
    (quotient !== null && quotient.right.tokens().some((token) => isWord(token, 'offset')));
}

function isAll({ measured }: Form, signal: Signal): boolean {
  return measured.every((each) => signalOf(each) === signal);
}

function signalOf({ metric, matchers }: Selector): Signal {
  const equal = matchers.filter(({ sign }) => sign === '=');
  const labels = Object.fromEntries(equal.map(({ label, value }) => [label, value]));
  return classifyMetric(metric ?? '', { labels }).signal;
}

function isNamed({ measured }: Form, pattern: RegExp): boolean {
  return measured.every(({ metric }) => pattern.test(metricWords(metric ?? '')));
}

function isRatio({ isShare, unit }: Form): boolean {
  return isShare || unit === 'ratio' || unit === 'percent';
}

function isGrowing({ functions }: Form): boolean {
  return functions.some((name) => growing.has(name));
}

/** A number of durations is no duration. */
function isCounting({ functions }: Form): boolean {
  return functions.some((name) => ['changes', 'count', 'resets', 'count_over_time'].includes(name));
}

/** A level that is used, and no share of events. */
function isNearlyUsedUp(form: Form): boolean {
  const { fires, threshold, unit } = form;
  const isShareOfLimit = isRatio(form) && !isGrowing(form) &&
    threshold !== null && Math.abs(threshold) <= (unit === 'ratio' ? 1 : 100);
  if (!isShareOfLimit || isNamed(form, wearing)) return false;
  if (fires === 'low') return isNamed(form, free) && !isAll(form, 'state');
  return fires === 'high' && !isNamed(form, free) &&
    (isAll(form, 'utilization') || isAll(form, 'saturation'));
}

/** A value that is a state by what it is compared with, read as it is. */
function isState(form: Form): boolean {
  const { functions, measured: [first, ...others], threshold, fires, isShare, unit } = form;
  if (first === undefined || others.length > 0 || isShare || form.isWithout) return false;
  if (unit !== null && unit !== 'state' && unit !== 'count') return false;
  if (isGrowing(form) || functions.includes('count')) return false;
  const { kind, signal } = classifyMetric(first.metric ?? '');
  if (signal === 'traffic' || kind === 'counter') return false;
  // That something succeeds is a condition of what else the rule asks.
  if (threshold === 1 && fires === 'equal' && isNamed(form, succeeding)) return false;
  if (kind === 'state') return true;
  if (fires === 'high') return threshold === 0;
  return threshold === 1 || (threshold === 0 && fires !== 'low');
}
