import { labelOf } from '../../alert/labels.ts';
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
const tellingLabels: readonly (readonly [label: string, said: string])[] = [
  ['code', 'code '], ['status', 'status '], ['status_code', 'status '], ['response_code', 'code '],
  ['grpc_code', ''], ['rcode', ''], ['mode', ''], ['condition', ''], ['phase', ''], ['state', ''],
  ['reason', ''], ['device', ''], ['mountpoint', ''],
];
const tellingMax = 2;
/** With those that tell a series from others of its metric. */
const shownMax = 3;

/**
 * What a series measures, as words: `mean HTTP request duration`, `HTTP requests (code 500)`,
 * `container restarts`. Without the component's own name and without the unit.
 */
export function metricPhrase(candidate: ChangeCandidate): string {
  const { kind, labels = {}, made } = candidate;
  const quantile = kind === 'summary_quantile' ? Number(labelOf(labels, 'quantile')) : Number.NaN;
  const part = Number.isFinite(quantile) ? ` p${Number((quantile * 100).toPrecision(4))}` : '';
  const usual = tellingLabels.filter(([label]) => (labelOf(labels, label) ?? '') !== '');
  const others = (candidate.apart ?? [])
    .filter((label) => !usual.some(([name]) => name === label))
    .map((label) => [label, `${shownText(label.replaceAll('_', ' '), 30)} `] as const);
  const telling = [...usual.slice(0, tellingMax), ...others]
    .slice(0, shownMax)
    .map(([label, said]) => `${said}${shownText(labelOf(labels, label) ?? '', 40)}`);
  const name = made === 'mean' ? `mean ${nameAsWords(candidate)}` : nameAsWords(candidate);
  return `${name}${part}${telling.length === 0 ? '' : ` (${telling.join(', ')})`}`;
}

function nameAsWords(candidate: ChangeCandidate): string {
  const { kind, made } = candidate;
  const { words, isTime } = wordsOf(candidate);
  const isCounted = kind === 'histogram_count';
  if (isCounted) while (words.length > 1 && observedWords.has(words.at(-1) ?? '')) words.pop();
  const last = words.at(-1) ?? '';
  if (isCounted || kind === 'counter') {
    if (countedWords.has(last)) words.push(plural(words.pop() ?? ''));
    else if (isCounted && !last.endsWith('s')) words.push('rate');
  } else if (isTime && !words.some((word) => timeWords.has(word))) {
    const single = last.replace(/s$/u, '');
    if (made !== undefined && countedWords.has(single)) words.splice(-1, 1, single);
    words.push('time');
  }
  const said = words.map((word) => plainWords.get(word) ?? word).filter((word) => word !== '');
  // `memory_MemFree` says it twice.
  const mem = words.indexOf('mem');
  if (mem >= 0 && !said.includes('memory')) said.splice(Math.min(mem, said.length), 0, 'memory');
  return shownText((said.length === 0 ? words : said).join(' '), 120) || 'a series';
}

/** The telling words of the name, and whether its unit is one of time. */
function wordsOf(
  { metric, component, kind }: ChangeCandidate,
): { words: string[]; isTime: boolean } {
  const parts = metricWords(metric).replace(/^mysql_global_(?:status|variables)_/u, 'mysql_')
    .split('_').filter((part) => part !== '');
  const own = metricWords(component).split('_');
  const isOwn = own.length < parts.length && own.every((word, index) => parts[index] === word);
  const words = isOwn ? parts.slice(own.length) : parts;
  if (words.length > 2 && exporters.has(words[0] ?? '')) words.shift();
  let isTime = false;
  const isEnding = (word: string): boolean =>
    endings.has(word) || (kind !== 'counter' && unitEndings.has(word));
  while (words.length > 1 && isEnding(words.at(-1) ?? '')) {
    isTime = timeEnding.test(words.pop() ?? '') || isTime;
  }
  return { words, isTime };
}

/** `queries`, `statuses`, `pods`. */
export function plural(word: string): string {
  if (/[^aeiou]y$/u.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/u.test(word) ? `${word}es` : `${word}s`;
}
