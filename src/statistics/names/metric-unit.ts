import type { MetricKind } from './metric-kind.ts';
import { namedUnit } from './named-units.ts';

/** Words of metric names and the units they stand for. */
const unitWords: ReadonlyMap<string, string> = new Map([
  ['seconds', 'seconds'], ['second', 'seconds'], ['secs', 'seconds'], ['sec', 'seconds'],
  ['s', 'seconds'], ['milliseconds', 'milliseconds'], ['millis', 'milliseconds'],
  ['ms', 'milliseconds'], ['msec', 'milliseconds'], ['microseconds', 'microseconds'],
  ['us', 'microseconds'], ['usec', 'microseconds'], ['nanoseconds', 'nanoseconds'],
  ['ns', 'nanoseconds'], ['minutes', 'minutes'], ['hours', 'hours'], ['days', 'days'],
  ['bytes', 'bytes'], ['octets', 'bytes'], ['mi', 'mebibytes'], ['mib', 'mebibytes'],
  ['gi', 'gibibytes'], ['gib', 'gibibytes'], ['kib', 'kibibytes'], ['mb', 'megabytes'],
  ['gb', 'gigabytes'], ['kb', 'kilobytes'],
  ['kbytes', 'kibibytes'], ['bits', 'bits'], ['ratio', 'ratio'],
  ['percent', 'percent'], ['percentage', 'percent'], ['pct', 'percent'], ['celsius', 'celsius'],
  ['volts', 'volts'], ['watts', 'watts'], ['joules', 'joules'], ['amperes', 'amperes'],
  ['amps', 'amperes'], ['hertz', 'hertz'], ['hz', 'hertz'], ['rpm', 'per_minute'],
  ['millicores', 'millicores'], ['m', 'millicores'], ['cores', 'cores'], ['qps', 'per_second'],
  ['rps', 'per_second'], ['ops', 'per_second'], ['packets', 'count'], ['requests', 'count'],
]);

/** Words that may follow the unit at the end of a name. */
const endings: ReadonlySet<string> = new Set([
  'total', 'bucket', 'sum', 'count', 'max', 'min', 'avg', 'mean', 'average', 'p50', 'p75', 'p90',
  'p95', 'p99', 'p999', '50', '75', '90', '95', '99', 'current', 'used', 'free',
]);

/** The unit that a name, as words, gives its values; null when it gives none. */
export function unitOf(plain: string, kind: MetricKind): string | null {
  if (kind === 'timestamp') return 'seconds';
  if (kind === 'state' || kind === 'info') return null;
  // Buckets and counts of a histogram are numbers of observations, whatever was observed.
  if (kind === 'histogram_bucket' || kind === 'histogram_count') return 'count';
  if (/per_second$|_per_sec$/.test(plain)) return perSecond(plain);
  const known = statedUnit(plain);
  if (known !== null) return known;
  // `node_memory_MemFree_bytes` ends in its unit; `cpu_seconds_used_by_user` names it earlier.
  const inside = plain.split('_').slice(1)
    .findLast((part) => /^(bytes|seconds|milliseconds)$/.test(part));
  return inside ?? (kind === 'counter' ? 'count' : null);
}

/** The unit that a name ends in, or that the whole name is known for; else null. */
function statedUnit(plain: string): string | null {
  const parts = plain.split('_');
  while (parts.length > 1 && endings.has(parts.at(-1) ?? '')) parts.pop();
  // What a pod requests is measured in cores or bytes, by a label.
  if (parts.at(-1) === 'requests' && parts.at(-2) === 'resource') return null;
  return namedUnit(plain) ?? unitWords.get(parts.at(-1) ?? '') ?? null;
}

function perSecond(plain: string): string {
  const [amount = null] = /(?:(?:kilo|mega|giga|kibi|mebi|gibi)?bytes|(?:kilo|mega|giga)?bits)/u
    .exec(plain) ?? [];
  return amount === null ? 'per_second' : `${amount}_per_second`;
}
