/**
 * What is inside an aggregation of more series than can be fetched: the server adds them up by one
 * label after another, now and before, and answers with what moved most.
 */
import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import type { InstantAnswer } from '../../../sources/prometheus-answers.ts';
import {
  aheadMin, leadMin, type Contribution, type Leaders,
} from '../../../statistics/contributions.ts';
import { familiarLabels } from '../../../statistics/familiar-labels.ts';
import type { InsideFinding } from '../../inside-fact.ts';
import type { Asker } from '../asking.ts';
import { onlyOwn } from './ask-own.ts';

/** Labels that the server adds up by; leaders among their values that are named. */
const labelsMax = 4;
const leadersMax = 2;
const valuesMax = 6;

export interface AskedWide {
  /** The query that shows what moved most. */
  readonly query: string;
  /** What moved most by that label; the values are of what leads. */
  readonly moved: readonly Contribution[];
  readonly leaders: readonly Leaders[];
  readonly measured: 'amount' | 'mean';
}

interface WideQuestion {
  readonly kind: string;
  readonly inner: string;
  readonly count: string | null;
  readonly group: LabelSet;
  /** The highest series when the alert fired, which show the labels there are. */
  readonly series: InstantAnswer['samples'];
  readonly isHighSide: boolean;
  readonly beforeMs: number;
  readonly firedMs: number;
}

/** Null where no label leads, or nothing is known. */
export async function askWide(asker: Asker, question: WideQuestion): Promise<AskedWide | null> {
  const found = await Promise.all(labelsOf(question).map((label) =>
    askLabel(asker, label, question)));
  const leading = found.filter((each) => each !== null)
    .sort((a, b) => b.share - a.share).slice(0, leadersMax);
  const asked = await Promise.all(leading.map((each) => askLeader(asker, each, question)));
  const known = asked.filter((each) => each !== null);
  const [first] = known;
  return first === undefined ? null : {
    query: first.query, moved: known.map(({ moved }) => moved),
    leaders: known.map(({ leader }) => leader),
    measured: question.count === null ? 'amount' : 'mean',
  };
}

export function wideFinding(wide: AskedWide | null, isHighSide: boolean): InsideFinding | null {
  return wide === null ? null : {
    kind: 'leaders', leaders: wide.leaders, whole: null, measured: wide.measured,
    direction: isHighSide ? 'rise' : 'fall',
  };
}

/** The labels on whose values the highest series are concentrated most. */
function labelsOf({ series, group }: WideQuestion): string[] {
  const total = series.reduce((sum, { value }) => sum + Math.abs(value), 0);
  return familiarLabels(series.map(({ labels }) => labels))
    .filter((name) => !Object.hasOwn(group, name) && /^[a-zA-Z_]\w*$/u.test(name))
    .map((name) => {
      const sums = new Map<string, number>();
      for (const { labels, value } of series) {
        const own = labelOf(labels, name) ?? '';
        sums.set(own, (sums.get(own) ?? 0) + Math.abs(value));
      }
      const named = [...sums].filter(([value]) => value !== '').map(([, sum]) => sum);
      return { name, share: Math.max(0, ...named) / total };
    })
    .sort((a, b) => b.share - a.share)
    .slice(0, labelsMax)
    .map(({ name }) => name);
}

interface LeadingLabel {
  readonly label: string;
  readonly value: string;
  readonly share: number;
  readonly query: string;
}

async function askLabel(
  asker: Asker,
  label: string,
  question: WideQuestion,
): Promise<LeadingLabel | null> {
  const moved = movedBy(label, question);
  const query = `topk(${valuesMax}, ${moved}) or sum(clamp_min(${moved}, 0))`;
  const answer = await asker.query('inside', query, question.firedMs);
  const samples = answer?.samples ?? [];
  const all = samples.find(({ labels }) => labelOf(labels, label) === null)?.value ?? Number.NaN;
  const [first, second] = samples.filter(({ labels }) => labelOf(labels, label) !== null)
    .sort((a, b) => b.value - a.value);
  if (first === undefined || !(first.value > 0)) return null;
  const share = first.value / all;
  const isAhead = share >= leadMin && first.value >= aheadMin * Math.abs(second?.value ?? 0);
  return isAhead ? { label, value: first.labels[label] ?? '', share: Math.min(1, share), query }
    : null;
}

/** How much each value of a label moved. */
function movedBy(label: string, question: WideQuestion): string {
  const { count, isHighSide } = question;
  const sum = amountBy(label, question);
  const before = (query: string): string => {
    const seconds = Math.round((question.firedMs - question.beforeMs) / 1000);
    return `last_over_time((${query})[1m:1m] offset ${seconds}s)`;
  };
  if (count !== null) {
    const calls = `sum by (${label}) (${count})`;
    return `(${sum} - ${calls} * (${before(`${sum} / ${calls}`)} or ${sum} * 0))`;
  }
  return isHighSide ? `(${sum} - (${before(sum)} or ${sum} * 0))`
    : `(${before(sum)} - (${sum} or ${before(sum)} * 0))`;
}

function amountBy(label: string, { kind, inner }: WideQuestion): string {
  return `${kind === 'count' ? 'count' : 'sum'} by (${label}) (${inner})`;
}

async function askLeader(
  asker: Asker,
  { label, value, share, query }: LeadingLabel,
  question: WideQuestion,
): Promise<{ query: string; moved: Contribution; leader: Leaders } | null> {
  const { count, firedMs, beforeMs } = question;
  const sum = amountBy(label, question);
  const measured = count === null ? sum : `${sum} / sum by (${label}) (${count})`;
  const own = onlyOwn(measured, { [label]: value });
  const [was, is, values] = await Promise.all([
    asker.query('inside', own, beforeMs), asker.query('inside', own, firedMs),
    asker.query('inside', `count(${sum})`, firedMs),
  ]);
  const of = values?.samples[0]?.value ?? 0;
  // What all series have tells nothing.
  if (was === null || is === null || of < 2) return null;
  const [before, after] = [was, is].map((answer) => answer.samples[0]?.value ?? 0);
  const amounts = { before: before ?? 0, after: after ?? 0 };
  return {
    query, moved: { labels: { [label]: value }, ...amounts },
    leader: { label, values: [value], of, share, ...amounts },
  };
}
