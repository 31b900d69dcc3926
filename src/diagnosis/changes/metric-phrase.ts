import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { shownText } from '../../report/shown-text.ts';
import type { ChangeCandidate } from '../../statistics/change-candidate.ts';
import { metricWords } from '../../statistics/names/metric-words.ts';

/** Endings that say how a metric is stored, not what it measures. */
const endings: ReadonlySet<string> = new Set([
  'total', 'bucket', 'sum', 'count', 'seconds', 'milliseconds', 'microseconds', 'nanoseconds',
  'bytes', 'percent', 'celsius',
]);

/** Endings dropped for all but counters, since the values are shown with that unit. */
const unitEndings: ReadonlySet<string> = new Set([
  'minutes', 'hours', 'days', 'ms', 'us', 'ns', 'msec', 'usec', 'millis', 'sec', 'secs', 'kb', 'mb',
  'gb', 'kib', 'mib', 'gib', 'mi', 'gi', 'octets', 'percentage', 'pct', 'cores', 'millicores',
]);

const timeEnding = /seconds$|^(?:minutes|hours|days|[mun]s|[mu]sec|millis|secs?)$/u;

/** Words that already imply a time, so that `time` is not added to the name. */
const timeWords: ReadonlySet<string> = new Set([
  'duration', 'latency', 'time', 'wait', 'delay', 'lag', 'age', 'uptime', 'cpu', 'offset', 'skew',
  'pause', 'timeout', 'interval', 'period', 'throttled', 'waiting', 'stalled',
]);

/** What is observed of each request; dropped from the name of a count. */
const observedWords: ReadonlySet<string> = new Set([
  'duration', 'latency', 'time', 'wait', 'delay', 'size', 'length', 'handling',
]);

/** Things that are counted, shown in the plural. */
const countedWords: ReadonlySet<string> = new Set([
  'request', 'response', 'call', 'query', 'message', 'connection', 'error', 'drop', 'job', 'task',
  'pause', 'fsync', 'commit', 'relist', 'operation', 'restart', 'read', 'write', 'retry',
]);

/** Prefixes that name the program a metric comes from; dropped where enough follows. */
const exporters: ReadonlySet<string> = new Set(['kube', 'process', 'node', 'kubelet']);

/** Words as people say them; those mapped to nothing are dropped. */
const plainWords: ReadonlyMap<string, string> = new Map([
  ['avail', 'available'], ['mem', ''], ['stat', ''], ['stats', ''], ['status', ''], ['cfs', ''],
  ['vmstat', ''], ['nf', ''], ['fds', 'file descriptors'], ['filefd', 'file descriptors'],
  ['procs', 'processes'], ['pgmajfault', 'major page faults'], ['pgfault', 'page faults'],
  ['timex', 'clock'], ['sockstat', 'sockets'], ['fs', 'filesystem'], ['errs', 'errors'],
  ['hpa', 'autoscaler'], ['horizontalpodautoscaler', 'autoscaler'], ['rq', 'request'],
  ['ip', 'IP'], ['intr', 'interrupts'], ['cpu', 'CPU'], ['io', 'I/O'], ['gc', 'GC'],
  ['tcp', 'TCP'], ['udp', 'UDP'], ['dns', 'DNS'],
  ['http', 'HTTP'], ['jvm', 'JVM'], ['grpc', 'gRPC'], ['rpc', 'RPC'], ['wal', 'WAL'],
  ['consumergroup', 'consumer group'], ['eventloop', 'event loop'],
]);

/** Labels that say what a series measures, always shown; most by their values alone. */
const distinctiveOnes: readonly (readonly [label: string, said: string])[] = [
  ['code', 'code '], ['status', 'status '], ['status_code', 'status '], ['response_code', 'code '],
  ['grpc_code', ''], ['rcode', ''], ['mode', ''], ['condition', ''], ['phase', ''], ['state', ''],
  ['reason', ''], ['device', ''], ['mountpoint', ''],
];
const distinctiveMax = 2;
/** With those that distinguish a series from others of its metric. */
const shownMax = 3;

/**
 * What a series measures, as words: `mean HTTP request duration`, `HTTP requests (code 500)`,
 * `container restarts`. Without the component's own name and without the unit.
 */
export function metricPhrase(candidate: ChangeCandidate): string {
  const { kind, labels = {}, made } = candidate;
  const quantile = kind === 'summary_quantile' ? Number(labelOf(labels, 'quantile')) : Number.NaN;
  // Redis counts its quantiles in percent.
  const percent = quantile > 1 ? quantile : quantile * 100;
  const part = Number.isFinite(percent) ? ` p${Number(percent.toPrecision(4))}` : '';
  const usual = distinctiveIn(labels);
  const others = (candidate.apart ?? [])
    .filter((label) => !usual.some(([name]) => name === label))
    .map((label) => [label, `${shownText(label.replaceAll('_', ' '), 30)} `] as const);
  const distinctive = [...usual.slice(0, distinctiveMax), ...others]
    .slice(0, shownMax)
    .map(([label, prefix]) => `${prefix}${shownText(labelOf(labels, label) ?? '', 40)}`);
  const words = metricName(candidate) ?? 'a series';
  const name = made === 'mean' ? `mean ${words}` : words;
  return `${name}${part}${distinctive.length === 0 ? '' : ` (${distinctive.join(', ')})`}`;
}

/** The labels that say what a series measures: `code 500, read`; empty if there are none. */
export function distinctiveText(labels: LabelSet): string {
  return distinctiveIn(labels).slice(0, distinctiveMax)
    .map(([label, prefix]) => `${prefix}${shownText(labelOf(labels, label) ?? '', 40)}`).join(', ');
}

function distinctiveIn(labels: LabelSet): typeof distinctiveOnes {
  return distinctiveOnes.filter(([label]) => (labelOf(labels, label) ?? '') !== '');
}

type Named = Pick<ChangeCandidate, 'metric' | 'component' | 'kind' | 'made'>;

/** A metric's name as words, without those of its component and its unit; null if none is left. */
export function metricName(candidate: Named): string | null {
  // The level of a recording, `level:metric:operations`, is the component or in the labels.
  const [, metric = candidate.metric, operations = ''] =
    /^\w+:(\w+):(\w+)$/u.exec(candidate.metric) ?? [];
  const done = operations === '' ? [] : metricWords(operations).split('_');
  const words = [...measuredWords({ ...candidate, metric }), ...done];
  const shown = words.map((word) => plainWords.get(word) ?? word).filter((word) => word !== '');
  // `memory_MemFree` says it twice.
  const mem = words.indexOf('mem');
  if (mem >= 0 && !shown.includes('memory')) shown.splice(Math.min(mem, shown.length), 0, 'memory');
  return shownText((shown.length === 0 ? words : shown).join(' '), 120) || null;
}

/** What the values are: a number of things, a time, or what the name says. */
function measuredWords({ metric, component, kind, made }: Named): readonly string[] {
  const named = distinctiveWords(metric, component);
  const words = withoutEndings(named, (word) =>
    endings.has(word) || (kind !== 'counter' && unitEndings.has(word)));
  if (kind === 'histogram_count') {
    const things = withoutEndings(words, (word) => observedWords.has(word));
    const last = things.at(-1) ?? '';
    return countedWords.has(last) || last.endsWith('s') ? inPlural(things) : [...things, 'rate'];
  }
  if (kind === 'counter') return inPlural(words);
  const isTime = named.slice(words.length).some((word) => timeEnding.test(word));
  if (!isTime || words.some((word) => timeWords.has(word))) return words;
  const single = (words.at(-1) ?? '').replace(/s$/u, '');
  const isOfOne = made !== undefined && countedWords.has(single);
  return [...(isOfOne ? [...words.slice(0, -1), single] : words), 'time'];
}

/** The words of a name without those of its component and of the program that it comes from. */
function distinctiveWords(metric: string, component: string): readonly string[] {
  const parts = metricWords(metric).replace(/^mysql_global_(?:status|variables)_/u, 'mysql_')
    .split('_').filter((part) => part !== '');
  const own = metricWords(component).split('_');
  const isOwn = own.length < parts.length && own.every((word, index) => parts[index] === word);
  const words = isOwn ? parts.slice(own.length) : parts;
  return words.length > 2 && exporters.has(words[0] ?? '') ? words.slice(1) : words;
}

/** At least one word is left. */
function withoutEndings(
  words: readonly string[],
  isEnding: (word: string) => boolean,
): readonly string[] {
  const last = words.findLastIndex((word) => !isEnding(word));
  return words.slice(0, Math.max(1, last + 1));
}

/** The last word in the plural, if it is a thing that is counted. */
function inPlural(words: readonly string[]): readonly string[] {
  const last = words.at(-1) ?? '';
  return countedWords.has(last) ? [...words.slice(0, -1), plural(last)] : words;
}

/** `queries`, `statuses`, `pods`. */
export function plural(word: string): string {
  if (/[^aeiou]y$/u.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/u.test(word) ? `${word}es` : `${word}s`;
}
