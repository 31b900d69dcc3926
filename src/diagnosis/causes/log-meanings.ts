/**
 * What error messages of operating systems, runtimes and databases usually mean. The first match
 * decides, so patterns that name a cause come before those that only name a failure.
 */
const meanings: readonly (readonly [pattern: RegExp, meaning: string])[] = [
  [/no space left on device|disk quota exceeded|\bENOSPC\b|disk (?:is )?full/i,
    'A disk that it writes to is full'],
  [/\bout of memory\b|OutOfMemoryError|cannot allocate memory|\bENOMEM\b|heap limit/i,
    'It runs out of memory'],
  [/too many open files|\bEMFILE\b/i, 'It has too many open files'],
  [/address already in use|\bEADDRINUSE\b/i, 'Its port is already in use'],
  [/\bx509\b|certificate (?:has expired|is not|verify failed|signed by unknown)|CERT_HAS_EXPIRED/i,
    'A certificate is rejected'],
  [/(?:authentication|login) failed|access denied for user|invalid (?:credentials|password|token)/i,
    'Its credentials are rejected'],
  [/too many (?:clients|connections)|connection slots|connection pool .*(?:exhausted|timeout)/i,
    'All connections are in use'],
  [new RegExp('connection (?:refused|timed out|reset)|could not connect|no route to host|' +
    'no such host|name or service not known|could not (?:be )?resolved?|network is unreachable|' +
    '\\b(?:ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)\\b', 'i'),
  'Something it depends on does not answer'],
  [/permission denied|operation not permitted|\bE(?:ACCES|PERM)\b|read-only file system/i,
    'It lacks a permission that it needs'],
  [/no such table|(?:relation|column|table) .{1,80} does(?:n't| not) exist|unknown column/i,
    'The database does not have the schema that it expects'],
  [new RegExp('(?:missing|required|invalid|unknown|undefined).{0,40}' +
    '\\b(?:env(?:ironment)?|config(?:uration)?|settings?)\\b|' +
    '\\b(?:env(?:ironment)?|config(?:uration)?|settings?)\\b.{0,40}' +
    '(?:missing|required|invalid|unknown|undefined|not set)|unknown flag|unrecognized option', 'i'),
  'Its configuration is not valid'],
  [/no such file or directory|\bENOENT\b|cannot find module|ModuleNotFoundError|ClassNotFound/i,
    'A file or module that it needs is missing'],
  [/nil pointer|null ?pointer|segmentation fault|\bSIGSEGV\b|index out of (?:range|bounds)/i,
    'Its program has a bug'],
];

/** More of a line than this is not searched: it bounds the time that the patterns take. */
const lengthMax = 500;

/** What the line means, as the beginning of a sentence; null where that is not clear. */
export function logMeaning(line: string): string | null {
  const text = line.slice(0, lengthMax);
  return meanings.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/** "Its program has a bug, as the log of cart-1 says: …", or "What the log of cart-1 says: …" */
export function saidCause(line: string, says: string, quoted: string): string {
  const meaning = logMeaning(line);
  return meaning === null ? `What ${says}: ${quoted}` : `${meaning}, as ${says}: ${quoted}`;
}
