import type { InstantAnswer } from '../../sources/prometheus-answers.ts';
import type { TestAnswer } from '../metric-facts.ts';
import type { Times } from './alert-window.ts';
import type { Asker } from './asking.ts';
import { notesOf, rounded } from './series-data.ts';
import { whyMissing, type Writing } from './writing.ts';

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

/**
 * When to look for causes: now, or halfway through the trouble of an alert that has ended. A rule
 * that looks back, over `rangeSeconds`, goes on firing for as long after the trouble is over.
 */
export function testedAt({ startsAtMs, endsAtMs, now }: Times, rangeSeconds: number): number {
  if (endsAtMs === null) return now;
  const lasted = Math.max(0, Math.min(endsAtMs, now) - rangeSeconds * 1000 - startsAtMs);
  return Math.min(now, startsAtMs + Math.min(testedAfterMsMax, lasted / 2));
}

/** Runs the queries that decide between causes, at most 8. */
export function askTests(
  asker: Asker,
  tests: readonly CauseTest[],
  atMs: number,
): Promise<AskedTest[]> {
  return Promise.all(tests.slice(0, testsMax).map(async (test) => {
    return { ...test, answer: await asker.query('tests', test.query, atMs) };
  }));
}

/** Adds an item for each test, as long as there is room. */
export function addTests(
  writing: Writing,
  asked: readonly AskedTest[],
): ReadonlyMap<string, TestAnswer> {
  const answers = new Map<string, TestAnswer>();
  for (const { id, cause, query, answer } of asked) {
    if (writing.ledger.room <= 0) break;
    const samples = answer?.samples.map(({ value }) => value) ?? [];
    const failed = answer === null ? whyMissing(writing, 'tests') : null;
    const shown = samples.slice(0, samplesShown).map((value) => rounded(value) ?? String(value));
    const evidence = writing.add({
      kind: 'series', title: `Test: ${cause}`, query, ...(answer !== null && notesOf(answer)),
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
    const labels = answer?.samples.map((sample) => sample.labels) ?? [];
    answers.set(id, { query, samples, labels, failed, evidence });
  }
  return answers;
}
