type Fields = ReadonlyMap<string, string>;
type Entry = readonly [name: string, value: string];

/** Nesting of objects that is read: `error.message`, `attr.error.errmsg`. */
const depthMax = 3;

const quoted = '"([^"\\\\]*(?:\\\\.[^"\\\\]*)*)"?';
const pair = new RegExp(`(?<![\\w.@-])([\\w.@-]{1,40})=(?:${quoted}|([^\\s"]*))`, 'g');
const member = new RegExp(`"([^"\\\\]{1,40})"\\s*:\\s*(?:${quoted}|(-?\\d+))`, 'g');

/** As written by klog: `"Error syncing pod" err="…" pod="…"`. */
const beforePairs = /^"((?:[^"\\]|\\.)*)"(?= [\w.-]+=|$)/;
/** As written by zap: `Reconciler error {"error": "…"}`. */
const beforeObject = /^(.*?\S)\s+(?=\{")/;

/**
 * The fields of a structured log entry, with names in lower case: of a JSON object, even if it was
 * cut off, or of logfmt. Text before the fields becomes `msg`. Null if there are no fields.
 */
export function logFieldsOf(text: string): Fields | null {
  if (text.startsWith('{')) return jsonFields(text);
  if (/^[\w.@-]{1,40}=/.test(text) && / [\w.@-]{1,40}=/.test(text)) return fieldsIn(text, pair);
  const [line = ''] = text.split('\n', 1);
  const start = beforePairs.exec(line) ?? (line.endsWith('}') ? beforeObject.exec(line) : null);
  const [before = '', message = ''] = start ?? [];
  if (message === '') return null;
  const rest = line.slice(before.length);
  const fields = rest.startsWith('{') ? jsonFields(rest) : fieldsIn(rest, pair);
  return new Map([['msg', message], ...fields ?? []]);
}

function jsonFields(text: string): Fields | null {
  if (!/^\{\s*"/.test(text)) return null;
  const whole = text.endsWith('}') ? parsed(text) : null;
  // Usually it was cut off: the complete members are read.
  const fields = whole === null ? fieldsIn(text, member) : fieldsOf(membersOf(whole));
  return fields.size === 0 ? null : fields;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function* membersOf(value: unknown, path: readonly string[] = []): Iterable<Entry> {
  if (typeof value === 'string' || typeof value === 'number') {
    yield [path.join('.'), String(value)];
  } else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    if (path.length > depthMax) return;
    for (const [name, inner] of Object.entries(value)) yield* membersOf(inner, [...path, name]);
  }
}

function fieldsIn(text: string, form: RegExp): Fields {
  return fieldsOf(Array.from(text.matchAll(form), ([, name = '', inQuotes, bare = '']) =>
    [name, inQuotes === undefined ? bare : unescaped(inQuotes)]));
}

/** The first of each name counts. */
function fieldsOf(entries: Iterable<Entry>): Fields {
  const fields = new Map<string, string>();
  for (const [name, value] of entries) {
    const key = name.toLowerCase();
    if (!fields.has(key)) fields.set(key, value);
  }
  return fields;
}

const signs: Readonly<Record<string, string>> = { n: '\n', r: '\n', t: '\t' };

function unescaped(text: string): string {
  return text.replace(/\\([^u])/gs, (_, sign: string) => signs[sign] ?? sign);
}
