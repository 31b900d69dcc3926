import type { InstantAnswer } from '../../sources/prometheus-answers.ts';
import type { Ledger } from '../ledger.ts';
import type { TestAnswer } from '../metric-facts.ts';
import type { Asker, Fault } from './asking.ts';
import { notesOf, rounded } from './series-data.ts';

export const testsMax = 8;
const samplesShown = 20;

export interface CauseTest {
  readonly id: string;
  /** The cause that it confirms or refutes, in words. */
  readonly cause: string;
  readonly query: string;
}

/** The tests for an alert whose rule has this expression; null is unknown. */
export type TestsFor = (expression: string | null) => readonly CauseTest[];

export interface AskedTest extends CauseTest {
  readonly answer: InstantAnswer | null;
}

/** For an alert that has ended, the latest time after its start to test at. */
const testedAfterMsMax = 30 * 60_000;

/** When to look for causes: now, or halfway through an alert that has ended. */
export function testedAt(
  { startsAtMs, endsAtMs, now }: {
    readonly startsAtMs: number; readonly endsAtMs: number | null; readonly now: number;
  },
): number {
  if (endsAtMs === null) return now;
  const lasted = Math.max(0, Math.min(endsAtMs, now) - startsAtMs);
  return Math.min(now, startsAtMs + Math.min(testedAfterMsMax, lasted / 2));
}

/** Runs the queries that decide between causes, at most 8. */
export function askTests(
  asker: Asker,
  { tests, atMs }: { readonly tests: readonly CauseTest[]; readonly atMs: number },
): Promise<AskedTest[]> {
  return Promise.all(tests.slice(0, testsMax).map(async (test) => {
    const answer = await asker.query('tests', test.query, atMs);
    return { ...test, answer };
  }));
}

/** Adds an item for each test, as long as there is room. */
export function addTests(
  ledger: Ledger,
  asked: readonly AskedTest[],
  { fault, fetchedAt }: { readonly fault: Fault | null; readonly fetchedAt: string },
): ReadonlyMap<string, TestAnswer> {
  const answers = new Map<string, TestAnswer>();
  for (const { id, cause, query, answer } of asked) {
    if (ledger.room <= 0) break;
    const samples = answer?.samples.map(({ value }) => value) ?? [];
    const failed = answer === null ? (fault?.why ?? 'Not asked.') : null;
    const shown = samples.slice(0, samplesShown).map((value) => rounded(value) ?? String(value));
    const evidence = ledger.add({
      kind: 'series', source: 'prometheus', title: `Test: ${cause}`, query,
      fetched_at: fetchedAt, ...(answer !== null && notesOf(answer)),
      state: failed !== null ? 'failed' : samples.length === 0 ? 'empty' : 'ok',
      summary: failed ?? (samples.length === 0 ? 'The query returned nothing.'
        : `${samples.length === 1 ? 'One value' : `${samples.length} values`}: ` +
          `${shown.slice(0, 8).join(', ')}${samples.length > 8 ? ' …' : '.'}`),
      error: failed,
      data: {
        samples: answer?.samples.slice(0, samplesShown).map(({ labels, value }) => ({
          labels, value: rounded(value) ?? String(value),
        })) ?? [],
      },
    });
    answers.set(id, { query, samples, failed, evidence });
  }
  return answers;
}
