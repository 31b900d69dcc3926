import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { compareText } from '../../../lib/compare-text.ts';
import { isoTime } from '../../../report/time-text.ts';
import type { InstantAnswer } from '../../../sources/prometheus-answers.ts';
import { contributorsOf, type Contribution } from '../../../statistics/contributions.ts';
import { labelTelling } from '../../../statistics/familiar-labels.ts';
import type { InsideFacts, InsideTold } from '../../metric-facts.ts';
import { aggregationIn, type Aggregation } from '../../rule/aggregation.ts';
import type { Known } from '../ask-moments.ts';
import { namesOf, unnamedKey } from '../matching-labels.ts';
import type { Question } from '../question.ts';
import { notesOf, rounded } from '../series-data.ts';
import { addUnknown, type Writing } from '../writing.ts';
import { onlyOwn } from './ask-own.ts';

/** Most series to compare: an aggregation may have a million. */
const seriesMax = 500;
/** How long before the split the comparison is: by then a slow rise has not begun. */
const earlierMs = 3_600_000;
const shownMax = 20;
const countedMax = 4;

export interface AskedInside {
  readonly aggregation: Aggregation;
  readonly query: string;
  readonly isHighSide: boolean;
  readonly beforeMs: number;
  readonly firedMs: number;
  readonly before: InstantAnswer | null;
  readonly fired: InstantAnswer | null;
  /** Labels of the group, which all its series share. */
  readonly group: LabelSet;
}

/** Asks for the series inside the alert's own, before the trouble began and when it fired. */
export async function askInside(
  { asker, startsAtMs, now }: Question,
  { first: { reading }, moments: { own, window } }: Known,
): Promise<AskedInside | null> {
  const comparison = reading?.comparison ?? null;
  const aggregation = comparison && aggregationIn(comparison.compared);
  const ownLabels = own?.labels ?? null;
  const isHighSide = comparison?.operator.startsWith('>') === true;
  const isLowSide = comparison?.operator.startsWith('<') === true;
  if (aggregation === null || ownLabels === null || !(isHighSide || isLowSide)) return null;
  if (!isTelling(aggregation, isHighSide)) return null;
  const group = Object.fromEntries((aggregation.by ?? namesOf(ownLabels))
    .map((name) => [name, labelOf(ownLabels, name) ?? '']));
  const query = `topk(${seriesMax + 1}, ${onlyOwn(aggregation.inner, group)})`;
  const beforeMs = Math.max(window.fromMs, window.splitMs - earlierMs);
  const firedMs = Math.min(startsAtMs, now);
  const [before, fired] = await Promise.all([
    asker.query('inside', query, beforeMs), asker.query('inside', query, firedMs),
  ]);
  return { aggregation, query, isHighSide, beforeMs, firedMs, before, fired, group };
}

/** Whether one series can be to blame: if even the highest is too low, all are. */
function isTelling({ kind, isAlone }: Aggregation, isHighSide: boolean): boolean {
  if (kind === 'max') return isAlone && isHighSide;
  return kind === 'min' ? isAlone && !isHighSide : true;
}

/** Adds the series inside; null if they were not asked for or explain nothing. */
export function addInside(writing: Writing, asked: AskedInside | null): InsideFacts | null {
  if (asked === null) return null;
  const { aggregation, query, beforeMs, firedMs, before, fired } = asked;
  const common = {
    kind: 'series', title: `What is inside the rule's ${aggregation.kind}`,
    query, from: isoTime(beforeMs), to: isoTime(firedMs),
  } as const;
  if (before === null || fired === null) return addUnknown(writing, common, { part: 'inside' });
  const notes = [before, fired].map(notesOf);
  const isCut = notes.some(({ truncated }) => truncated) ||
    [before, fired].some(({ samples }) => samples.length > seriesMax);
  const parts = partsOf(asked);
  const evidence = writing.add({
    ...common,
    state: parts.length === 0 ? 'empty' : 'ok', truncated: isCut,
    warnings: [...new Set(notes.flatMap(({ warnings }) => warnings))],
    summary: isCut ? 'Too many series to compare, or the answer was incomplete.'
      : `${fired.samples.length} series when it fired, ${before.samples.length} before.`,
    data: {
      series: parts.slice(0, shownMax).map(({ labels, before: was, after }) => ({
        labels, before: rounded(was), when_it_fired: rounded(after),
      })),
    },
  });
  const told = isCut ? null : toldOf(parts, asked);
  return told === null ? null : { told, isWhole: aggregation.isWhole, evidence };
}

/** Each series before and when it fired, largest change first. */
function partsOf({ aggregation, before, fired, group }: AskedInside): Contribution[] {
  const found = new Map<string, { labels: LabelSet; before: number; after: number }>();
  for (const [moment, answer] of [['before', before], ['after', fired]] as const) {
    for (const { labels, value } of answer?.samples ?? []) {
      if (Number.isNaN(value)) continue;
      const key = unnamedKey(labels);
      const inner = Object.fromEntries(namesOf(labels)
        .filter((name) => !Object.hasOwn(group, name))
        .map((name) => [name, labels[name] ?? '']));
      const part = found.get(key) ?? { labels: inner, before: 0, after: 0 };
      part[moment] = aggregation.kind === 'count' ? 1 : value;
      found.set(key, part);
    }
  }
  const moved = ({ before: was, after }: Contribution): number => Math.abs(after - was);
  return [...found].sort(([keyA, a], [keyB, b]) =>
    moved(b) - moved(a) || compareText(keyA, keyB)).map(([, part]) => part);
}

function toldOf(parts: readonly Contribution[], asked: AskedInside): InsideTold | null {
  const { aggregation: { kind }, isHighSide } = asked;
  const fired = partsOf({ ...asked, before: null });
  if (kind === 'max' || kind === 'min') return extremeOf(fired, isHighSide);
  if (parts.length === 1 && fired.length === 1) return onlyOf(fired);
  const counted = kind === 'count' && isHighSide ? countedOf(fired) : null;
  if (counted !== null) return counted;
  const direction = isHighSide ? 'rise' : 'fall';
  const contributors = contributorsOf(parts, direction);
  return contributors === null ? null : { ...contributors, direction };
}

function onlyOf([only]: readonly Contribution[]): InsideTold | null {
  const label = only === undefined ? null : labelTelling([only.labels]);
  return label === null ? null : { kind: 'only', label, value: only?.labels[label] ?? '' };
}

/** A few are named individually; null for many, for which the main contributors are told. */
function countedOf(fired: readonly Contribution[]): InsideTold | null {
  const label = fired.length > countedMax ? null : labelTelling(fired.map(({ labels }) => labels));
  return label === null ? null
    : { kind: 'counted', label, values: fired.map(({ labels }) => labels[label] ?? '').sort() };
}

/** The one extreme series; null if two are equal or no label identifies it. */
function extremeOf(fired: readonly Contribution[], isHighest: boolean): InsideTold | null {
  const [first, second, ...others] = fired
    .toSorted((a, b) => isHighest ? b.after - a.after : a.after - b.after);
  if (first === undefined) return null;
  if (second === undefined) return onlyOf([first]);
  if (first.after === second.after) return null;
  const label = labelTelling([first.labels], [second, ...others].map(({ labels }) => labels));
  return label === null ? null : {
    kind: 'extreme', label, value: first.labels[label] ?? '', of: fired.length, isHighest,
    measured: first.after, next: second.after,
  };
}
