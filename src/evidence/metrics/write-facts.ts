import { selector } from '../../sources/promql-text.ts';
import type { MetricFacts, OwnSeries, ScrapeFacts } from '../metric-facts.ts';
import type { RuleReading } from '../rule/rule-expression.ts';
import type { Answers } from './ask-over-time.ts';
import { addTests } from './cause-tests.ts';
import { addUnknown, type FactWriter } from './fact-writer.ts';
import { seriesOf } from './matching-labels.ts';
import { addFired } from './own/fired.ts';
import { addInside } from './own/inside.ts';
import { addLastSeen } from './own/last-seen.ts';
import { addOwn } from './own/own-series.ts';
import { addPeers } from './own/peers.ts';
import { addWhole } from './own/whole.ts';
import { addPath } from './path/add-path.ts';
import { withEventsBehind } from './path/events-behind.ts';
import { addRule } from './rule-lookup.ts';
import { addEvents, addRanking, roomKept } from './search/add-changes.ts';
import { addLone } from './search/lone.ts';
import { addRecovery } from './search/recovery.ts';
import { addScrape } from './targets/scrape.ts';

/** Turns the answers into facts and evidence items, in an order independent of theirs. */
export function writeFacts(writing: FactWriter, answers: Answers): Omit<MetricFacts, 'source'> {
  const { first: { found, isUnlisted, unrun, fired, reading }, moments, overTime } = answers;
  const comparison = reading?.comparison ?? null;
  const rule = addRule(writing, found);
  const own = addOwn(writing, answers);
  return {
    window: overTime.window, place: moments.place, world: moments.world.shared, rule,
    names: namesIn(moments.names), isRuleUnlisted: isUnlisted, unrun, own,
    whole: own === null ? null : addWhole(writing, moments.whole, own.labels),
    holding: reading?.isOneOfSeveral === true ? reading : null,
    fired: addFired(writing, fired, found?.rule.intervalSeconds ?? null),
    scrape: writeScrape(writing, answers, own),
    peers: moments.own === null || comparison === null ? null : addPeers(writing, {
      all: moments.own.all, counts: moments.peerCounts, limits: moments.limit?.all.answer ?? null,
      comparison,
    }),
    inside: addInside(writing, overTime.inside),
    events: addEvents(writing,
      withEventsBehind(overTime.events, answers.path.hops, overTime.window.onMs)),
    lastSeen: addLastSeen(writing, moments.lastSeen),
    ...writeSearch(writing, answers),
    recovery: writeRecovery(writing, answers, own),
    answers: addTests(writing, moments.tests),
    answersAtEnd: moments.testsAtEnd &&
      addTests(writing, moments.testsAtEnd, 'Test after the end'),
    path: addPath(writing, answers.path, overTime.window.onMs),
  };
}

function namesIn(scopes: Answers['moments']['names']): readonly string[] | null {
  const known = scopes.flatMap(({ names }) => names ?? []).map(({ name }) => name);
  return known.length === 0 ? null : [...new Set(known)];
}

function writeScrape(
  writing: FactWriter,
  { first: { reading }, moments, overTime }: Answers,
  own: OwnSeries | null,
): ScrapeFacts | null {
  const isContinuous = reading !== null && hasValueAlways(reading);
  const range = overTime.own.window;
  const current = moments.own?.now ?? null;
  const isGone = own !== null && current !== null &&
    seriesOf(current.samples, own.labels) === undefined;
  return addScrape(writing, {
    up: moments.up, targets: moments.targets, scrapeSeconds: moments.scrapeSeconds,
    answer: overTime.up,
    own: isContinuous && range !== null ? { values: range.values, grid: range.answer.grid } : null,
    isStale: isContinuous && isGone && writing.endsAtMs === null,
    ownEvidence: own?.evidence ?? [],
  });
}

/** Their answers have gaps of their own: a series is not always among the highest. */
const choosing = new Set(['topk', 'bottomk', 'limitk', 'limit_ratio', 'histogram_quantile']);

/** Whether it has a value whenever it is scraped; a quotient without requests has none. */
function hasValueAlways({ comparison, functions }: RuleReading): boolean {
  return comparison !== null && !comparison.compared.includes('/') &&
    !functions.some((name) => choosing.has(name.toLowerCase()));
}

/** Uses when the alert's own value recovered, since `keep_firing_for` delays the alert's end. */
function writeRecovery(
  writing: FactWriter,
  { overTime, first }: Answers,
  own: OwnSeries | null,
): MetricFacts['recovery'] {
  const { endsAtMs } = writing;
  if (endsAtMs === null) return null;
  const keptMs = (first.found?.rule.keepFiringForSeconds ?? 0) * 1000;
  const recoveredMs = Math.min(own?.recoveredMs ?? endsAtMs - keptMs, endsAtMs);
  return addRecovery(writing, overTime.recovery, recoveredMs);
}

function writeSearch(
  writing: FactWriter,
  { moments, overTime }: Answers,
): Pick<MetricFacts, 'ranking' | 'lone'> {
  const { ranked, lone } = overTime;
  if (ranked === null) {
    const otherwise = moments.scopes === null ? 'No label of the alert tells where to search.'
      : `Nothing to compare in ${moments.scopes.text}.`;
    const item = { kind: 'series', title: 'Search for what moved' } as const;
    return { ranking: addUnknown(writing, item, { part: 'search', otherwise }), lone: [] };
  }
  const alone = addLone(writing, lone, { ...overTime, ranked, room: roomKept });
  const ranking = addRanking(writing, {
    ...overTime, ranked, searched: moments.scopes?.text ?? 'the node',
    selector: selector(null, moments.scopes?.widest ?? []),
  });
  return { ranking, lone: alone };
}
