import type { KnownCause } from './explanation.ts';

/**
 * What error messages of operating systems, runtimes and databases usually mean. The first match
 * decides, so patterns that name a cause come before those that only name a failure.
 */
const meanings: readonly (readonly [pattern: RegExp, meaning: string, isElsewhere?: true])[] = [
  [/no space left on device|disk quota exceeded|\bENOSPC\b|disk (?:is )?full/i,
    'A disk that it writes to is full'],
  [/unable to create (?:new )?native thread|failed to create new OS thread|pthread_create fail/i,
    'It can start no more threads'],
  [new RegExp('\\bout of memory\\b|OutOfMemoryError|cannot allocate memory|\\bENOMEM\\b|' +
    'heap limit|\\bMemoryError\\b|\\bbad_alloc\\b|memory size of \\d+ bytes exhausted', 'i'),
  'It runs out of memory'],
  [/too many open files|\bEMFILE\b/i, 'It has too many open files'],
  [/address already in use|port \d+ was already in use|\bEADDRINUSE\b/i,
    'Its port is already in use'],
  [new RegExp('\\bx509\\b|certificate (?:has expired|is not|verify failed|signed by unknown)|' +
    'bad certificate|CERT_HAS_EXPIRED|PKIX path', 'i'),
  'A certificate is rejected'],
  [new RegExp('(?:authentication|login) failed|access denied for user|' +
    'invalid (?:credentials|password|token)|\\bExpiredToken|\\binvalid_grant\\b', 'i'),
  'Its credentials are rejected'],
  // As PostgreSQL, MySQL and Redis refuse them, and pools: HikariCP, DBCP, SQLAlchemy, pg, knex.
  [new RegExp('too many (?:clients|connections)|max number of clients reached|connection slots|' +
    'connection pool .{0,80}(?:exhausted|timeout)|connection is not available, request timed out|' +
    'timeout (?:waiting for (?:connection from pool|idle object)|acquiring a connection)|' +
    'QueuePool limit of size|timeout exceeded when trying to connect|' +
    'could not get a resource from the pool', 'i'),
  'All connections are in use'],
  // As PostgreSQL, Redis (three times), MySQL and etcd refuse them.
  [new RegExp('read-only transaction|can\'t write against a read only|' +
    'OOM command not allowed when used memory|MISCONF Redis|--read-only option so it cannot|' +
    'mvcc: database space exceeded', 'i'),
  'The database takes no writes'],
  [/deadlock (?:detected|found)|lock wait timeout|could not obtain lock|database is locked/i,
    'Transactions block each other'],
  [/too many requests|rate limit exceeded|ThrottlingException|\bRESOURCE_EXHAUSTED\b/i,
    'A service that it calls limits its requests'],
  [new RegExp('no such host|name or service not known|temporary failure in name resolution|' +
    'could not (?:be )?resolved?|can\'t resolve \'|bad address \'|host not found in upstream|' +
    '\\blookup \\S{1,253} on \\S{1,60}: .{0,100}(?:i/o timeout|server misbehaving)|' +
    'UnknownHostException|\\b(?:ENOTFOUND|EAI_AGAIN)\\b', 'i'),
  'A host name cannot be resolved'],
  [new RegExp('connection (?:to \\S{1,253} )?(?:refused|timed out|reset)|could not connect|' +
    'can\'t connect to|connection to .{1,100} could not be established|no route to host|' +
    'communications link failure|no live upstreams|rpc error: code = Unavailable|TNS:no listener|' +
    'network is unreachable|\\b(?:ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH)\\b', 'i'),
  'Something it depends on does not answer', true],
  [/context deadline exceeded|\bDEADLINE_EXCEEDED\b|i\/o timeout|\bread timed out/i,
    'Something it depends on answers too slowly', true],
  [/read-only file system|\bEROFS\b/i, 'A file system that it writes to is read-only'],
  [new RegExp('permission denied|operation not permitted|\\bE(?:ACCES|PERM)\\b|' +
    '\\bAccessDenied\\b|is not authorized to perform|is forbidden: user ', 'i'),
  'It lacks a permission that it needs'],
  [/exec format error/i,
    'Its program is built for another processor, or is a script without an interpreter'],
  [/no such table|(?:relation|column|table) .{1,80} does(?:n't| not) exist|unknown column/i,
    'The database does not have the schema that it expects'],
  [new RegExp('(?:missing|required|invalid|unknown|undefined).{0,40}' +
    '\\b(?:env(?:ironment)?|config(?:uration)?|settings?)\\b|' +
    '\\b(?:env(?:ironment)?|config(?:uration)?|settings?)\\b.{0,40}' +
    '(?:missing|required|invalid|unknown|undefined|not set)|unknown flag|unrecognized option|' +
    'required key \\S{1,80} missing|ImproperlyConfigured|failed to configure a |' +
    '\\byaml: (?:line|unmarshal)', 'i'),
  'Its configuration is not valid'],
  [/no such file or directory|\bENOENT\b|cannot find module|ModuleNotFoundError|ClassNotFound/i,
    'A file or module that it needs is missing'],
  [new RegExp('nil pointer|null ?pointer|segmentation fault|\\bSIGSEGV\\b|' +
    'index out of (?:range|bounds)|entry in nil map|concurrent map |' +
    'cannot read propert(?:y|ies) of (?:undefined|null)|\'NoneType\' object ', 'i'),
  'Its program has a bug'],
];

/** More of a line than this is not searched: it bounds the time that the patterns take. */
const lengthMax = 500;

/** What the line means, as the beginning of a sentence; null where that is not clear. */
export function logMeaning(line: string): string | null {
  return meaningOf(line)?.[1] ?? null;
}

function meaningOf(line: string): (typeof meanings)[number] | undefined {
  const text = line.slice(0, lengthMax);
  return meanings.find(([pattern]) => pattern.test(text));
}

/** Who logged a line, as the beginning of a clause, and the line as it is quoted. */
interface Logged {
  readonly who: string;
  /** The beginning of a clause: `the log of cart-1 says`. */
  readonly reporter: string;
  readonly quoted: string;
}

/** "Its program has a bug, as the log of cart-1 says: …", or "What the log of cart-1 says: …" */
export function loggedCause(line: string, { who, reporter, quoted }: Logged): KnownCause {
  const [, meaning, isElsewhere = false] = meaningOf(line) ?? [];
  const cause = meaning === undefined ? `What ${reporter}: ${quoted}`
    : `${meaning}, as ${reporter}: ${quoted}`;
  // The log's owner is not what it depends on.
  return isElsewhere ? { kind: 'dependency', cause } : { kind: 'log', about: [who], cause };
}
