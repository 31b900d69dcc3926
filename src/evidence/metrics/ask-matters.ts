import { longestRange } from '../rule/rule-expression.ts';
import type { KnownHistory } from './ask-history.ts';
import { askMoments, type OwnMoments } from './ask-own.ts';
import { askTests, testedAt, type AskedTest } from './cause-tests.ts';
import { askHistoryLength } from './history-length.ts';
import { askNode, type Node } from './node-hop.ts';
import { askPeerCounts, type PeerCounts } from './peers.ts';
import type { Question } from './question.ts';
import { askScrapeInterval, upSelector } from './scrape.ts';
import {
  askNames, askScopes, type NameCount, type Scope, type SearchScopes,
} from './search-scope.ts';
import { askTargets, type TargetsNow } from './targets-now.ts';

export interface ScopeNames {
  readonly scope: Scope;
  /** Null if they could not be counted. */
  readonly names: readonly NameCount[] | null;
}

/** The answers of instant queries, which decide what series to fetch and over which time. */
export interface Matters {
  /** What the rule compares; null if the rule is unknown. */
  readonly own: OwnMoments | null;
  /** What it is compared with; null for a rule on a number. */
  readonly limit: OwnMoments | null;
  /** Null where the answers hold all series, and where they could not be counted. */
  readonly peerCounts: PeerCounts | null;
  readonly up: string | null;
  readonly targets: TargetsNow | null;
  readonly scrapeSeconds: number | null;
  /** How far back the server has data, if less than usual; null otherwise. */
  readonly historyMs: number | null;
  readonly scopes: SearchScopes | null;
  readonly names: readonly ScopeNames[];
  readonly node: Node | null;
  readonly tests: readonly AskedTest[];
}

export async function askMatters(question: Question, history: KnownHistory): Promise<Matters> {
  const { asker, now } = question;
  const { labels, reading } = history;
  const up = upSelector(labels);
  const askSide = (part: 'own' | 'limit', query: string | null): Promise<OwnMoments> | null =>
    query === null || reading === null ? null
      : askMoments(asker, { ...question, part, query, expression: reading.expression });
  const expression = reading?.expression ?? null;
  const at = testedAt(question, expression === null ? 0 : longestRange(expression));
  const askOwn = async (): Promise<Pick<Matters, 'own' | 'peerCounts'>> => {
    const own = await askSide('own', reading && (reading.compared ?? reading.expression));
    const peerCounts = own === null || reading === null ? null
      : await askPeerCounts(asker, { all: own.all, reading, now });
    return { own, peerCounts };
  };
  const [own, limit, targets, scrapeSeconds, historyMs, search, node, tests] = await Promise.all([
    askOwn(),
    askSide('limit', reading?.limit?.query ?? null),
    up === null ? null : askTargets(asker, up, now),
    askScrapeInterval(asker, up, now),
    askHistoryLength(asker, question.startsAtMs),
    askSearch(question, history),
    askNode(asker, labels, now),
    // Here, since the tests depend on the rule, which only the server may know.
    askTests(asker, question.testsFor(expression), at),
  ]);
  return { ...own, limit, up, targets, scrapeSeconds, historyMs, node, tests, ...search };
}

async function askSearch(
  { asker, now }: Question,
  { labels, reading }: KnownHistory,
): Promise<Pick<Matters, 'scopes' | 'names'>> {
  const scopes = await askScopes(asker, { labels, metrics: reading?.metrics ?? [], now });
  const names = await Promise.all((scopes?.scopes ?? []).map(async (scope) => {
    return { scope, names: await askNames(asker, scope, now) };
  }));
  return { scopes, names };
}
