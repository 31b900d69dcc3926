import type { Statement } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { isOnTargets, targetName } from '../scraped-targets.ts';
import type { Situation } from '../situation.ts';

/** Why the targets of an alert cannot be scraped, by what Prometheus says of its last scrapes. */
export interface ScrapeError {
  readonly cause: string;
  /** Ids of the family's causes that it says again or excludes. */
  readonly decided: ReadonlySet<string>;
  /** Ids of those that may be behind it, which its suddenness does not rule out. */
  readonly open: ReadonlySet<string>;
  readonly statement: Statement;
}

interface Meaning {
  readonly error: RegExp;
  readonly cause: string;
  /** Causes of the family of targets that are down which may be behind it. */
  readonly open: readonly string[];
}

const gone = ['node-not-ready', 'stale-discovery'];

/** The first match decides. */
const meanings: readonly Meaning[] = [
  { error: /connection refused/u, open: [...gone, 'wrong-port'],
    cause: 'Nothing listens at its address: the connection is refused' },
  { error: /no such host|server misbehaving/u, open: gone,
    cause: 'The name of the target does not resolve' },
  { error: /no route to host|(?:network|host) is (?:unreachable|down)/u,
    open: [...gone, 'host-down'],
    cause: 'No network path leads to the target' },
  { error: /deadline exceeded|i\/o timeout|Client\.Timeout/u,
    open: [...gone, 'host-down', 'scrape-timeout'],
    cause: 'The target does not answer within the timeout of the scrape' },
  { error: /x509|\btls:|certificate|HTTP response to HTTPS client/u, open: [],
    cause: 'The TLS connection to the target fails' },
  { error: /HTTP status (?:401|403|407)/u, open: [],
    cause: 'The target denies access to its metrics' },
  { error: /HTTP status 404/u, open: ['wrong-port'],
    cause: 'There are no metrics at the path that is scraped' },
  { error: /HTTP status \d+/u, open: ['wrong-port'],
    cause: 'The target answers with an error instead of metrics' },
  { error: /(?:sample|label|body size)\w* limit/u, open: [],
    cause: 'The target returns more than a limit of its scrape job allows' },
  { error: /connection reset|\bEOF\b|broken pipe|malformed HTTP/u,
    open: ['process-down', 'wrong-port'],
    cause: 'The target closes the connection without an answer' },
  { error: /start token|expected .*, got|strconv\.|UTF-8|[Cc]ontent-?[Tt]ype|data after|no token/u,
    open: ['wrong-port'],
    cause: 'What the target returns is not in the format of metrics' },
];

/**
 * Null for an alert that is not on targets, and where most of those that are down have no error in
 * common.
 */
export function scrapeErrorOf(situation: Situation): ScrapeError | null {
  const { evidence: { metrics }, knowledge } = situation;
  const failed = metrics?.scrape?.failed ?? null;
  if (failed === null || !isOnTargets(situation)) return null;
  const counted = meanings.map((meaning) => ({
    ...meaning, scrapes: failed.scrapes.filter(({ error }) =>
      meanings.find((each) => each.error.test(error)) === meaning),
  }));
  const most = counted.reduce((a, b) => (b.scrapes.length > a.scrapes.length ? b : a));
  const { cause, open, scrapes } = most;
  const [first] = scrapes;
  if (first === undefined || scrapes.length * 2 <= failed.scrapes.length) return null;
  const name = targetName(first.labels);
  const who = failed.scrapes.length === 1 ? name
    : `${scrapes.length} of ${failed.scrapes.length} targets that are down, such as ${name}`;
  const text = `Prometheus says of its last scrape of ${who}: ${shownText(first.error, 200)}.`;
  const known = knowledge?.family.id === 'target-down' ? knowledge.causes : [];
  const decided = known.map(({ id }) => id).filter((id) => !open.includes(id));
  return {
    cause, decided: new Set(decided), open: new Set(open),
    statement: { text, evidence: [failed.evidence] },
  };
}
