/**
 * What a line of failure mostly means, in the words of operating systems, runtimes and databases;
 * the first that fits decides, so that what names its cause stands before what only failed.
 */
const meanings: readonly (readonly [pattern: RegExp, meaning: string])[] = [
  [/no space left on device|disk quota exceeded|\bENOSPC\b|disk (?:is )?full/i,
    'It has no room left on a disk'],
  [/\bout of memory\b|OutOfMemoryError|cannot allocate memory|\bENOMEM\b|heap limit/i,
    'It runs out of memory'],
  [/too many open files|\bEMFILE\b/i, 'It has too many files open'],
  [/address already in use|\bEADDRINUSE\b/i, 'Its port is taken'],
  [/\bx509\b|certificate (?:has expired|is not|verify failed|signed by unknown)|CERT_HAS_EXPIRED/i,
    'A certificate is not accepted'],
  [/(?:authentication|login) failed|access denied for user|invalid (?:credentials|password|token)/i,
    'What it logs in with is refused'],
  [/too many (?:clients|connections)|connection slots|connection pool .*(?:exhausted|timeout)/i,
    'There are no connections left'],
  [new RegExp('connection (?:refused|timed out|reset)|could not connect|no route to host|' +
    'no such host|name or service not known|could not (?:be )?resolved?|network is unreachable|' +
    '\\b(?:ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)\\b', 'i'),
  'Something it needs does not answer'],
  [/permission denied|operation not permitted|\bE(?:ACCES|PERM)\b|read-only file system/i,
    'It may not do what it has to'],
  [/no such table|(?:relation|column|table) .{1,80} does(?:n't| not) exist|unknown column/i,
    'The database has another schema than it expects'],
  [new RegExp('(?:missing|required|invalid|unknown|undefined).{0,40}' +
    '\\b(?:env(?:ironment)?|config(?:uration)?|settings?)\\b|' +
    '\\b(?:env(?:ironment)?|config(?:uration)?|settings?)\\b.{0,40}' +
    '(?:missing|required|invalid|unknown|undefined|not set)|unknown flag|unrecognized option', 'i'),
  'Its configuration is not valid'],
  [/no such file or directory|\bENOENT\b|cannot find module|ModuleNotFoundError|ClassNotFound/i,
    'A file or module it needs is missing'],
  [/nil pointer|null ?pointer|segmentation fault|\bSIGSEGV\b|index out of (?:range|bounds)/i,
    'Its program has a fault'],
];

/** Longer lines are no plainer; patterns take time in proportion to the length. */
const lengthMax = 500;

/** What it means, as the beginning of a sentence; null where that is not clear. */
export function logMeaning(line: string): string | null {
  const text = line.slice(0, lengthMax);
  return meanings.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/** "Its port is taken, as the log of cart-1 says: …", or "What the log of cart-1 says: …" */
export function saidCause(line: string, says: string, quoted: string): string {
  const meaning = logMeaning(line);
  return meaning === null ? `What ${says}: ${quoted}` : `${meaning}, as ${says}: ${quoted}`;
}
