import { textOf } from '../../../lib/promql/promql-tokens.ts';
import { bare, parsePromql } from '../../../lib/promql/promql-tree.ts';
import { longestRangeIn } from '../../../lib/promql/scalar.ts';
import { formatQuantity } from '../../../lib/quantity.ts';
import { isoTime } from '../../../report/time-text.ts';
import { classifyMetric } from '../../../statistics/names/metric-class.ts';
import type { LevelFacts } from '../../metric-facts.ts';
import type { Asker } from '../asking.ts';
import type { FactWriter } from '../fact-writer.ts';
import { ownAmong } from '../matching-labels.ts';
import type { Question } from '../question.ts';

/** A level whose change a rule compares, and over which time. */
interface Level {
  readonly query: string;
  readonly metric: string;
  readonly rangeSeconds: number;
}

/** The answers about a level, before the problem and now; null is unknown. */
export interface AskedLevel extends Level {
  readonly before: number | null;
  readonly now: number | null;
  readonly beforeMs: number;
}

const changing: ReadonlySet<string> = new Set(['delta', 'idelta', 'deriv']);
/** Samples are this late at most, as a rule. */
const lateMs = 30_000;

/** Null for a rule on anything but the change of one gauge over a window. */
function levelIn(compared: string): Level | null {
  const tree = parsePromql(compared);
  const call = tree === null ? null : bare(tree);
  if (call?.kind !== 'call' || !changing.has(call.name)) return null;
  const [argument] = call.arguments;
  if (argument?.kind !== 'timed' || argument.inner.kind !== 'selector') return null;
  const { metric, tokens } = argument.inner;
  if (metric === null || classifyMetric(metric).kind === 'counter') return null;
  return { query: textOf(tokens()), metric, rangeSeconds: longestRangeIn(call) };
}

/**
 * Asks for the level itself: once the window has passed the change, the rule is silent, whether or
 * not the level came back. `forSeconds` is how long the rule waits.
 */
export async function askLevel(
  asker: Asker,
  { labels, startsAtMs, now }: Pick<Question, 'labels' | 'startsAtMs' | 'now'>,
  { compared, forSeconds }: { readonly compared: string; readonly forSeconds: number },
): Promise<AskedLevel | null> {
  const level = levelIn(compared);
  if (level === null || !Number.isFinite(level.rangeSeconds)) return null;
  const beforeMs = startsAtMs - (level.rangeSeconds + forSeconds) * 1000 - lateMs;
  const [before, current] = await Promise.all([beforeMs, now].map(async (atMs) => {
    const answer = await asker.query('own', level.query, atMs);
    return answer === null ? null : (ownAmong(answer.samples, labels)?.value ?? null);
  }));
  return { ...level, before: before ?? null, now: current ?? null, beforeMs };
}

/** Adds the level at both times; null where one of them is unknown. */
export function addLevel({ add }: FactWriter, asked: AskedLevel | null): LevelFacts | null {
  if (asked === null || asked.before === null || asked.now === null) return null;
  const { query, metric, before, now, beforeMs } = asked;
  const evidence = add({
    kind: 'series', title: 'The level whose change the rule compares', query,
    summary: `${formatQuantity(before, null)} before, ${formatQuantity(now, null)} now.`,
    data: { before, now, before_at: isoTime(beforeMs) },
  });
  return { metric, before, now, evidence };
}
