import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { counted } from '../../../report/plain-text.ts';
import { isoTime } from '../../../report/time-text.ts';
import type { RangeAnswer } from '../../../sources/prometheus-answers.ts';
import { selector } from '../../../sources/promql-text.ts';
import { lastTimeOf, type TimeGrid, type TimeSpan } from '../../../sources/time-grid.ts';
import type { ScrapeFacts, Window } from '../../metric-facts.ts';
import { drawnStep } from '../alert-window.ts';
import { isOfAlert, type Alternatives } from '../alike.ts';
import type { Asker } from '../asking.ts';
import { addUnknown, type FactWriter } from '../fact-writer.ts';
import { exactMatchers } from '../matching-labels.ts';
import type { Question } from '../question.ts';
import { notesOf, spanOf } from '../series-data.ts';
import { gapsOf, outagesOf } from './outages.ts';
import { addFailedScrapes, type TargetsNow } from './targets-now.ts';

const scrapeTitle = 'Whether the targets are scraped';

const intervalRange = '10m';
const intervalRangeSeconds = 600;
const gapsMax = 20;
const downMax = 20;

/** `up` of the targets that an alert is about, by its labels on the server and of its world. */
export function upSelector(
  labels: LabelSet,
  world: LabelSet,
  alternatives?: Alternatives,
): string | null {
  const isTarget = labelOf(labels, 'instance') !== null;
  const names = isTarget ? ['job', 'instance', 'cluster'] : ['namespace', 'job', 'pod', 'cluster'];
  const all = new Set([...names, ...Object.keys(world)]);
  const matchers = exactMatchers(labels, [...all], alternatives);
  return matchers.length === 0 ? null : selector('up', matchers);
}

/** The targets' scrape interval in seconds; null if unknown. */
export async function askScrapeInterval(
  asker: Asker,
  up: string | null,
  now: number,
): Promise<number | null> {
  if (up === null) return null;
  const query = `count_over_time(${up}[${intervalRange}])`;
  const answer = await asker.query('scrape', query, now);
  const counts = answer?.samples.map(({ value }) => value) ?? [];
  return scrapeInterval(counts, intervalRangeSeconds);
}

/** The scrape interval in seconds, from each target's samples in a range; null without any. */
export function scrapeInterval(counts: readonly number[], rangeSeconds: number): number | null {
  const known = counts.filter((count) => count > 0).sort((a, b) => a - b);
  if (known.length === 0) return null;
  // Not the lowest count: some targets may have appeared only a moment ago.
  const slow = known[Math.floor((known.length - 1) * 0.1)] ?? 1;
  const seconds = rangeSeconds / slow;
  return intervals.find((interval) => seconds <= interval * 1.15) ?? 300;
}

const intervals = [5, 10, 15, 20, 30, 60, 120, 180, 300];

export async function askUp(
  { asker, labels, alternatives, now }: Question,
  { up, window }: { readonly up: string; readonly window: Window },
): Promise<RangeAnswer | null> {
  // To the present, to see targets that were lost after the window.
  const stepSeconds = drawnStep(window.stepSeconds, now - window.fromMs);
  const asked = { fromMs: window.fromMs, toMs: now, stepSeconds };
  const answer = await asker.queryRange('scrape', up, asked);
  return answer && {
    ...answer, series: answer.series.filter((each) =>
      isOfAlert(each.labels, labels, alternatives)),
  };
}

interface ScrapeContext {
  readonly up: string | null;
  /** Null leaves the last states of `answer`, which may be minutes old. */
  readonly targets: TargetsNow | null;
  readonly answer: RangeAnswer | null;
  /** The alert's own series, if gaps in it mean something. */
  readonly own: { readonly values: Float64Array; readonly grid: TimeGrid } | null;
  readonly isStale: boolean;
  readonly scrapeSeconds: number | null;
  /** Ids of the evidence items of the own series. */
  readonly ownEvidence: readonly string[];
}

/** Adds whether the targets are scraped; null if no target of the alert is known. */
export function addScrape(writing: FactWriter, context: ScrapeContext): ScrapeFacts | null {
  const { up, targets, answer, own, isStale, scrapeSeconds } = context;
  const common = { kind: 'series', title: scrapeTitle, query: up } as const;
  if (answer === null || answer.series.length === 0) {
    return addUnknown(writing, common, {
      part: answer === null ? 'scrape' : null,
      otherwise: up === null ? 'The labels of the alert name no target.'
        : 'The server has no target with these labels.',
    });
  }
  const { grid, series } = answer;
  const states = targets?.up?.samples ?? series.flatMap(({ labels, values }) => {
    // A target without a value within three points is gone.
    const value = values.subarray(-3).findLast(Number.isFinite);
    return value === undefined ? [] : [{ labels, value }];
  });
  const answering = states.filter(({ value }) => value === 1).length;
  const gaps = uniqueGaps([
    ...series.flatMap(({ values }) => gapsOf(values, grid, scrapeSeconds)).filter(({ toMs }) =>
      // A target that is gone leaves a gap without an end; it is not counted above.
      toMs < lastTimeOf(grid) || states.length === 0),
    ...(own === null ? [] : gapsOf(own.values, own.grid, scrapeSeconds)),
  ]);
  const down = states.filter(({ value }) => value === 0).slice(0, downMax)
    .map(({ labels }) => labels);
  const outages = outagesOf(series, grid);
  const evidence = writing.add({
    ...common, ...notesOf(answer), ...spanOf(grid),
    summary: (states.length === 0 ? 'No target has been scraped lately'
      : `${answering} of ${states.length} targets ${answering === 1 ? 'is' : 'are'} up`) +
      `${gaps.length === 0 ? '' : `, with ${counted(gaps.length, 'gap')} in the samples`}.`,
    data: {
      up: answering, total: states.length, scrape_seconds: scrapeSeconds, is_stale: isStale,
      down, ...targets?.shared != null && { down_together: targets.shared },
      outages: outages.map(({ labels, fromMs, toMs }) => ({
        labels, from: isoTime(fromMs), to: toMs === null ? null : isoTime(toMs),
      })),
      gaps: gaps.map(({ fromMs, toMs }) => ({ from: isoTime(fromMs), to: isoTime(toMs) })),
    },
  });
  const cited = isStale || gaps.length > 0 ? [evidence, ...context.ownEvidence] : [evidence];
  const failed = addFailedScrapes(writing, targets?.failed ?? []);
  const counts = { up: answering, total: states.length };
  const shared = targets?.shared ?? null;
  return { ...counts, down, failed, shared, outages, gaps, isStale, evidence: cited };
}

/** Without duplicates: many targets often have the same gaps. */
function uniqueGaps(gaps: readonly TimeSpan[]): TimeSpan[] {
  const found = new Map<string, TimeSpan>();
  for (const gap of gaps) found.set(`${gap.fromMs} ${gap.toMs}`, gap);
  return [...found.values()].sort((a, b) => a.fromMs - b.fromMs || a.toMs - b.toMs)
    .slice(0, gapsMax);
}
