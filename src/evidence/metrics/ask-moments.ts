import { hourMs } from '../../lib/time-units.ts';
import type { Window } from '../metric-facts.ts';
import type { AlertPlace } from '../place.ts';
import { longestRange, type RuleReading } from '../rule/rule-expression.ts';
import { alertWindow } from './alert-window.ts';
import type { FirstAnswers } from './ask-first.ts';
import { askPlace } from './ask-place.ts';
import type { Asker } from './asking.ts';
import { askTests, askTestsAgain, testedAt, usualSeconds, type AskedTest } from './cause-tests.ts';
import { askOwnMoments, type OwnMoments } from './own/ask-own.ts';
import { askLastSeen, type AskedLastSeen } from './own/last-seen.ts';
import { askLevel, type AskedLevel } from './own/level.ts';
import { askPeerCounts, type PeerCounts } from './own/peers.ts';
import { askWhole, type AskedWhole } from './own/whole.ts';
import { askPath, type FoundPath } from './path/ask-path.ts';
import { askCensus, type Census } from './path/census.ts';
import type { Question } from './question.ts';
import { askNode, type Host } from './search/node-hop.ts';
import {
  askNames, askScopes, type NameCount, type Scope, type SearchScopes,
} from './search/search-scope.ts';
import { askScrapeInterval, upSelector } from './targets/scrape.ts';
import { askTargets, type TargetsNow } from './targets/targets-now.ts';
import { askWorld, WorldBinder, worldMatchers, type Bound, type World } from './world.ts';

export interface ScopeNames {
  readonly scope: Scope;
  /** Null if they could not be counted. */
  readonly names: readonly NameCount[] | null;
}

/**
 * The second round: the answers of instant queries, which decide what series to fetch and over
 * which time.
 */
interface Moments {
  readonly place: AlertPlace;
  /** Asked beside everything else, as no other question waits for it. */
  readonly path: Promise<FoundPath>;
  readonly world: World;
  readonly window: Window;
  /** What the rule compares; null if the rule is unknown or its expression is not run. */
  readonly own: OwnMoments | null;
  /** What it is compared with; null for a rule on a number. */
  readonly limit: OwnMoments | null;
  /** The level whose change the rule compares; null for any other rule. */
  readonly level: AskedLevel | null;
  /** The last of the series that a rule misses; null for any other rule. */
  readonly lastSeen: AskedLastSeen | null;
  /** Null where the answers hold all series, and where they could not be counted. */
  readonly peerCounts: PeerCounts | null;
  /** How much its value is a share of; null for a rule on anything else. */
  readonly whole: AskedWhole | null;
  readonly up: string | null;
  readonly targets: TargetsNow | null;
  readonly scrapeSeconds: number | null;
  readonly scopes: SearchScopes | null;
  readonly names: readonly ScopeNames[];
  readonly node: Host | null;
  readonly tests: readonly AskedTest[];
  /** The same tests after the end of the alert; none while it fires, null if it is too early. */
  readonly testsAtEnd: readonly AskedTest[] | null;
}

/** The answers of the first two rounds of questions. */
export interface Known {
  readonly first: FirstAnswers;
  readonly moments: Moments;
}

/** What there is on a server is the same after an alert that ended no longer ago than this. */
const recentMs = 30 * 60_000;

export async function askMoments(question: Question, first: FirstAnswers): Promise<Moments> {
  const { asker, alternatives, now } = question;
  const { reading } = first;
  const run = first.unrun === null ? reading : null;
  const askSide = (part: 'own' | 'limit', query: string | null): Promise<OwnMoments> | null =>
    query === null || run === null ? null
      : askOwnMoments(asker, { ...question, part, query, expression: run.expression });
  const comparison = run?.comparison ?? null;
  const askOwn = async (): Promise<Pick<Moments, 'own' | 'peerCounts' | 'whole'>> => {
    const [own, whole] = await Promise.all([
      askSide('own', comparison?.compared ?? run?.expression ?? null),
      comparison === null ? null : askWhole(question, comparison.compared),
    ]);
    const peerCounts = own === null || comparison === null ? null
      : await askPeerCounts(asker, { all: own.all, comparison, now });
    return { own, peerCounts, whole };
  };
  // These need no place.
  const settledSides = Promise.all([
    askOwn(),
    askSide('limit', comparison?.limit?.query ?? null),
    askHistoryLength(asker, question.startsAtMs),
    comparison === null ? null : askLevel(asker, question, {
      compared: comparison.compared, forSeconds: first.found?.rule.durationSeconds ?? 0,
    }),
    askLastSeen(asker, run, now),
  ]);
  const early = askEarly(question);
  const placing = askPlace(question, first);
  const roughly = windowOf(question, first, { scrapeSeconds: null, historyMs: null });
  const path = askPath(question, placing, { window: roughly, early, reading });
  // Whoever waits for it gets the error; until then nobody needs to.
  path.catch(() => {});
  const place = await placing;
  const world = await askWorld(asker, question.labels, {
    place, expression: reading?.expression ?? null, atMs: now,
  });
  const binder = new WorldBinder(asker, world, now);
  const bind = (query: string): Promise<Bound> => binder.bind(query);
  const up = upSelector({ ...place.labels, ...world.shared }, world.shared, alternatives);
  const scraped = askScrapeInterval(asker, up, now);
  const askFittingTests = async (): Promise<Pick<Moments, 'tests' | 'testsAtEnd'>> => {
    const all = question.testsFor(reading?.expression ?? null, place);
    const atMs = testedAt(question, rangeOf(reading));
    const forMs = 1000 * (first.found?.rule.durationSeconds ?? 0);
    const onMs = first.activeAtMs ?? question.startsAtMs - forMs;
    const seconds = Math.max(0, (atMs - onMs) / 1000);
    // The tests of an older problem are asked as they are, without waiting for it.
    const scrapeSeconds = seconds < usualSeconds ? await scraped : null;
    const tests = await askTests(asker, all, {
      atMs, bind, age: { seconds, scrapeSeconds, rangeSeconds: rangeOf(reading) },
    });
    return { tests, testsAtEnd: await askTestsAgain(asker, tests, { ...question, bind }) };
  };
  const [sides, targets, scrapeSeconds, search, node, tests] = await Promise.all([
    settledSides,
    up === null ? null : askTargets(question, up),
    scraped,
    askSearch(question, place, world),
    askNode(asker, place.labels, { bind, now }),
    // Here, since the tests depend on the rule, which only the server may know.
    askFittingTests(),
  ]);
  const [own, limit, historyMs, level, lastSeen] = sides;
  const window = windowOf(question, first, { scrapeSeconds, historyMs });
  return {
    window, place, world, path, ...own, limit, level, lastSeen, up, targets, scrapeSeconds,
    node, ...tests, ...search,
  };
}

/**
 * What there is on the server, before the alert's place is known, as a walk takes several questions
 * one after the other; null for an alert that ended too long ago.
 */
function askEarly(question: Question): Promise<Census | null> | null {
  const { now, endsAtMs } = question;
  const early = now - (endsAtMs ?? now) > recentMs ? null
    : askCensus(question, { world: [], atMs: now });
  early?.catch(() => {});
  return early;
}

/** How far back the rule looks, in seconds. */
function rangeOf(reading: RuleReading | null): number {
  return reading === null ? 0 : longestRange(reading.expression);
}

/** The time span to look at, as far as it is known from the first answers and those given. */
export function windowOf(
  { startsAtMs, now }: Question,
  { activeAtMs, found, reading }: FirstAnswers,
  known: { readonly scrapeSeconds: number | null; readonly historyMs: number | null },
): Window {
  return alertWindow({
    ...known, startsAtMs, now, activeAtMs, rangeSeconds: rangeOf(reading),
    forSeconds: found?.rule.durationSeconds ?? null,
  });
}

async function askSearch(
  { asker, alternatives, now }: Question,
  { labels }: AlertPlace,
  world: World,
): Promise<Pick<Moments, 'scopes' | 'names'>> {
  const scopes = await askScopes(asker, {
    labels, alternatives, world: worldMatchers(world), now,
  });
  const names = await Promise.all((scopes?.scopes ?? []).map(async (scope) => {
    return { scope, names: await askNames(asker, scope, now) };
  }));
  return { scopes, names };
}

const sharedMs = 10 * 60_000;

/** Answers with the hours to look back; with 0 or nothing where the usual window has data. */
export const historyQuery =
  'count(up offset 2h) * 0 or count(up offset 1h) * 0 + 2 or count(up) * 0 + 1';

/**
 * How far back the server has data, rounded up to one or two hours; null if it is more, or if
 * nothing tells. On a server set up today, the usual window would be mostly empty, and its points
 * too far apart for the little there is.
 */
async function askHistoryLength(asker: Asker, atMs: number): Promise<number | null> {
  // Rounded, so that alerts of one time share the answer.
  const roundedMs = Math.floor(atMs / sharedMs) * sharedMs;
  const answer = await asker.query('search', historyQuery, roundedMs);
  const hours = answer?.samples[0]?.value ?? 0;
  return hours > 0 ? hours * hourMs : null;
}
