import type { RangeAnswer, RangeSeries } from '../../sources/prometheus-answers.ts';
import { gridOf, type TimeGrid } from '../../sources/time-grid.ts';
import { stepNear } from '../../statistics/rank-series.ts';
import type { RankingFacts, Window } from '../metric-facts.ts';
import type { Known, ScopeNames } from './ask-moments.ts';
import { eventNames, findEvents, showsEvents, sightingsIn } from './events/events.ts';
import { askExactTimes } from './events/exact-times.ts';
import type { EventContext, FoundEvent } from './events/found-event.ts';
import { withMemory } from './events/memory-before.ts';
import {
  askOwnRanges, comparedValues, splitIndex, type OwnMoments, type OwnRanges,
} from './own/ask-own.ts';
import { askInside, type AskedInside } from './own/inside.ts';
import { windowAsSeen } from './own/own-beginning.ts';
import type { FoundPath } from './path/ask-path.ts';
import type { Question } from './question.ts';
import { chooseNames, type ChoiceContext } from './search/choose-names.ts';
import { deriveSeries } from './search/derive.ts';
import { earlierTrouble } from './search/earlier-trouble.ts';
import { isElsewhere } from './search/elsewhere.ts';
import {
  fetchSelectors, fetchSeries, type Fetch, type Fetched,
} from './search/fetch-candidates.ts';
import { hostSlack, isOfMachine } from './search/host-slack.ts';
import { closeLinesOf, findLone, machineIn, type FoundLone } from './search/lone.ts';
import { askMachine, type AskedMachine } from './search/lone-machine.ts';
import { nodeSelectors } from './search/node-hop.ts';
import { askObservers, ofObservers, type Observer } from './search/observers.ts';
import { rankDerived, type Ranked } from './search/rank.ts';
import { askRecovery, type AskedRecovery } from './search/recovery.ts';
import { askClosely } from './search/scrape-detail.ts';
import { candidatesMax } from './search/search-scope.ts';
import { askSeason } from './search/season.ts';
import { askUp } from './targets/scrape.ts';
import { worldMatchers } from './world.ts';

/** The third round: what went on over time. */
interface OverTime {
  /** That of the moments, or moved to when the own series shows that the problem began. */
  readonly window: Window;
  readonly own: OwnRanges;
  /** The limit's series; null for a rule on a number. */
  readonly limit: OwnRanges | null;
  readonly up: RangeAnswer | null;
  /** Null if the rule aggregates nothing. */
  readonly inside: AskedInside | null;
  readonly grid: TimeGrid;
  readonly split: number;
  readonly fetched: Fetched;
  readonly left: readonly string[];
  readonly events: readonly FoundEvent[];
  /** Null if there was nothing to rank. */
  readonly ranked: Ranked | null;
  /** Things that moved alone. */
  readonly lone: readonly FoundLone[];
  /** What goes on in the one of them that is a machine; null for none. */
  readonly machine: AskedMachine | null;
  readonly seasonal: RankingFacts['seasonal'];
  readonly close: RankingFacts['close'];
  readonly slack: RankingFacts['slack'];
  /** Null while the alert fires, and if nothing stood out. */
  readonly recovery: AskedRecovery | null;
}

/** The answers of all three rounds. */
export interface Answers extends Known {
  readonly overTime: OverTime;
  /** From the alert's own thing on; without hops if it is not known. */
  readonly path: FoundPath;
}

/** Queries reserved for the own series, its limit and inside, scrapes, node and other days. */
const questionsKept = 22;
/** The part of them that reads what moved at the interval of the scrapes. */
const closeQuestions = 4;
/** And for what moved back by the end. */
const recoveryQuestions = 2;

export async function askOverTime(question: Question, known: Known): Promise<OverTime> {
  const { first, moments } = known;
  const ranges = await askRanges(question, known);
  const { own, limit, up, inside, fetched, left } = ranges;
  const grid = gridOf(moments.window);
  const isStartKnown = first.found !== null || first.activeAtMs !== null;
  const window = isStartKnown ? moments.window : windowAsSeen(moments.window, {
    own, limit, reading: first.reading, startsAtMs: question.startsAtMs,
  });
  const split = splitIndex(grid, window);
  const ranked = rankFetched(question, known, { ...ranges, grid, split });
  const lone = ranked === null ? [] : findLone({
    ranked, grid, split, until: troubledIndex(grid, split, { window, ...question }),
    alertName: question.name, ruleMetrics: first.reading?.metrics ?? [],
    own: { ...question.labels, ...moments.place.target, ...moments.place.labels },
  });
  const [events, later] = await Promise.all([
    askEvents(question, [...ranges.eventful.series, ...fetched.series], {
      grid, onMs: window.onMs, componentOf: ranked?.componentOf ?? (() => null),
    }),
    ranked === null
      ? { seasonal: new Map(), close: new Map(), recovery: null, machine: null }
      : askLater(question, known, { window, grid, split, ranked, lone }),
  ]);
  const isOfHost = first.reading?.metrics.every(isOfMachine) === true;
  const slack = ranked === null || isOfHost ? new Set<string>()
    : hostSlack([...ranked.derivedOf.values()], split);
  return {
    window, own, limit, inside, up, grid, split, fetched, left, events, ranked, lone, slack,
    ...later,
  };
}

/** Queries for the exact times of events, of those that are reserved. */
const exactQuestions = 4;

async function askEvents(
  { asker, budget }: Question,
  series: readonly RangeSeries[],
  context: EventContext,
): Promise<readonly FoundEvent[]> {
  const sightings = sightingsIn(series, context);
  const rawOf = await askExactTimes(asker, sightings, {
    ...context, budget: Math.min(exactQuestions, budget.left / 2),
  });
  const events = findEvents(series, { ...context, rawOf });
  return withMemory(asker, events, { ...context, budget: budget.left });
}

/** What was fetched, before anything is made of it. */
interface Ranges extends Pick<OverTime, 'own' | 'limit' | 'up' | 'inside' | 'fetched' | 'left'> {
  /** The series that show events. */
  readonly eventful: Fetched;
  readonly observers: readonly Observer[];
}

async function askRanges(question: Question, known: Known): Promise<Ranges> {
  const { asker, budget, now } = question;
  const { first, moments } = known;
  const { window, scrapeSeconds } = moments;
  const ruleMetrics = first.reading?.metrics ?? [];
  const plan = planFetches(moments.names, { ruleMetrics, alertName: question.name });
  const nodes = moments.node === null ? []
    : nodeSelectors(moments.node, worldMatchers(moments.world));
  const [eventful, own, limit, up, observers, fetched, inside] = await Promise.all([
    // First: a release explains more than what moved, and costs a slow server little.
    fetchSeries(asker, {
      part: 'events', selectors: plan.events.flatMap(fetchSelectors), window,
      budget: Math.min(6, budget.left - questionsKept / 2),
    }),
    askOwnRange(question, window, { part: 'own', moments: moments.own, scrapeSeconds }),
    moments.limit === null ? null
      : askOwnRange(question, window, { part: 'limit', moments: moments.limit, scrapeSeconds }),
    moments.up === null ? null : askUp(question, { up: moments.up, window }),
    askObservers(asker, moments.scopes?.widest ?? [], now),
    fetchSeries(asker, {
      part: 'search', selectors: [...nodes, ...plan.fetches.flatMap(fetchSelectors)],
      window, budget: budget.left - questionsKept,
    }),
    // Last: it takes as long as the rule, and what moved matters more.
    askInside(question, known),
  ]);
  return { own, limit, up, observers, fetched, eventful, inside, left: plan.left };
}

/** Null if there is nothing to rank. */
function rankFetched(
  { labels: alert, endsAtMs }: Question,
  { first: { reading }, moments }: Known,
  { own, limit, observers, fetched, grid, split }: Ranges & Pick<OverTime, 'grid' | 'split'>,
): Ranked | null {
  const isOfObserver = ofObservers(observers, { alert, ruleMetrics: reading?.metrics ?? [] });
  const isOfOthers = isElsewhere(fetched.series.map(({ labels }) => labels), moments.world.own);
  const compared = fetched.series
    .filter(({ labels }) => !isOfObserver(labels) && !isOfOthers(labels));
  const derived = deriveSeries(compared, grid.stepMs / 1000)
    .filter((each) => each.signal !== 'config' ||
      (stepNear(each, split) !== null && !showsEvents(each.metric)));
  return derived.length === 0 ? null : rankDerived(derived, {
    alert, ownLabels: moments.own?.labels ?? null, place: moments.place.labels,
    reading, split, node: moments.node,
    // With the comparison still in it, the series does not exist before.
    own: (reading?.comparison ?? null) === null ? null : comparedValues(own, limit),
    earlier: earlierTrouble({ own, limit, reading }, split),
    until: endIndex(grid, split, endsAtMs),
  });
}

/** Asks about the changes that were found: other days, and the end of the alert. */
async function askLater(
  { asker, budget, endsAtMs, now }: Question,
  { first, moments }: Known,
  { window, grid, split, ranked, lone }: Pick<
    OverTime, 'window' | 'grid' | 'split' | 'lone'
  > & {
    readonly ranked: Ranked;
  },
): Promise<Pick<OverTime, 'seasonal' | 'close' | 'recovery' | 'machine'>> {
  const { ranking, derivedOf } = ranked;
  const matchers = moments.scopes?.widest ?? [];
  const forEnd = endsAtMs === null ? 0 : Math.min(recoveryQuestions, budget.left);
  const forClose = Math.min(closeQuestions, budget.left - forEnd);
  const forSeason = Math.floor(Math.min(8, budget.left - forEnd - forClose) / 2);
  const world = worldMatchers(moments.world);
  const host = machineIn(lone);
  const [close, recovery, seasonal, machine] = await Promise.all([
    askClosely(asker, {
      lines: [...closeLinesOf(lone), ...ranking.series], derivedOf, matchers, window, grid,
      endsAtMs, now, budget: forClose,
      scrapeSeconds: moments.scrapeSeconds,
    }),
    endsAtMs === null ? null : askRecovery(asker, {
      ranked, matchers, window, endsAtMs, now, budget: forEnd,
    }),
    askSeason(asker, {
      lines: ranking.series, derivedOf, window, split, matchers, budget: forSeason,
      fired: first.fired,
    }),
    host === null || budget.left <= forEnd + forClose ? null
      : askMachine(asker, host, { window, split, world }),
  ]);
  return { close, recovery, seasonal, machine };
}

/** Leaves out points after the end of the alert, but keeps a few after the split. */
function endIndex(grid: TimeGrid, split: number, endsAtMs: number | null): number {
  if (endsAtMs === null) return grid.count;
  const until = Math.floor((endsAtMs - grid.startMs) / grid.stepMs) + 1;
  return Math.min(grid.count, Math.max(until, split + beforeEndMin));
}

const beforeEndMin = 3;

/**
 * Leaves out what came after the trouble itself: whatever the rule looks back over has to be well
 * before its alert ends.
 */
function troubledIndex(
  grid: TimeGrid,
  split: number,
  { window: { onMs, splitMs }, endsAtMs }: Pick<Question, 'endsAtMs'> & { readonly window: Window },
): number {
  const overMs = Math.max(grid.stepMs, onMs - splitMs);
  return endIndex(grid, split, endsAtMs === null ? null : endsAtMs - overMs);
}

const noRanges: OwnRanges = {
  window: null, since: null, yesterday: null, lastWeek: null, past: null, near: null,
};

function askOwnRange(
  question: Question,
  window: Window,
  { part, moments, scrapeSeconds }: {
    readonly part: 'own' | 'limit'; readonly moments: OwnMoments | null;
    readonly scrapeSeconds: number | null;
  },
): Promise<OwnRanges> | OwnRanges {
  const labels = moments?.labels ?? null;
  if (moments === null || labels === null) return noRanges;
  return askOwnRanges(question.asker, {
    part, moments, labels, window, times: question, scrapeSeconds,
  });
}

interface Plan {
  readonly fetches: readonly Fetch[];
  readonly events: readonly Fetch[];
  readonly left: readonly string[];
}

/** Plans narrow scopes first; the widest takes the remaining room. */
function planFetches(scopes: readonly ScopeNames[], about: Omit<ChoiceContext, 'seriesMax'>): Plan {
  const fetches: Fetch[] = [];
  const events: Fetch[] = [];
  const left = new Set<string>();
  let room = candidatesMax;
  for (const { scope, names } of scopes) {
    if (names === null) continue;
    const seriesMax = Math.min(room, scope.seriesMax);
    const choice = chooseNames(names, { seriesMax, ...about });
    room -= choice.chosen.reduce((sum, { count }) => sum + count, 0);
    for (const name of choice.left) left.add(name);
    fetches.push({ matchers: scope.matchers, names: choice.chosen });
    events.push({ matchers: scope.matchers, names: eventNames(names) });
  }
  return { fetches, events, left: [...left].sort() };
}
