import { alertNameOf } from '../../../alert/alert.ts';
import type { LabelSet } from '../../../alert/labels.ts';
import { dayMs } from '../../../lib/time-units.ts';
import { times } from '../../../report/plain-text.ts';
import { isoTime } from '../../../report/time-text.ts';
import type { RangeAnswer, RangeSeries } from '../../../sources/prometheus-answers.ts';
import { selector } from '../../../sources/promql-text.ts';
import { lastTimeOf, timeAt, type TimeSpan } from '../../../sources/time-grid.ts';
import type { FiredFacts } from '../../metric-facts.ts';
import type { Times } from '../alert-window.ts';
import type { Alternatives } from '../alike.ts';
import type { Asker } from '../asking.ts';
import { addUnknown, type FactWriter } from '../fact-writer.ts';
import { closestTo, looseMatchers, namesOf } from '../matching-labels.ts';
import type { Question } from '../question.ts';
import { notesOf, spanOf } from '../series-data.ts';
import { stretchesOf, type Slots } from './stretches.ts';

const firedDays = 7;
/** Slot length. Shorter stretches are still seen and measured by their number of samples. */
const slotSeconds = 300;

export interface FiredAnswer {
  readonly query: string;
  readonly answer: RangeAnswer;
  /** Samples of firing and of pending in each slot. */
  readonly firing: Float64Array | null;
  readonly pending: Float64Array | null;
  /** Names of the alert's labels on the server; null if it was not found. */
  readonly labelNames: readonly string[] | null;
}

/** Asks the server's `ALERTS` when the alert was pending and firing in the last week. */
export async function askFired(
  asker: Asker,
  { labels, alternatives, now }: Pick<Question, 'labels' | 'alternatives' | 'now'>,
): Promise<FiredAnswer | null> {
  const text = alertSelector('ALERTS', labels, alternatives);
  if (text === null) return null;
  const query = `count_over_time(${text}[${slotSeconds / 60}m])`;
  // Includes the current slot, which shows what fired a moment ago.
  const window = {
    fromMs: now - firedDays * dayMs, toMs: now + slotSeconds * 1000 - 1, stepSeconds: slotSeconds,
  };
  const answer = await asker.queryRange('fired', query, window);
  if (answer === null) return null;
  const of = (state: string): RangeSeries | null =>
    closestTo(answer.series.filter((series) => series.labels['alertstate'] === state), labels);
  const [firing, pending] = [of('firing'), of('pending')];
  const known = firing ?? pending;
  return {
    query, answer, firing: firing?.values ?? null, pending: pending?.values ?? null,
    labelNames: known === null ? null : namesOf(known.labels),
  };
}

/** Whether the alert is known to have fired in this time span. */
export function firedWithin(fired: FiredAnswer | null, span: TimeSpan): boolean {
  return fired !== null && isCountedWithin(fired, fired.firing, span);
}

/** Whether the alert is known to have fired, or to have been pending, in this time span. */
export function seenWithin(fired: FiredAnswer, span: TimeSpan): boolean {
  return isCountedWithin(fired, fired.firing, span) || isCountedWithin(fired, fired.pending, span);
}

function isCountedWithin(
  { answer: { grid } }: FiredAnswer,
  counts: Float64Array | null,
  { fromMs, toMs }: TimeSpan,
): boolean {
  return counts !== null && counts.some((count, index) => {
    const endMs = timeAt(grid, index);
    return count > 0 && endMs > fromMs && endMs - grid.stepMs < toMs;
  });
}

/** `ALERTS{alertname="X",…}` for one alert, whether or not external labels are there. */
export function alertSelector(
  metric: string,
  labels: LabelSet,
  alternatives?: Alternatives,
): string | null {
  const name = { name: 'alertname', op: '=', value: alertNameOf(labels) } as const;
  return selector(metric, [name, ...looseMatchers(labels, alternatives)]);
}

/** Adds when the alert fired; null if the server has no such history. */
export function addFired(
  writing: FactWriter,
  fired: FiredAnswer | null,
  intervalSeconds: Slots['intervalSeconds'],
): FiredFacts | null {
  const common = {
    kind: 'history', title: 'When the alert fired in the last 7 days', query: fired?.query ?? null,
  } as const;
  if (fired?.firing == null && fired?.pending == null) {
    const otherwise = 'The server has no ALERTS series of this alert.';
    return addUnknown(writing, common, { part: 'fired', otherwise });
  }
  const slots = { grid: fired.answer.grid, intervalSeconds };
  const firing = fired.firing === null ? [] : stretchesOf(fired.firing, slots);
  const pending = fired.pending === null ? [] : stretchesOf(fired.pending, slots);
  const intervals = withCurrent(firing, writing);
  const pendingOnly = pending.filter((stretch) => !leadsTo(stretch, intervals)).length;
  const evidence = writing.add({
    ...common, ...notesOf(fired.answer),
    ...spanOf(slots.grid), to: isoTime(Math.min(writing.now, lastTimeOf(slots.grid))),
    summary: `It fired ${times(intervals.length)}` +
      `${pendingOnly === 0 ? '' : ` and was pending ${times(pendingOnly)} without firing`}.`,
    data: {
      intervals: intervals.slice(-60).map(({ fromMs, toMs }) => ({
        from: isoTime(fromMs), to: isoTime(toMs),
      })),
      pending_only: pendingOnly,
    },
  });
  return { intervals, pendingOnly, evidence };
}

/** Replaces the stretch of the current firing by the sender's own, more exact times. */
function withCurrent(
  stretches: readonly TimeSpan[],
  { startsAtMs, endsAtMs, now }: Times,
): TimeSpan[] {
  const slackMs = slotSeconds * 1000;
  const toMs = Math.max(endsAtMs ?? now, startsAtMs);
  const isCurrent = (stretch: TimeSpan): boolean =>
    stretch.toMs >= startsAtMs - 1000 && stretch.fromMs >= startsAtMs - slackMs &&
    stretch.fromMs <= toMs + slackMs;
  // The slot in progress ends in the future.
  const latestMs = Math.max(now, startsAtMs);
  const others = stretches.filter((stretch) => !isCurrent(stretch)).map((stretch) => ({
    fromMs: Math.min(stretch.fromMs, latestMs), toMs: Math.min(stretch.toMs, latestMs),
  }));
  const isOpenedBefore = others.some((stretch) =>
    stretch.fromMs < startsAtMs && stretch.toMs >= startsAtMs);
  const current = isOpenedBefore ? [] : [{ fromMs: startsAtMs, toMs }];
  return [...others, ...current].sort((a, b) => a.fromMs - b.fromMs);
}

function leadsTo(pending: TimeSpan, firing: readonly TimeSpan[]): boolean {
  const slackMs = slotSeconds * 1000;
  return firing.some(({ fromMs, toMs }) =>
    fromMs <= pending.toMs + slackMs && toMs >= pending.fromMs - slackMs);
}
