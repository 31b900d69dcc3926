import type { LabelSet } from '../../alert/labels.ts';
import type { InstantAnswer } from '../../sources/prometheus-answers.ts';
import type { TestAnswer } from '../metric-facts.ts';
import type { AlertPlace } from '../place.ts';
import { unwrapped } from '../rule/unwrapped.ts';
import type { Times } from './alert-window.ts';
import type { Asker } from './asking.ts';
import { whyMissing, type FactWriter } from './fact-writer.ts';
import { namesOf } from './matching-labels.ts';
import { notesOf, rounded } from './series-data.ts';
import { nearOf } from './test-reach.ts';
import type { WorldBinder } from './world.ts';

export const testsMax = 10;
/** Queries that a person would make next. */
const questionsMax = 2;
const samplesShown = 20;

export interface CauseTest {
  readonly id: string;
  /** The cause that it confirms or refutes, in words. */
  readonly cause: string;
  readonly query: string;
  /** Whether samples in its answer support the cause. */
  readonly isSupported: (samples: readonly number[]) => boolean;
  /** Alerts of its family begin long after their cause did, so it may look back that far. */
  readonly isGradual?: boolean;
  /** Tests of what the answer names, which may wait for something itself. */
  readonly next?: (answer: InstantAnswer) => readonly CauseTest[];
}

/** The tests for an alert at this place, whose rule has this expression; null is unknown. */
export type TestsFor = (expression: string | null, place: AlertPlace) => readonly CauseTest[];

export interface AskedTest extends CauseTest {
  readonly answer: InstantAnswer | null;
  /** With its usual range. */
  readonly whole: CauseTest;
  /** It follows from the answer to another test. */
  readonly isNext: boolean;
  /** It averages over more time before the problem than since. */
  readonly isDiluted: boolean;
  readonly problemSeconds: number;
  /** What supports the cause happened long before the problem began, if it is known when. */
  readonly isFromBefore: boolean;
  /** What the one series behind its single number is named by; null if there is no such series. */
  readonly named: LabelSet | null;
  /** With its usual range, as it was bound to the alert's world; null if that changed nothing. */
  readonly bound: string | null;
  /** Why it is not asked, as a sentence; null if it is. */
  readonly unasked: string | null;
}

/** How old the problem is where the tests look, and how often its targets are scraped. */
interface ProblemAge {
  readonly seconds: number;
  /** Null if unknown. */
  readonly scrapeSeconds: number | null;
  /** How far back the rule looks. */
  readonly rangeSeconds: number;
}

/** What happened longer than this before a problem that came suddenly is not why it did. */
const beforeSecondsMax = 600;

/** The range of most tests. */
export const usualSeconds = 300;
/** Where a test looks at the present, and not at what it is compared with. */
const usualRange = /\[5m(?=(?::15s)?\](?!\s*offset))/gu;
/** A rate needs two samples, and a scrape may be late or fail. */
const scrapesMin = 4;
const rangeSecondsMin = 30;
/** A share of a range that is older than the problem by which averages are not diluted much. */
const dilutedFactor = 1.5;

/**
 * The test with its usual range of five minutes shortened to the age of a younger problem: an
 * average that mostly covers the time before would rule out what has just begun.
 */
export function withinProblem(
  { query, ...test }: CauseTest,
  { seconds, scrapeSeconds }: Omit<ProblemAge, 'rangeSeconds'>,
): Omit<AskedTest, 'answer' | 'whole' | 'isNext' | 'isFromBefore' | 'named' | 'bound' | 'unasked'> {
  const isAverage = query.search(usualRange) >= 0 && !/\[(?!5m:)\w+:/u.test(query);
  const known = { ...test, problemSeconds: seconds };
  if (!isAverage || seconds >= usualSeconds) return { ...known, query, isDiluted: false };
  const least = Math.max(rangeSecondsMin, scrapesMin * (scrapeSeconds ?? rangeSecondsMin));
  const range = Math.min(usualSeconds, Math.max(least, Math.ceil(seconds / 15) * 15));
  const fitted = query.replace(usualRange, range < usualSeconds ? `[${range}s` : '[5m');
  return { ...known, query: fitted, isDiluted: range > dilutedFactor * seconds };
}

/**
 * The latest time after an alert's start to test at. Tests look back for an hour or less: later,
 * what they compare with is trouble as well, and nothing is left of a release just before it.
 */
const testedAfterMsMax = 30 * 60_000;

/**
 * When to look for causes: now, unless it began long ago, or halfway through the trouble of an
 * alert that has ended. A rule that looks back, over `rangeSeconds`, goes on firing for as long
 * after the trouble is over.
 */
export function testedAt({ startsAtMs, endsAtMs, now }: Times, rangeSeconds: number): number {
  if (endsAtMs === null) return Math.min(now, startsAtMs + testedAfterMsMax);
  const lasted = Math.max(0, Math.min(endsAtMs, now) - rangeSeconds * 1000 - startsAtMs);
  return Math.min(now, startsAtMs + Math.min(testedAfterMsMax, lasted / 2));
}

/** How far is followed what waits for what. */
const hopsMax = 3;

/** Runs the queries that decide between causes, at most 12, and those that follow. */
export async function askTests(
  asker: Asker,
  tests: readonly CauseTest[],
  { atMs, age, bind, hops: most = hopsMax }: {
    readonly atMs: number;
    readonly age: ProblemAge;
    readonly bind: WorldBinder['bind'];
    readonly hops?: number;
  },
): Promise<AskedTest[]> {
  const ask = async (given: CauseTest, hops: number): Promise<AskedTest[]> => {
    const bound = await bind(given.query);
    if ('why' in bound) {
      return [{
        ...withinProblem(given, age), whole: given, answer: null, isNext: hops > 0,
        isFromBefore: false, named: null, bound: null, unasked: bound.why,
      }];
    }
    const test = { ...given, query: bound.query };
    const fitted = withinProblem(test, age);
    const whole = await asker.query('tests', fitted.query, atMs);
    const near = whole === null || test.isGradual === true || !isSupportedBy(test, whole) ? null
      : nearOf(fitted.query, Math.ceil(age.seconds + age.rangeSeconds) + beforeSecondsMax);
    const nearer = near === null || near.query === null ? whole
      : await asker.query('tests', near.query, atMs);
    // Unless it is known to be timely, it supports nothing.
    const answer = nearer === null ? null : whole;
    const isFromBefore = near !== null && nearer !== null && !near.isWithin(valuesOf(nearer)) &&
      (near.query === null || !isSupportedBy(test, nearer));
    const decides = answer !== null && !isFromBefore && isSupportedBy(test, answer);
    const named = decides ? await askNamed(asker, { ...fitted, answer, atMs }) : null;
    const next = answer === null || hops === most ? [] : (test.next?.(answer) ?? []);
    const asked = {
      ...fitted, whole: test, answer, isNext: hops > 0, isFromBefore, named, unasked: null,
      bound: test.query === given.query ? null : test.query,
    };
    const later = await Promise.all(next.map((each) => ask(each, hops + 1)));
    return [asked, ...later.flat()];
  };
  const first = tests.slice(0, testsMax + questionsMax);
  return (await Promise.all(first.map((test) => ask(test, 0)))).flat();
}

/** The second of two that are added up is this much smaller than the first, which then decides. */
const aheadMin = 4;

/** The labels of the series that decides a test whose answer has none. */
async function askNamed(
  asker: Asker,
  { query, answer, atMs }: {
    readonly query: string; readonly answer: InstantAnswer; readonly atMs: number;
  },
): Promise<LabelSet | null> {
  const [only, ...others] = answer.samples;
  const parts = others.length > 0 || only === undefined || namesOf(only.labels).length > 0 ? null
    : unwrapped(query);
  if (parts === null) return null;
  const behind = await asker.query('tests', parts.query, atMs);
  const [first, second] = behind?.samples ?? [];
  if (first === undefined) return null;
  const isAhead = second === undefined || (parts.isExtreme ? first.value !== second.value
    : first.value >= aheadMin * Math.abs(second.value));
  return !isAhead ? null : Object.fromEntries(namesOf(first.labels)
    .filter((name) => !parts.asked.has(name))
    .map((name) => [name, first.labels[name] ?? '']));
}

function isSupportedBy({ isSupported }: CauseTest, answer: InstantAnswer): boolean {
  return isSupported(valuesOf(answer));
}

function valuesOf({ samples }: InstantAnswer): number[] {
  return samples.map(({ value }) => value);
}

/** Shortly before the recheck after an end, which takes a rounded time as now. */
const steadySeconds = 270;
export const againMax = 3;
/** A range that looks back on the trouble itself for longer. */
const longRange = /\[(?!(?:\d+s|[1-5]m)(?::15s)?\])/u;

/**
 * Asks the tests that supported their cause once more, of the time after the end of the alert. None
 * while it fires; null while that time is too short.
 */
export function askTestsAgain(
  asker: Asker,
  asked: readonly AskedTest[],
  { endsAtMs, now, bind }: Pick<Times, 'endsAtMs' | 'now'> & {
    readonly bind: WorldBinder['bind'];
  },
): Promise<AskedTest[]> | null {
  if (endsAtMs === null) return Promise.resolve([]);
  const supported = asked.filter(({ answer, isNext, isFromBefore, whole }) =>
    answer !== null && !isNext && !isFromBefore && isSupportedBy(whole, answer) &&
    !longRange.test(whole.query));
  const atMs = endsAtMs + steadySeconds * 1000;
  if (supported.length > 0 && now < atMs) return null;
  return askTests(asker, supported.slice(0, againMax).map(({ whole }) => whole), {
    atMs, bind, age: { seconds: steadySeconds, scrapeSeconds: null, rangeSeconds: 0 }, hops: 0,
  });
}

/** Adds an item for each test, as long as there is room. */
export function addTests(
  writing: FactWriter,
  asked: readonly AskedTest[],
  title = 'Test',
): ReadonlyMap<string, TestAnswer> {
  const answers = new Map<string, TestAnswer>();
  for (const { answer, ...test } of asked) {
    const {
      id, cause, query, isDiluted, isFromBefore, problemSeconds, unasked, bound, named,
    } = test;
    if (writing.ledger.room <= 0) break;
    const samples = answer === null ? [] : valuesOf(answer);
    const failed = unasked ?? (answer === null ? whyMissing(writing, 'tests') : null);
    const shown = samples.slice(0, samplesShown).map((value) => rounded(value) ?? String(value));
    const evidence = writing.add({
      kind: 'series', title: `${title}: ${cause}`, query, ...(answer !== null && notesOf(answer)),
      state: failed !== null && unasked === null ? 'failed' : samples.length === 0 ? 'empty' : 'ok',
      summary: failed ?? (samples.length === 0 ? 'The query returned nothing.'
        : `${samples.length === 1 ? 'One value' : `${samples.length} values`}: ` +
          `${shown.slice(0, 8).join(', ')}${samples.length > 8 ? ' …' : '.'}`),
      error: unasked === null ? failed : null,
      data: {
        samples: answer?.samples.slice(0, samplesShown).map(({ labels, value }) => ({
          labels, value: rounded(value) ?? String(value),
        })) ?? [],
      },
    });
    const labels = answer?.samples.map((sample) => sample.labels) ?? [];
    answers.set(id, {
      query, bound, named, samples, labels, failed, isUntold: unasked !== null, evidence,
      isDiluted, isFromBefore, problemSeconds,
    });
  }
  return answers;
}
