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
  [new RegExp('\\bx509\\b|certificate (?:has expired|is not|verify failed|signed by unknown)|' +
    'CERT_HAS_EXPIRED|PKIX path', 'i'),
  'A certificate is rejected'],
  [/(?:authentication|login) failed|access denied for user|invalid (?:credentials|password|token)/i,
    'Its credentials are rejected'],
  // As PostgreSQL, MySQL and Redis refuse them, and pools: HikariCP, DBCP, SQLAlchemy, pg, knex.
  [new RegExp('too many (?:clients|connections)|max number of clients reached|connection slots|' +
    'connection pool .{0,80}(?:exhausted|timeout)|connection is not available, request timed out|' +
    'timeout (?:waiting for (?:connection from pool|idle object)|acquiring a connection)|' +
    'QueuePool limit of size|timeout exceeded when trying to connect|' +
    'could not get a resource from the pool', 'i'),
  'All connections are in use'],
  [/read-only transaction|can't write against a read only|--read-only option so it cannot/i,
    'The database takes no writes'],
  [/deadlock (?:detected|found)|lock wait timeout|could not obtain lock|database is locked/i,
    'Transactions block each other'],
  [/too many requests|rate limit exceeded|ThrottlingException|\bRESOURCE_EXHAUSTED\b/i,
    'A service that it calls limits its requests'],
  [new RegExp('no such host|name or service not known|temporary failure in name resolution|' +
    'could not (?:be )?resolved?|UnknownHostException|\\b(?:ENOTFOUND|EAI_AGAIN)\\b', 'i'),
  'A host name cannot be resolved'],
  [new RegExp('connection (?:refused|timed out|reset)|could not connect|no route to host|' +
    'network is unreachable|\\b(?:ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH)\\b', 'i'),
  'Something it depends on does not answer'],
  [/context deadline exceeded|\bDEADLINE_EXCEEDED\b|i\/o timeout|\bread timed out/i,
    'Something it depends on answers too slowly'],
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
