import { isWithinJsonLimits } from '../../lib/json-limits.ts';

type Fields = ReadonlyMap<string, string>;

/** Objects within one another that are looked into: `error.message`, `attr.error.errmsg`. */
const depthMax = 3;
/** A line has no more; its message stands among the first. */
const pairsMax = 64;
/** Units of a value that was cut off; a trace in it names its exception before. */
const unescapedMax = 600;

const quoted = '"([^"\\\\]*(?:\\\\.[^"\\\\]*)*)"?';
const pair = new RegExp(`(?<![\\w.@-])([\\w.@-]{1,40})=(?:${quoted}|([^\\s"]*))`, 'g');
const member = new RegExp(`"([^"\\\\]{1,40})"\\s*:\\s*(?:${quoted}|(-?\\d+))`, 'g');

/**
 * The fields of a line that is made of them, with names in lower case: of a JSON object, also of
 * one that was cut off, or of logfmt. Null where it is neither.
 */
export function logFieldsOf(text: string): Fields | null {
  if (text.startsWith('{')) return jsonFields(text);
  return /^[\w.@-]{1,40}=/.test(text) && / [\w.@-]{1,40}=/.test(text) ? pairsIn(text) : null;
}

/** `key=value` and `key="a value"`, wherever they stand. */
export function pairsIn(text: string): Fields {
  const fields = new Map<string, string>();
  let count = 0;
  for (const [, key = '', inQuotes, bare = ''] of text.matchAll(pair)) {
    count += 1;
    if (count > pairsMax) break;
    setFirst(fields, key, inQuotes === undefined ? bare : unescaped(inQuotes));
  }
  return fields;
}

function jsonFields(text: string): Fields | null {
  const fields = new Map<string, string>();
  const whole = parsed(text);
  if (whole !== null) {
    collect(fields, whole, { prefix: '', depth: 0 });
  } else if (/^\{\s*"/.test(text)) {
    // Cut off in most cases: what was whole before is read.
    for (const [, key = '', inQuotes, number = ''] of text.matchAll(member)) {
      setFirst(fields, key, inQuotes === undefined ? number : unescaped(inQuotes));
    }
  }
  return fields.size === 0 ? null : fields;
}

function parsed(text: string): unknown {
  if (!text.endsWith('}') || !isWithinJsonLimits(text)) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function collect(
  fields: Map<string, string>,
  value: unknown,
  { prefix, depth }: { readonly prefix: string; readonly depth: number },
): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    const name = prefix + key;
    if (typeof inner === 'object' && depth < depthMax) {
      collect(fields, inner, { prefix: `${name}.`, depth: depth + 1 });
    } else if (typeof inner === 'string' || typeof inner === 'number') {
      setFirst(fields, name, String(inner));
    }
  }
}

function setFirst(fields: Map<string, string>, key: string, value: string): void {
  const name = (key.startsWith('@') ? key.slice(1) : key).toLowerCase();
  if (!fields.has(name)) fields.set(name, value);
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.slice(0, unescapedMax).replaceAll('\\\\', '\u0000').replaceAll('\\"', '"')
    .replaceAll('\\t', '\t').replace(/\\[nr]/g, '\n').replaceAll('\u0000', '\\');
}
