import type { LabelSet } from '../../../alert/labels.ts';
import { dayMs, minuteMs } from '../../../lib/time-units.ts';
import type { InstantAnswer, RangeAnswer } from '../../../sources/prometheus-answers.ts';
import { quoteText } from '../../../sources/promql-text.ts';
import { indexFrom, type RangeWindow, type TimeGrid } from '../../../sources/time-grid.ts';
import type { Window } from '../../metric-facts.ts';
import { longestRange } from '../../rule/rule-expression.ts';
import { drawnStep, type Times } from '../alert-window.ts';
import type { Asker, Part } from '../asking.ts';
import { namesOf, ownAmong, seriesOf } from '../matching-labels.ts';

/** With more series than this, only the alert's own is queried. */
const seriesTogether = 50;
/** Earlier days, drawn for comparison with a third and a sixth of the points. */
const ghosts = { yesterday: { days: 1, steps: 3 }, lastWeek: { days: 7, steps: 6 } } as const;
const recoveryMs = 10 * minuteMs;
/** Between the points of the day before. */
const pastSeconds = 300;
/** What has a value even from before the server was set up, and from beyond its retention. */
const valueWithoutData = /\b(?:absent|absent_over_time|vector)\s*\(/iu;

/** The compared value or its limit at the moments that matter. Null: no answer. */
export interface OwnMoments {
  readonly query: string;
  /** Labels of the alert's own series; null if it is in none of the answers. */
  readonly labels: LabelSet | null;
  readonly now: InstantAnswer | null;
  readonly fire: InstantAnswer | null;
  readonly yesterday: InstantAnswer | null;
  readonly lastWeek: InstantAnswer | null;
  readonly end: InstantAnswer | null;
  /** All series now, even if the answers above are restricted to the alert's own. */
  readonly all: { readonly query: string; readonly answer: InstantAnswer | null };
}

interface MomentsQuestion extends Times {
  readonly part: 'own' | 'limit';
  readonly query: string;
  /** The whole rule, which returns only series that fire. */
  readonly expression: string;
  /** The alert's labels. */
  readonly labels: LabelSet;
}

/**
 * Five queries for the value, which also return its peers; three for the limit, whose earlier days
 * do not matter. If there are more series than an answer holds, finds the alert's own by the whole
 * rule and repeats the queries for that one alone.
 */
export async function askOwnMoments(asker: Asker, question: MomentsQuestion): Promise<OwnMoments> {
  const { part, query, expression, labels: alert, startsAtMs } = question;
  const all = await askEach(asker, question);
  const isCut = [all.now, all.fire, all.end].some((answer) => (answer?.omitted ?? 0) > 0);
  if (!isCut) return all;
  const firing = all.labels === null ? await asker.query(part, expression, startsAtMs) : null;
  const labels = all.labels ?? ownLabels([firing], alert);
  if (labels === null) return all;
  const own = await askEach(asker, { ...question, query: onlyOwn(query, labels) });
  return { ...own, all: all.all };
}

async function askEach(
  asker: Asker,
  { part, query, labels: alert, startsAtMs, endsAtMs, now }: Omit<MomentsQuestion, 'expression'>,
): Promise<OwnMoments> {
  const at = (ms: number | null): Promise<InstantAnswer | null> | null =>
    ms === null ? null : asker.query(part, query, ms);
  const daysAgo = (days: number): Promise<InstantAnswer | null> | null => {
    const known = valueWithoutData.test(query) ? `(${query}) and on () count(up)` : query;
    return part === 'limit' ? null : asker.query(part, known, startsAtMs - days * dayMs);
  };
  const [current, fire, yesterday, lastWeek, end] = await Promise.all([
    at(now), at(startsAtMs), daysAgo(1), daysAgo(7), at(endsAtMs),
  ]);
  const labels = ownLabels([current, fire, end], alert);
  return {
    query, labels, now: current, fire, yesterday, lastWeek, end, all: { query, answer: current },
  };
}

function ownLabels(answers: readonly (InstantAnswer | null)[], alert: LabelSet): LabelSet | null {
  for (const answer of answers) {
    const own = answer === null ? null : ownAmong(answer.samples, alert);
    if (own !== null) return own.labels;
  }
  return null;
}

export interface OwnRange {
  readonly query: string;
  readonly answer: RangeAnswer;
  readonly values: Float64Array;
  /** How many samples were infinite; they are NaN in `values`. */
  readonly infinite: number;
}

export interface OwnRanges {
  /** Over the window, and from its end to now or to the end of the alert. */
  readonly window: OwnRange | null;
  readonly since: OwnRange | null;
  /** A day and a week before, at fewer points; null if there was nothing at that time. */
  readonly yesterday: OwnRange | null;
  readonly lastWeek: OwnRange | null;
  /** The day before the problem, at few points; null for a limit. */
  readonly past: OwnRange | null;
  /** A level around the start of a young problem, as it was scraped; null for any other. */
  readonly near: OwnRange | null;
}

/** Before a problem and after its start; what is older shows on the coarser grid as well. */
const nearMs = 15 * minuteMs;
const nearSeconds = 15;

export async function askOwnRanges(
  asker: Asker,
  { part, moments, labels, window, times, scrapeSeconds }: {
    readonly part: 'own' | 'limit'; readonly moments: OwnMoments; readonly labels: LabelSet;
    readonly window: Window; readonly times: Times; readonly scrapeSeconds: number | null;
  },
): Promise<OwnRanges> {
  const isWide = [moments.now, moments.fire].some((answer) =>
    (answer?.samples.length ?? 0) > seriesTogether);
  const query = isWide ? onlyOwn(moments.query, labels) : moments.query;
  const ask = async (asked: Part, range: RangeWindow): Promise<OwnRange | null> => {
    const answer = await asker.queryRange(asked, query, range);
    const own = answer === null ? undefined : seriesOf(answer.series, labels);
    return answer && own ? { query, answer, values: own.values, infinite: own.infinite } : null;
  };
  const toMs = Math.min(times.now, (times.endsAtMs ?? times.now) + recoveryMs);
  const isLong = toMs > window.toMs + minuteMs;
  const later = {
    fromMs: window.toMs, toMs, stepSeconds: drawnStep(window.stepSeconds, toMs - window.toMs),
  };
  const askGhost = (name: keyof typeof ghosts): Promise<OwnRange | null> | null => {
    const wasThere = seriesOf(moments[name]?.samples ?? [], labels) !== undefined;
    return wasThere ? ask('season', earlierWindow(window, ghosts[name])) : null;
  };
  const pastToMs = Math.floor(window.splitMs / (pastSeconds * 1000)) * pastSeconds * 1000;
  const past = { fromMs: pastToMs - dayMs, toMs: pastToMs, stepSeconds: pastSeconds };
  const nearToMs = Math.min(times.now, times.endsAtMs ?? times.now);
  const isLevel = longestRange(moments.query) === 0;
  const isYoung = part === 'own' && isLevel && nearToMs - window.onMs < nearMs;
  const near = {
    fromMs: window.onMs - nearMs, toMs: nearToMs, stepSeconds: scrapeSeconds ?? nearSeconds,
  };
  const [whole, since, yesterday, lastWeek, before, closely] = await Promise.all([
    ask(part, window), isLong ? ask(part, later) : null,
    askGhost('yesterday'), askGhost('lastWeek'),
    part === 'own' ? ask('season', past) : null,
    isYoung ? ask(part, near) : null,
  ]);
  return { window: whole, since, yesterday, lastWeek, past: before, near: closely };
}

/** The same time on an earlier day, at a coarser step. */
function earlierWindow(
  { fromMs, toMs, stepSeconds }: Window,
  { days, steps }: { readonly days: number; readonly steps: number },
): RangeWindow {
  const agoMs = days * dayMs;
  return { fromMs: fromMs - agoMs, toMs: toMs - agoMs, stepSeconds: stepSeconds * steps };
}

/** Restricts an expression, which may have thousands of series, to those with these labels. */
export function onlyOwn(query: string, labels: LabelSet): string {
  const names = namesOf(labels).filter((name) => /^[a-zA-Z_]\w*$/.test(name)).sort();
  if (names.length === 0) return query;
  const one = names.reduce((inner, name) => {
    // `label_replace` would expand `$1` as a group of its pattern.
    const value = quoteText((labels[name] ?? '').replaceAll('$', '$$$$'));
    return `label_replace(${inner}, ${quoteText(name)}, ${value}, "", "")`;
  }, 'vector(1)');
  return `(${query}) and on (${names.join(', ')}) ${one}`;
}

/** Index of the first point that counts as after. */
export function splitIndex(grid: TimeGrid, { splitMs }: Window): number {
  return Math.max(0, Math.min(grid.count - 1, indexFrom(grid, splitMs)));
}

/**
 * The own series over the window; null if it is unknown. If its limit is a series too, the distance
 * from that limit.
 */
export function comparedValues(own: OwnRanges, limit: OwnRanges | null): Float64Array | null {
  const [values = null, limits = null] = [own.window?.values, limit?.window?.values];
  if (values === null || limits === null) return values;
  const distance = values.map((value, index) => value - (limits[index] ?? Number.NaN));
  const isWhole = values.every((value, index) =>
    Number.isNaN(value) || !Number.isNaN(distance[index] ?? Number.NaN));
  return isWhole ? distance : values;
}
