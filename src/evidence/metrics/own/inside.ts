import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { compareText } from '../../../lib/compare-text.ts';
import { isoTime } from '../../../report/time-text.ts';
import type { InstantAnswer } from '../../../sources/prometheus-answers.ts';
import {
  contributorsOf, type Contribution, type Contributors,
} from '../../../statistics/contributions.ts';
import { distinguishingLabel } from '../../../statistics/familiar-labels.ts';
import type { InsideFacts, InsideFinding } from '../../inside-fact.ts';
import { aggregationIn, type Aggregation } from '../../rule/aggregation.ts';
import { meanDurationIn } from '../../rule/mean-duration.ts';
import { expressionUnitOf } from '../../rule/rule-expression.ts';
import { sharePartsIn } from '../../rule/share-parts.ts';
import type { Known } from '../ask-moments.ts';
import { addUnknown, type FactWriter } from '../fact-writer.ts';
import { namesOf, unnamedKey } from '../matching-labels.ts';
import type { Question } from '../question.ts';
import { notesOf, rounded } from '../series-data.ts';
import { askAlone, type Alone } from './alone-inside.ts';
import { onlyOwn } from './ask-own.ts';
import { askShare, shareFinding, type AskedShare } from './share-inside.ts';
import { askWide, wideFinding, type AskedWide } from './wide-inside.ts';

/** Most series to compare: an aggregation may have a million. */
const seriesMax = 500;
/** How long before the split the comparison is: by then a slow rise has not begun. */
const earlierMs = 3_600_000;
const shownMax = 20;
const countedMax = 4;
/** There was at most this share of it before, as of errors that nobody else has ever had. */
const newMax = 0.001;
const leadersMax = 2;

/** What the compared value is made of. */
interface Inside {
  readonly kind: Aggregation['kind'] | 'mean';
  /** The series that are added up, as a query; of a mean, the time that each takes per second. */
  readonly inner: string;
  /** How often per second, for a mean; null otherwise. */
  readonly count: string | null;
  readonly isWhole: boolean;
  /** Labels of the group, which all its series share. */
  readonly group: LabelSet;
}

/** An answer of before the trouble, and one of when the alert fired. */
interface Both {
  readonly before: InstantAnswer | null;
  readonly fired: InstantAnswer | null;
}

export interface AskedInside extends Both {
  readonly inside: Inside;
  readonly query: string;
  readonly isHighSide: boolean;
  readonly beforeMs: number;
  readonly firedMs: number;
  /** The counts that a mean divides by; null otherwise. */
  readonly counts: Both | null;
  /** Among too many series: what the server itself adds up by label; null if that is not needed. */
  readonly wide: AskedWide | null;
  /** Values that all series have, though others of their metric have other ones. */
  readonly alone: readonly Alone[];
  /** Both sides of a share; null for anything else. */
  readonly share: AskedShare | null;
}

/** Asks for what is inside the alert's own value, before the trouble began and when it fired. */
export async function askInside(
  { asker, startsAtMs, now }: Question,
  { first: { reading }, moments: { own, window, place } }: Known,
): Promise<AskedInside | null> {
  const comparison = reading?.comparison ?? null;
  const labels = own?.labels ?? null;
  const isHighSide = comparison?.operator.startsWith('>') === true;
  const isLowSide = comparison?.operator.startsWith('<') === true;
  if (comparison === null || labels === null || !(isHighSide || isLowSide)) return null;
  const inside = insideOf(comparison.compared, labels, isHighSide);
  if (inside === null) return null;
  const { inner, count } = inside;
  const beforeMs = Math.max(window.fromMs, window.splitMs - earlierMs);
  const firedMs = Math.min(startsAtMs, now);
  const askBoth = async (query: string): Promise<Both> => {
    const [before, fired] = await Promise.all([
      asker.query('inside', query, beforeMs), asker.query('inside', query, firedMs),
    ]);
    return { before, fired };
  };
  const query = `topk(${seriesMax + 1}, ${inner})`;
  const shared = inside.kind === 'mean' ? null : sharePartsIn(comparison.compared);
  const [both, counts, share] = await Promise.all([
    askBoth(query), count === null ? null : askBoth(`topk(${seriesMax + 1}, ${count})`),
    shared === null ? null
      : askShare(asker, shared, { group: inside.group, isHighSide, beforeMs, firedMs }),
  ]);
  const found = { inside, query, isHighSide, beforeMs, firedMs, ...both, counts, share };
  const series = both.fired?.samples ?? [];
  const isSum = inside.kind !== 'max' && inside.kind !== 'min';
  const [wide, alone] = await Promise.all([
    isSum && isCut(found)
      ? askWide(asker, { ...inside, series, isHighSide, beforeMs, firedMs }) : null,
    isSum && isHighSide && !isCut(found)
      ? askAlone(asker, { inner, group: inside.group, series, place, firedMs }) : [],
  ]);
  return { ...found, wide, alone };
}

function insideOf(compared: string, own: LabelSet, isHighSide: boolean): Inside | null {
  const mean = isHighSide ? meanDurationIn(compared) : null;
  const aggregation = aggregationIn(compared);
  const by = mean === null ? aggregation?.by : mean.by;
  const group = Object.fromEntries((by ?? namesOf(own))
    .map((name) => [name, labelOf(own, name) ?? '']));
  if (mean !== null) {
    const [inner, count] = [onlyOwn(mean.spent, group), onlyOwn(mean.count, group)];
    return { kind: 'mean', inner, count, isWhole: true, group };
  }
  if (aggregation === null || !isAttributable(aggregation, isHighSide)) return null;
  const { kind, isWhole } = aggregation;
  return { kind, inner: onlyOwn(aggregation.inner, group), count: null, isWhole, group };
}

/** Whether one series can be to blame: if even the highest is too low, all are. */
function isAttributable({ kind, isAlone }: Aggregation, isHighSide: boolean): boolean {
  if (kind === 'max') return isAlone && isHighSide;
  return kind === 'min' ? isAlone && !isHighSide : true;
}

function isCut({ before, fired, counts }: Both & Pick<AskedInside, 'counts'>): boolean {
  const answers = [before, fired, counts?.before ?? null, counts?.fired ?? null];
  return answers.some((answer) => answer !== null &&
    (notesOf(answer).truncated || answer.samples.length > seriesMax));
}

/** Adds the series inside; null if they were not asked for or explain nothing. */
export function addInside(writing: FactWriter, asked: AskedInside | null): InsideFacts | null {
  if (asked === null) return null;
  const ofShare = asked.share && shareFinding(asked.share);
  if (asked.share && ofShare?.finding) return addShare(writing, asked, ofShare.finding);
  const { inside, query, beforeMs, firedMs, before, fired, counts, wide } = asked;
  const common = {
    kind: 'series', title: titleOf(inside), query, from: isoTime(beforeMs), to: isoTime(firedMs),
  } as const;
  const answers = [before, fired, ...counts === null ? [] : [counts.before, counts.fired]];
  const known = answers.filter((answer) => answer !== null);
  if (known.length < answers.length || before === null || fired === null) {
    return addUnknown(writing, common, { part: 'inside' });
  }
  const cut = isCut(asked);
  const parts = cut ? [] : partsOf(asked);
  // Where no share moved more than others, the larger part is only that of more events.
  const finding = ofShare !== null ? null
    : cut ? wideFinding(wide, asked.isHighSide) : findingOf(parts, asked);
  // That no one is slower than the others is worth no room.
  if (finding === null && inside.kind === 'mean') return null;
  const evidence = writing.add({
    ...common, ...wide !== null && { query: wide.query },
    state: parts.length === 0 && finding === null && !cut ? 'empty' : 'ok',
    truncated: cut && finding === null,
    warnings: [...new Set(known.flatMap((answer) => notesOf(answer).warnings))],
    summary: !cut ? `${fired.samples.length} series when it fired, ${before.samples.length} before.`
      : finding === null ? 'Too many series to compare, or the answer was incomplete.'
        : 'Too many series to compare each, so the server added them up by label.',
    data: {
      series: (finding !== null && wide !== null ? wide.moved : parts).slice(0, shownMax)
        .map(({ labels, before: was, after }) => ({
          labels, before: rounded(was), when_it_fired: rounded(after),
        })),
    },
  });
  return finding === null ? null
    : { finding, isWhole: inside.isWhole, unit: unitInside(inside), evidence };
}

function addShare(
  writing: FactWriter,
  { share, beforeMs, firedMs }: AskedInside,
  finding: InsideFinding,
): InsideFacts {
  const led = finding.kind === 'leaders' ? finding : null;
  const isOfAll = led?.measured === 'all';
  const evidence = writing.add({
    kind: 'series', title: isOfAll ? 'What the value is a share of' : 'Whose share moved',
    query: share?.query ?? '', from: isoTime(beforeMs), to: isoTime(firedMs), state: 'ok',
    summary: `${share?.sides.whole[1].length ?? 0} series when it fired, ` +
      `${share?.sides.whole[0].length ?? 0} before.`,
    data: {
      series: (led?.leaders ?? []).map(({ label, values, before, after }) => ({
        labels: { [label]: values.join(', ') },
        before: rounded(before), when_it_fired: rounded(after),
      })),
      ...led?.outcome != null && { outcome: { ...led.outcome } },
    },
  });
  const unit = isOfAll ? expressionUnitOf(share?.query ?? '') : 'ratio';
  return { finding, isWhole: true, unit, evidence };
}

function unitInside({ kind, inner, count }: Inside): string | null {
  return kind === 'count' ? 'count'
    : expressionUnitOf(count === null ? inner : `(${inner}) / (${count})`);
}

function titleOf({ kind }: Inside): string {
  return kind === 'mean' ? 'Where the time is spent' : `What is inside the rule's ${kind}`;
}

/** One series; of a mean, what it had before is for as many as now. */
interface Part extends Contribution {
  /** How many there are now per second, and were before, for a mean. */
  readonly count: number;
  readonly countBefore: number;
}

/** Each series before and when it fired, largest change first. */
function partsOf({ inside: { kind, group }, before, fired, counts }: AskedInside): Part[] {
  const found = new Map<string, {
    labels: LabelSet; before: number; after: number; count: number; countBefore: number;
  }>();
  for (const [moment, answer] of [['before', before], ['after', fired]] as const) {
    for (const { labels, value } of answer?.samples ?? []) {
      if (Number.isNaN(value)) continue;
      const key = unnamedKey(labels);
      const inner = Object.fromEntries(namesOf(labels)
        .filter((name) => !Object.hasOwn(group, name))
        .map((name) => [name, labels[name] ?? '']));
      const part = found.get(key) ?? {
        labels: inner, before: 0, after: 0, count: 0, countBefore: 0,
      };
      part[moment] = kind === 'count' ? 1 : value;
      found.set(key, part);
    }
  }
  if (counts !== null) asForTheCountNow(found, counts);
  const moved = ({ before: was, after }: Contribution): number => Math.abs(after - was);
  return [...found].sort(([keyA, a], [keyB, b]) =>
    moved(b) - moved(a) || compareText(keyA, keyB)).map(([, part]) => part);
}

/**
 * Replaces the time spent before by what as many as now would have taken: more of the same is not
 * slower. What there was none of before would have taken as long as all others.
 */
function asForTheCountNow(
  parts: ReadonlyMap<string, { before: number; count: number; countBefore: number }>,
  counts: Both,
): void {
  const [had, has] = [countsOf(counts.before), countsOf(counts.fired)];
  const spent = [...parts.values()].reduce((total, { before }) => total + before, 0);
  const usual = spent / [...had.values()].reduce((total, count) => total + count, 0);
  for (const [key, part] of parts) {
    const [count, now] = [had.get(key) ?? 0, has.get(key) ?? 0];
    const mean = count > 0 ? part.before / count : usual;
    part.count = now;
    part.countBefore = count;
    part.before = Number.isFinite(mean) && now > 0 ? mean * now : 0;
  }
}

function countsOf(answer: InstantAnswer | null): Map<string, number> {
  return new Map((answer?.samples ?? []).map(({ labels, value }) => [unnamedKey(labels), value]));
}

function findingOf(parts: readonly Part[], asked: AskedInside): InsideFinding | null {
  const { inside: { kind }, isHighSide } = asked;
  const fired = partsOf({ ...asked, before: null, counts: null });
  if (kind === 'max' || kind === 'min') return extremeOf(fired, isHighSide);
  const isOne = parts.length === 1 && fired.length === 1;
  if (isOne && asked.alone.length === 0) return onlyOf(fired);
  const counted = kind === 'count' && isHighSide ? countedOf(fired) : null;
  if (counted !== null) return counted;
  const direction = isHighSide ? 'rise' : 'fall';
  const contributors = withAlone(contributorsOf(parts, direction), parts, asked);
  if (contributors === null) return null;
  if (kind !== 'mean') return { ...contributors, direction, measured: 'amount' };
  const means = asMeans(contributors, parts);
  return means === null ? null : { ...means, direction, measured: 'mean' };
}

/** Where all errors have one path, and other requests have others, that path leads. */
function withAlone(
  contributors: Contributors | null,
  parts: readonly Part[],
  { alone }: AskedInside,
): Contributors | null {
  const whole = {
    before: parts.reduce((sum, { before }) => sum + before, 0),
    after: parts.reduce((sum, { after }) => sum + after, 0),
  };
  const leaders = alone.map(({ label, value, of }) =>
    ({ label, values: [value], of, share: 1, ...whole }));
  // What had all of it before as well says nothing about what came on top.
  const isNew = whole.before <= newMax * whole.after;
  if (leaders.length === 0 || !isNew) return contributors;
  const others = contributors?.kind === 'leaders' ? contributors.leaders : [];
  return { kind: 'leaders', leaders: [...leaders, ...others].slice(0, leadersMax), whole };
}

/**
 * Per call instead of per second: the mean of each leader, and of all; null where there was nothing
 * before that could be compared.
 */
function asMeans(contributors: Contributors, parts: readonly Part[]): Contributors | null {
  if (contributors.kind !== 'leaders') return contributors;
  const each = <T extends { readonly before: number; readonly after: number }>(
    sum: T,
    counted: readonly Part[],
  ): T[] => {
    const count = counted.reduce((total, part) => total + part.count, 0);
    return counted.every(({ countBefore }) => countBefore === 0) ? []
      : [{ ...sum, before: sum.before / count, after: sum.after / count }];
  };
  const leaders = contributors.leaders.flatMap((leader) =>
    each(leader, parts.filter(({ labels }) =>
      leader.values.includes(labelOf(labels, leader.label) ?? ''))));
  const [whole = null] = contributors.whole === null ? [] : each(contributors.whole, parts);
  return leaders.length === 0 ? null : { ...contributors, whole, leaders };
}

function onlyOf([only]: readonly Contribution[]): InsideFinding | null {
  const label = only === undefined ? null : distinguishingLabel([only.labels]);
  return label === null ? null : { kind: 'only', label, value: only?.labels[label] ?? '' };
}

/** A few are named individually; null for many, for which the main contributors are named. */
function countedOf(fired: readonly Contribution[]): InsideFinding | null {
  const label = fired.length > countedMax ? null
    : distinguishingLabel(fired.map(({ labels }) => labels));
  return label === null ? null
    : { kind: 'counted', label, values: fired.map(({ labels }) => labels[label] ?? '').sort() };
}

/** The one extreme series; null if two are equal or no label identifies it. */
function extremeOf(fired: readonly Contribution[], isHighest: boolean): InsideFinding | null {
  const [first, second, ...others] = fired
    .toSorted((a, b) => isHighest ? b.after - a.after : a.after - b.after);
  if (first === undefined) return null;
  if (second === undefined) return onlyOf([first]);
  if (first.after === second.after) return null;
  const label = distinguishingLabel(
    [first.labels], [second, ...others].map(({ labels }) => labels));
  return label === null ? null : {
    kind: 'extreme', label, value: first.labels[label] ?? '', of: fired.length, isHighest,
    measured: first.after, next: second.after,
  };
}
