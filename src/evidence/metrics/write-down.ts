import type { LabelSet } from '../../alert/labels.ts';
import type { Ledger } from '../ledger.ts';
import type { MetricFacts, OwnSeries, ScrapeFacts } from '../metric-facts.ts';
import { selector } from '../../sources/promql-text.ts';
import { addEvents, addNoSearch, addRanking } from './add-changes.ts';
import type { Gathered, Question } from './collect-metrics.ts';
import { addFired } from './fired.ts';
import { addInside } from './inside.ts';
import { labelKey } from './matching-labels.ts';
import { addOwn } from './own-series.ts';
import { addPeers } from './peers.ts';
import { addRecovery } from './add-recovery.ts';
import { addRule } from './rule-lookup.ts';
import { addScrape } from './scrape.ts';
import { addTests } from './test-answers.ts';

/** Makes facts of what was gathered, in an order that does not depend on that of the answers. */
export function writeDown(
  ledger: Ledger,
  question: Question,
  gathered: Gathered,
): MetricFacts {
  const { asker, alert, fetchedAt, startsAtMs, endsAtMs, now } = question;
  const { history, matters, window, course } = gathered;
  const rule = addRule(ledger, history.found, { alert, fault: asker.failed('rule'), fetchedAt });
  const own = addOwnSeries(ledger, question, gathered);
  const fired = addFired(ledger, history.fired, {
    startsAtMs, endsAtMs, now, intervalSeconds: history.found?.rule.intervalSeconds ?? null,
    fault: asker.failed('fired'), fetchedAt,
  });
  const scrape = addScrapes(ledger, question, { gathered, own });
  const { moments } = matters;
  const peers = moments === null || history.reading === null ? null : addPeers(ledger, {
    query: moments.query, answer: moments.now, limits: matters.limit?.now ?? null,
    reading: history.reading,
    fault: asker.failed('own'), fetchedAt,
  });
  const inside = addInside(ledger, course.inside, { fault: asker.failed('inside'), fetchedAt });
  const events = addEvents(ledger, course.events, { fetchedAt });
  const ranking = addSearch(ledger, question, gathered);
  const recovery = addRecoveries(ledger, question, { gathered, own });
  const answers = addTests(ledger, matters.tests, { fault: asker.failed('tests'), fetchedAt });
  return {
    source: gathered.source, window, rule,
    holding: history.reading?.isOneOfSeveral === true ? history.reading : null,
    own, fired, scrape, peers, inside, events, ranking, recovery, answers,
  };
}

function addOwnSeries(
  ledger: Ledger,
  { asker, fetchedAt, startsAtMs, endsAtMs, now }: Question,
  { history: { reading }, matters, window, course }: Gathered,
): OwnSeries | null {
  if (reading === null || matters.moments === null) return null;
  const { limit: limitMoments, limitLabels } = matters;
  const limit = limitMoments === null || limitLabels === null || course.limit === null ? null
    : { labels: limitLabels, moments: limitMoments, ranges: course.limit };
  const found = {
    labels: matters.ownLabels, moments: matters.moments, ranges: course.own, limit,
  };
  return addOwn(ledger, found, {
    reading, window, fault: asker.failed('own'), fetchedAt, startsAtMs, endsAtMs, now,
  });
}

function addScrapes(
  ledger: Ledger,
  { asker, fetchedAt, endsAtMs }: Question,
  { gathered, own }: { readonly gathered: Gathered; readonly own: OwnSeries | null },
): ScrapeFacts | null {
  const { history: { reading }, matters, course } = gathered;
  // A quotient has no value where nothing happened, and a comparison none where it does not hold.
  const isContinuous = reading?.compared?.includes('/') === false &&
    !reading.functions.includes('histogram_quantile');
  const range = course.own.window;
  const current = matters.moments?.now ?? null;
  const isGone = own !== null && current !== null && !isAmong(current.samples, own.labels);
  return addScrape(ledger, {
    up: matters.up, answer: course.up, scrapeSeconds: matters.scrapeSeconds, fetchedAt,
    own: isContinuous && range !== null
      ? { values: range.values, grid: range.answer.grid } : null,
    isStale: isContinuous && isGone && endsAtMs === null,
    fault: asker.failed('scrape'), ownEvidence: own?.evidence ?? [],
  });
}

/** Also with a value that is no number: that is a sample as well. */
function isAmong(samples: readonly { readonly labels: LabelSet }[], labels: LabelSet): boolean {
  const key = labelKey(labels, ['__name__']);
  return samples.some((sample) => labelKey(sample.labels, ['__name__']) === key);
}

/** By the alert's own value where it is known: an alert may be kept firing after that. */
function addRecoveries(
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

function addSearch(
  ledger: Ledger,
  { asker, fetchedAt }: Question,
  { matters, course, window }: Gathered,
): MetricFacts['ranking'] {
  const { ranked, fetched, seasonal, left, grid, split } = course;
  if (ranked === null) {
    const why = matters.scopes === null ? 'No label of the alert says where to search.'
      : `There is nothing to compare in ${matters.scopes.said}.`;
    addNoSearch(ledger, { fault: asker.failed('search'), fetchedAt, why });
    return null;
  }
  const searched = matters.scopes?.said ?? 'the node';
  return addRanking(ledger, {
    fetched, ranked, seasonal, left, grid, split, window, fetchedAt, searched,
    selector: selector(null, matters.scopes?.widest ?? []).text,
  });
}
