import { formatDuration, formatQuantity } from '../../../lib/quantity.ts';
import { timeAt } from '../../../sources/time-grid.ts';
import { isFiring } from '../../measurement.ts';
import type { PastFacts } from '../../metric-facts.ts';
import type { RuleReading } from '../../rule/rule-expression.ts';
import type { FactWriter } from '../fact-writer.ts';
import { notesOf, spanOf } from '../series-data.ts';
import type { OwnRange } from './ask-own.ts';

/** With fewer values, the past is hardly known. */
const knownMin = 12;

/**
 * Adds how the value was in the day before the problem, by the threshold of the rule. Null for a
 * rule on anything but a number, where too little is known, and where it was never beyond.
 */
export function addPast(
  { add }: FactWriter,
  range: OwnRange | null,
  { comparison }: RuleReading,
): PastFacts | null {
  if (range === null || comparison === null || range.infinite > 0) return null;
  const { operator, threshold, unit } = comparison;
  if (threshold === null || operator === '==' || operator === '!=') return null;
  const { grid } = range.answer;
  const points = Array.from(range.values)
    .map((value, index) => ({ atMs: timeAt(grid, index), value }))
    .filter(({ value }) => Number.isFinite(value));
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || points.length < knownMin) return null;
  const beyond = points.map(({ value }) => isFiring(value, operator, threshold));
  const starts = beyond.flatMap((isBeyond, index) =>
    (isBeyond && beyond[index - 1] !== true ? [points[index]?.atMs ?? 0] : []));
  const values = points.map(({ value }) => value);
  const least = values.reduce((a, b) => Math.min(a, b));
  const most = values.reduce((a, b) => Math.max(a, b));
  const beyondShare = beyond.filter(Boolean).length / beyond.length;
  const stretches = starts.length;
  if (stretches === 0) return null;
  const spreadMs = (starts.at(-1) ?? 0) - (starts[0] ?? 0);
  const lasts = (last.atMs - first.atMs) / 1000;
  const evidence = add({
    kind: 'series', title: 'The value in the day before', query: range.query, ...spanOf(grid),
    ...notesOf(range.answer),
    summary: `Between ${formatQuantity(least, unit)} and ${formatQuantity(most, unit)} in ` +
      `${formatDuration(lasts)}; beyond the threshold of ${formatQuantity(threshold, unit)} for ` +
      `${formatQuantity(beyondShare, 'ratio')} of the time.`,
    data: { least, most, beyond_share: beyondShare, stretches, points: points.length },
  });
  return {
    fromMs: first.atMs, toMs: last.atMs, beyondShare, stretches, spreadMs, least, most, evidence,
  };
}
