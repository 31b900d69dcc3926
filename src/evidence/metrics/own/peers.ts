import type { LabelSet } from '../../../alert/labels.ts';
import { compareText } from '../../../lib/compare-text.ts';
import type { InstantAnswer } from '../../../sources/prometheus-answers.ts';
import { isFiring } from '../../measurement.ts';
import type { PeerFacts } from '../../metric-facts.ts';
import type { ReadComparison } from '../../rule/rule-expression.ts';
import type { Asker } from '../asking.ts';
import { addUnknown, type FactWriter } from '../fact-writer.ts';
import { labelKey, unnamedKey } from '../matching-labels.ts';
import { notesOf, rounded } from '../series-data.ts';
import type { OwnMoments } from './ask-own.ts';

const peersTitle = 'Other series of the same rule';

const shownMax = 30;

/** How many series a rule compares, and how many of them are beyond its threshold. */
export type PeerCounts = Pick<PeerFacts, 'total' | 'beyond'>;

/** Has the server count the series if the answer does not hold all of them. */
export async function askPeerCounts(
  asker: Asker,
  { all: { query, answer }, comparison: { operator, threshold }, now }: {
    readonly all: OwnMoments['all']; readonly comparison: ReadComparison; readonly now: number;
  },
): Promise<PeerCounts | null> {
  if (answer === null || answer.omitted === 0 || threshold === null) return null;
  const count = async (counted: string): Promise<number | null> => {
    const found = await asker.query('peers', `count(${counted})`, now);
    return found && (found.samples[0]?.value ?? 0);
  };
  const [total, beyond] = await Promise.all([
    count(query), count(`(${query}) ${operator} ${threshold}`),
  ]);
  return total === null || beyond === null ? null : { total, beyond };
}

/**
 * Adds all series of the alert's expression now, including its own. Null if not all of them could
 * be counted. Without the rule's comparison, only series that fire would be known.
 */
export function addPeers(
  writing: FactWriter,
  { all: { query, answer }, counts, limits, comparison: { operator, threshold } }: {
    readonly all: OwnMoments['all']; readonly counts: PeerCounts | null;
    readonly comparison: ReadComparison;
    /** What each series is compared with, if that is a series. */
    readonly limits: InstantAnswer | null;
  },
): PeerFacts | null {
  const limitOf = limitsBy(limits);
  // If the rule matches on some labels only, it is unknown which limit belongs to which series.
  if (threshold === null && (limitOf === null || (answer?.omitted ?? 0) > 0)) return null;
  const common = { kind: 'series', title: peersTitle, query } as const;
  if (answer === null) return addUnknown(writing, common, { part: 'own' });
  const known = answer.samples
    .map((sample) => ({ ...sample, limit: threshold ?? limitOf?.(sample.labels) ?? Number.NaN }))
    .filter(({ value, limit }) => !Number.isNaN(value) && !Number.isNaN(limit));
  if (known.length === 0 && threshold === null) return null;
  const beyond = known.filter(({ value, limit }) => isFiring(value, operator, limit));
  const far = (value: number): number => (operator.startsWith('<') ? -value : value);
  const listed = known.toSorted((a, b) =>
    far(b.value) - far(a.value) || compareText(labelKey(a.labels), labelKey(b.labels)));
  const isCut = answer.omitted > 0;
  const { total, beyond: count } = counts ?? { total: known.length, beyond: beyond.length };
  const evidence = writing.add({
    ...common, ...notesOf(answer),
    state: total === 0 ? 'empty' : 'ok',
    summary: total === 0 ? 'The rule compares no series now.'
      : `${count} of ${total} series ${count === 1 ? 'is' : 'are'} beyond the threshold now` +
        `${isCut && counts === null ? '; there are more that were not read' : ''}.`,
    data: {
      total, beyond: count, threshold, operator,
      series: listed.slice(0, shownMax).map(({ labels, value, limit }) => ({
        labels, value: rounded(value) ?? String(value),
        ...(threshold === null && { threshold: rounded(limit) ?? String(limit) }),
      })),
    },
  });
  return total === 0 || (isCut && counts === null) ? null : { total, beyond: count, evidence };
}

/** Looks up the limit of a series; null if not all limits are known. */
function limitsBy(answer: InstantAnswer | null): ((labels: LabelSet) => number | null) | null {
  if (answer === null || answer.omitted > 0) return null;
  const known = new Map(answer.samples.map(({ labels, value }) => [unnamedKey(labels), value]));
  return (labels) => known.get(unnamedKey(labels)) ?? null;
}
