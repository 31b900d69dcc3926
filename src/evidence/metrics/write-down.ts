import { selector } from '../../sources/promql-text.ts';
import type { Ledger } from '../ledger.ts';
import type { MetricFacts, OwnSeries, ScrapeFacts, SourceReport } from '../metric-facts.ts';
import type { RuleReading } from '../rule/rule-expression.ts';
import { addEvents, addNoSearch, addRanking } from './add-changes.ts';
import { addRecovery } from './add-recovery.ts';
import type { Course } from './ask-course.ts';
import type { KnownHistory } from './ask-history.ts';
import type { Matters } from './ask-matters.ts';
import { addTests } from './cause-tests.ts';
import { addFired } from './fired.ts';
import { addInside } from './inside.ts';
import { seriesOf } from './matching-labels.ts';
import { addOwn } from './own-series.ts';
import { addPeers } from './peers.ts';
import type { Question } from './question.ts';
import { addRule } from './rule-lookup.ts';
import { addScrape } from './scrape.ts';

/** All answers about one alert. */
interface Gathered {
  readonly history: KnownHistory;
  readonly matters: Matters;
  readonly course: Course;
  readonly source: SourceReport;
}

/** Turns the answers into facts and evidence items, in an order independent of theirs. */
export function writeDown(
  ledger: Ledger,
  question: Question,
  gathered: Gathered,
): MetricFacts {
  const { asker, name, fetchedAt, startsAtMs, endsAtMs, now } = question;
  const { history, matters, course } = gathered;
  const rule = addRule(ledger, history.found, { name, fault: asker.failed('rule'), fetchedAt });
  const own = writeOwn(ledger, question, gathered);
  const fired = addFired(ledger, history.fired, {
    startsAtMs, endsAtMs, now, intervalSeconds: history.found?.rule.intervalSeconds ?? null,
    fault: asker.failed('fired'), fetchedAt,
  });
  const scrape = writeScrape(ledger, question, { gathered, own });
  const asked = matters.own;
  const peers = asked === null || history.reading === null ? null : addPeers(ledger, {
    all: asked.all, counts: matters.peerCounts, limits: matters.limit?.all.answer ?? null,
    reading: history.reading, fault: asker.failed('own'), fetchedAt,
  });
  const inside = addInside(ledger, course.inside, { fault: asker.failed('inside'), fetchedAt });
  const events = addEvents(ledger, course.events, { fetchedAt });
  const ranking = writeSearch(ledger, question, gathered);
  const recovery = writeRecovery(ledger, question, { gathered, own });
  const answers = addTests(ledger, matters.tests, { fault: asker.failed('tests'), fetchedAt });
  return {
    source: gathered.source, window: course.window, rule,
    holding: history.reading?.isOneOfSeveral === true ? history.reading : null,
    own, fired, scrape, peers, inside, events, ranking, recovery, answers,
  };
}

function writeOwn(
  ledger: Ledger,
  { asker, fetchedAt, startsAtMs, endsAtMs, now }: Question,
  { history: { reading }, matters, course }: Gathered,
): OwnSeries | null {
  if (reading === null || matters.own === null) return null;
  const limit = matters.limit === null || course.limit === null ? null
    : { moments: matters.limit, ranges: course.limit };
  return addOwn(ledger, { moments: matters.own, ranges: course.own, limit }, {
    reading, window: course.window, fault: asker.failed('own'), fetchedAt,
    startsAtMs, endsAtMs, now,
  });
}

function writeScrape(
  ledger: Ledger,
  { asker, fetchedAt, endsAtMs }: Question,
  { gathered, own }: { readonly gathered: Gathered; readonly own: OwnSeries | null },
): ScrapeFacts | null {
  const { history: { reading }, matters, course } = gathered;
  const isContinuous = reading !== null && hasValueAlways(reading);
  const range = course.own.window;
  const current = matters.own?.now ?? null;
  const isGone = own !== null && current !== null &&
    seriesOf(current.samples, own.labels) === undefined;
  return addScrape(ledger, {
    up: matters.up, answer: course.up, scrapeSeconds: matters.scrapeSeconds, fetchedAt,
    own: isContinuous && range !== null
      ? { values: range.values, grid: range.answer.grid } : null,
    isStale: isContinuous && isGone && endsAtMs === null,
    fault: asker.failed('scrape'), ownEvidence: own?.evidence ?? [],
  });
}

/** Their answers have gaps of their own: a series is not always among the highest. */
const choosing = new Set(['topk', 'bottomk', 'limitk', 'limit_ratio', 'histogram_quantile']);

/** Whether it has a value whenever it is scraped; a quotient without requests has none. */
function hasValueAlways({ compared, functions }: RuleReading): boolean {
  return compared !== null && !compared.includes('/') &&
    !functions.some((name) => choosing.has(name.toLowerCase()));
}

/** Uses when the alert's own value recovered, since `keep_firing_for` delays the alert's end. */
function writeRecovery(
  ledger: Ledger,
  { endsAtMs, fetchedAt }: Question,
  { gathered: { course, history }, own }: {
    readonly gathered: Gathered; readonly own: OwnSeries | null;
  },
): MetricFacts['recovery'] {
  if (endsAtMs === null || course.ranked === null) return null;
  const keptMs = (history.found?.rule.keepFiringForSeconds ?? 0) * 1000;
  const recoveredMs = Math.min(own?.recoveredMs ?? endsAtMs - keptMs, endsAtMs);
  const { ranking } = course.ranked;
  return addRecovery(ledger, course.recovery, { ranking, recoveredMs, fetchedAt });
}

function writeSearch(
  ledger: Ledger,
  { asker, fetchedAt }: Question,
  { matters, course }: Gathered,
): MetricFacts['ranking'] {
  const { ranked, fetched, seasonal, left, grid, split } = course;
  if (ranked === null) {
    const why = matters.scopes === null ? 'No label of the alert tells where to search.'
      : `Nothing to compare in ${matters.scopes.said}.`;
    addNoSearch(ledger, { fault: asker.failed('search'), fetchedAt, why });
    return null;
  }
  const searched = matters.scopes?.said ?? 'the node';
  return addRanking(ledger, {
    fetched, ranked, seasonal, left, grid, split, fetchedAt, searched,
    selector: selector(null, matters.scopes?.widest ?? []).text,
  });
}
