import type { LabelSet } from '../../../alert/labels.ts';
import { bare, parsePromql, selectorsIn } from '../../../lib/promql/promql-tree.ts';
import { isoTime } from '../../../report/time-text.ts';
import { selector } from '../../../sources/promql-text.ts';
import type { LastSeenFacts } from '../../metric-facts.ts';
import type { RuleReading } from '../../rule/rule-expression.ts';
import { selectorText } from '../../rule/rule-selectors.ts';
import type { Asker } from '../asking.ts';
import type { FactWriter } from '../fact-writer.ts';
import { exactMatchers } from '../matching-labels.ts';

/** What was the last of the series that a rule on their absence asks for. */
export interface AskedLastSeen {
  readonly query: string;
  readonly metric: string;
  readonly atMs: number;
  /** Labels of the target that exposed it last. */
  readonly target: LabelSet;
  /** Null if that is not known any more. */
  readonly isUp: boolean | null;
  /** How many other series of the metric the target exposes. */
  readonly others: number;
}

const absences: ReadonlySet<string> = new Set(['absent', 'absent_over_time']);

/** Null for any other rule, and where the series were not seen in the last hours. */
export async function askLastSeen(
  asker: Asker,
  reading: RuleReading | null,
  now: number,
): Promise<AskedLastSeen | null> {
  const tree = reading === null ? null : parsePromql(reading.expression);
  const call = tree === null ? null : bare(tree);
  if (call?.kind !== 'call' || !absences.has(call.name)) return null;
  const [asked, ...more] = selectorsIn(call);
  const metric = asked?.metric ?? null;
  if (asked === undefined || metric === null || more.length > 0) return null;
  const query = `max by (job, instance) (max_over_time(timestamp(${selectorText(asked)})[6h:30s]))`;
  const answer = await asker.query('own', query, now);
  const last = answer?.samples.toSorted((a, b) => b.value - a.value)[0];
  if (last === undefined) return null;
  const target = exactMatchers(last.labels, ['job', 'instance']);
  const [up, others] = await Promise.all(['up', metric].map(async (name) => {
    const text = target.length === 0 ? null : selector(name, target);
    return text === null ? null : asker.query('own', text, now);
  }));
  const isUp = up?.samples[0]?.value;
  return {
    query, metric, atMs: last.value * 1000, target: last.labels,
    isUp: isUp === undefined ? null : isUp === 1, others: others?.samples.length ?? 0,
  };
}

/** Adds when the series were last there; null where that is not known. */
export function addLastSeen(
  { add }: FactWriter,
  asked: AskedLastSeen | null,
): LastSeenFacts | null {
  if (asked === null) return null;
  const { query, ...facts } = asked;
  const evidence = add({
    kind: 'series', title: 'When the missing series were last there', query,
    summary: `Last at ${isoTime(facts.atMs)}; ${facts.others} others of ${facts.metric} there now.`,
    data: { last_at: isoTime(facts.atMs), target: facts.target, is_up: facts.isUp,
      others: facts.others },
  });
  return { ...facts, evidence };
}
