import type { LabelSet } from '../../../alert/labels.ts';
import { formatQuantity } from '../../../lib/quantity.ts';
import type { SeriesData, SeriesStretch } from '../../../report/series-data.ts';
import { isoTime } from '../../../report/time-text.ts';
import { timeAt } from '../../../sources/time-grid.ts';
import { fallUntil, growthUntil, type Growth } from '../../../statistics/growth.ts';
import { exhaustionText } from '../../exhaustion-text.ts';
import type { Exhaustion, OwnSeries } from '../../metric-facts.ts';
import { longestRange } from '../../rule/rule-expression.ts';
import type { Answers } from '../ask-over-time.ts';
import { addUnknown, type FactWriter } from '../fact-writer.ts';
import { notesOf, rounded, seriesData, spanOf, stretchData } from '../series-data.ts';
import { splitIndex, type OwnMoments, type OwnRange, type OwnRanges } from './ask-own.ts';
import { addLevel } from './level.ts';
import {
  againstLimit, exhaustionOf, lastWithin, totalOf, type LimitContext,
} from './own-against-limit.ts';
import { addPast } from './own-past.ts';
import { readLimit, readSide, sampleOf, type OwnLimit } from './own-samples.ts';

type OwnContext = FactWriter & LimitContext;

/** The value at the moments that matter; null is unknown. */
type OwnValues = Pick<
  OwnSeries, 'valueAtFire' | 'valueNow' | 'yesterday' | 'lastWeek' | 'valueAtEnd'
>;

/**
 * Adds the value at its moments and its course over time. Null if the rule is unknown or may not be
 * run, or the series was not found. There is no limit for a rule on a number, or if it is unknown.
 */
export function addOwn(
  writing: FactWriter,
  {
    first: { reading, unrun }, moments: { own: moments, limit: limitMoments, level }, overTime,
  }: Answers,
): OwnSeries | null {
  if (unrun !== null) return addUnknown(writing, ownItem, { part: null, otherwise: unrun });
  if (reading === null || moments === null) return null;
  const context: OwnContext = { ...writing, reading, window: overTime.window };
  const { labels } = moments;
  if (labels === null) return addNoOwn(context, moments);
  const ranges = overTime.own;
  const own = readSide({ moments, ranges }, labels, context);
  const limit = limitMoments === null || overTime.limit === null ? null
    : readLimit({ moments: limitMoments, ranges: overTime.limit }, ranges, context);
  const values = {
    valueAtFire: own.atFire, valueNow: own.now, valueAtEnd: own.atEnd,
    yesterday: sampleOf(moments.yesterday, labels), lastWeek: sampleOf(moments.lastWeek, labels),
  };
  const exhaustion = exhaustionOf(own, context);
  const evidence = [addMoments(context, { labels, moments, values, limit })];
  if (ranges.window !== null) {
    evidence.push(addRange(context, ranges.window, { ranges, labels, limit, exhaustion }));
  }
  return {
    labels, ...values, past: addPast(context, ranges.past, reading),
    level: addLevel(writing, level), total: totalOf(own, context),
    limit: limit && {
      atFire: limit.atFire, now: limit.now, before: lastWithin(own, limit, context),
      // If the value is gone as well, the missing limit means nothing.
      isGoneAtEnd: limit.isThereAtEnd === false && own.isThereAtEnd === true,
    },
    ...againstLimit(own, limit, context), exhaustion, evidence,
    growth: growthOf(ranges, context),
  };
}

/**
 * How the value grew, or fell for a rule on too little, up to now, or to the worst of an alert that
 * has ended. Averages over a range rise for its length whatever happened, so they do not grow.
 */
function growthOf({ near, window }: OwnRanges, { reading, endsAtMs }: OwnContext): Growth | null {
  if (longestRange(reading.expression) > 0) return null;
  const isFall = reading.comparison?.operator.startsWith('<') === true;
  const found = [near, window].map((range) => {
    if (range === null) return null;
    const { values, answer: { grid } } = range;
    const points = [...values.entries()].filter(([, value]) => Number.isFinite(value))
      .map(([index, value]) => ({ atMs: timeAt(grid, index), value }));
    const worst = points.reduce((at, { value }, index) =>
      (isFall ? value <= (points[at]?.value ?? value) : value >= (points[at]?.value ?? value))
        ? index : at, 0);
    const until = endsAtMs === null ? points : points.slice(0, worst + 1);
    return isFall ? fallUntil(until) : growthUntil(until);
  });
  return found.find((each) => each !== null) ?? null;
}

const ownItem = { kind: 'series', title: "The alert's own series" } as const;

function addNoOwn(context: OwnContext, { query, now, fire }: OwnMoments): null {
  const answers = [now, fire].filter((answer) => answer !== null);
  return addUnknown(context, { ...ownItem, query }, {
    part: answers.length === 0 ? 'own' : null,
    otherwise: answers.some(({ omitted }) => omitted > 0)
      ? "The expression has too many series to find the alert's own among them."
      : answers.some(({ samples }) => samples.length > 0)
        ? 'No series of the expression has the labels of the alert.'
        : 'The expression has no series, neither now nor when the alert fired.',
  });
}

function addMoments(
  { add, reading, startsAtMs }: OwnContext,
  { labels, moments, values, limit }: {
    readonly labels: LabelSet; readonly moments: OwnMoments; readonly values: OwnValues;
    readonly limit: OwnLimit | null;
  },
): string {
  const unit = reading.comparison?.unit ?? null;
  const quantity = (value: number): string => formatQuantity(value, unit);
  const known = ([
    [values.valueAtFire, 'when it fired', limit?.atFire], [values.valueNow, 'now', limit?.now],
    [values.yesterday, 'a day before'], [values.lastWeek, 'a week before'],
  ] as const).flatMap(([value, when, against = null]) => {
    if (value === null) return [];
    return [`${quantity(value)}${against === null ? '' : ` against ${quantity(against)}`} ${when}`];
  });
  return add({
    kind: 'series', title: "Value of the alert's own series", query: moments.query,
    state: Object.values(values).every((value) => value === null) ? 'empty' : 'ok',
    summary: known.length === 0 ? 'No value at any of these times.' : `${known.join(', ')}.`,
    data: {
      labels, unit, fired_at: isoTime(startsAtMs),
      value_at_fire: values.valueAtFire, value_now: values.valueNow, yesterday: values.yesterday,
      last_week: values.lastWeek, value_at_end: values.valueAtEnd,
      ...(limit !== null && {
        threshold_at_fire: limit.atFire, threshold_now: limit.now, threshold_query: limit.query,
      }),
    },
    warnings: moments.now?.notes.warnings ?? [],
  });
}

function addRange(
  { add, reading, window, now }: OwnContext,
  found: OwnRange,
  { ranges: { since, yesterday, lastWeek }, labels, limit, exhaustion }: {
    readonly ranges: OwnRanges; readonly labels: LabelSet; readonly limit: OwnLimit | null;
    readonly exhaustion: Exhaustion | null;
  },
): string {
  const { query, answer, values } = found;
  const { grid } = answer;
  const { unit = null, threshold = null } = reading.comparison ?? {};
  const drawn = { labels, unit, grid, values, split: splitIndex(grid, window) };
  const data: SeriesData = {
    ...seriesData(drawn, { threshold, onset: isoTime(window.onMs) }), ...limitsOf(found, limit),
    later: stretchWithLimits(since, limit), yesterday: stretchData(yesterday),
    last_week: stretchData(lastWeek),
  };
  const ending = exhaustion === null ? '' : ` ${exhaustionText(exhaustion, unit, now)}`;
  return add({
    kind: 'series', title: "Course of the alert's own series", query, ...spanOf(grid),
    ...notesOf(answer), data,
    summary: `${values.filter(Number.isFinite).length} of ${grid.count} points have a value.` +
      ending,
  });
}

function stretchWithLimits(range: OwnRange | null, limit: OwnLimit | null): SeriesStretch | null {
  const stretch = stretchData(range);
  return range === null || stretch === null ? null : { ...stretch, ...limitsOf(range, limit) };
}

/** The limit of each value of a range; nothing if it is a number or never known. */
function limitsOf(
  { answer, values }: OwnRange,
  limit: OwnLimit | null,
): Pick<SeriesStretch, 'limits'> {
  if (limit === null) return {};
  const limits = Array.from(values, (_, index) => rounded(limit.at(timeAt(answer.grid, index))));
  return limits.some((each) => each !== null) ? { limits } : {};
}
