/**
 * How often a change is called notable when nothing is wrong (false positives), and how many of the
 * labelled anomalies are: judged by each series alone, and after the comparison with the same hours
 * a day and a week earlier, as investigations do it.
 *
 *   npx tsx scripts/score-quiet.ts [--data NAB] [--before 240] [--after 12] [--each]
 *       [--incidents test/fixtures/labelled-incidents]
 *
 * NAB is a checkout of numenta/NAB; without it, only the second part is printed. Each window of
 * --after points without an anomaly is judged against the --before points that precede it; --each
 * prints every series. The second part takes the windows of the labelled incidents without a fault,
 * with baselines of several lengths; they are too short for a comparison with earlier days.
 */
import { measureChange } from '../src/statistics/robust-change.ts';
import { checkSeason, type EarlierPeriod } from '../src/statistics/seasonal-check.ts';
import { notableZ } from '../src/statistics/strength.ts';
import { readLabelledIncidents } from './ranking/labelled-incidents.ts';
import { readLabelledSeries, type LabelledSeries } from './ranking/labelled-series.ts';
import { quietShare } from './ranking/score.ts';
import { scriptOptions } from './script-options.ts';

const options = scriptOptions(import.meta.url, {
  data: { type: 'string' },
  incidents: { type: 'string', default: 'test/fixtures/labelled-incidents' },
  before: { type: 'number', default: 240 },
  after: { type: 'number', default: 12 },
  each: { type: 'boolean', default: false },
});
const { before, after } = options;
const daysAgo = [1, 7];
const beforeLengths = [10, 15, 30, 60, 180];

interface Tally {
  windows: number;
  /** Windows called notable by their series alone. */
  alone: number;
  /** Windows still notable after the comparison with earlier days. */
  checked: number;
}

if (options.data !== undefined) scoreSeries(readLabelledSeries(options.data));
scoreIncidents();

function scoreSeries(all: readonly LabelledSeries[]): void {
  const [quiet, faulty] = [emptyTally(), emptyTally()];
  for (const series of all) {
    const [ownQuiet, ownFaulty] = [emptyTally(), emptyTally()];
    const last = series.values.length - after;
    for (let at = before; at <= last; at += after) {
      if (!series.isNearAnomaly(at, at + after)) count(series, at, [quiet, ownQuiet]);
    }
    for (const at of series.anomalies) {
      if (at >= before && at <= last) count(series, at, [faulty, ownFaulty]);
    }
    if (options.each) print(series.name, ownQuiet, ownFaulty);
  }
  print(`${all.length} series, ${before} points before and ${after} after`, quiet, faulty);
}

function emptyTally(): Tally {
  return { windows: 0, alone: 0, checked: 0 };
}

function count(
  { values, pointsPerDay }: LabelledSeries,
  at: number,
  tallies: readonly Tally[],
): void {
  const from = at - before;
  const window = values.subarray(from, at + after);
  const change = measureChange(window, before);
  if (change === null) return;
  const periods = daysAgo.flatMap((days): EarlierPeriod[] => {
    const start = from - days * pointsPerDay;
    return start < 0 ? [] : [{ days, values: values.subarray(start, start + before + after) }];
  });
  const { z, isUsual } = checkSeason({ values: window, split: before, change }, periods);
  for (const tally of tallies) {
    tally.windows += 1;
    if (Math.abs(change.z) >= notableZ) tally.alone += 1;
    if (Math.abs(z) >= notableZ && !isUsual) tally.checked += 1;
  }
}

function print(title: string, quiet: Tally, faulty: Tally): void {
  const share = (found: number): string => `${(100 * found / quiet.windows).toFixed(2)} %`;
  console.log(title);
  console.log(`  notable of ${quiet.windows} quiet windows: ${share(quiet.alone)}, ` +
    `after the comparison with earlier days ${share(quiet.checked)}`);
  console.log(`  notable of ${faulty.windows} anomalies: ${faulty.alone}, ` +
    `after the comparison with earlier days ${faulty.checked}`);
}

function scoreIncidents(): void {
  const { quiet } = readLabelledIncidents(options.incidents);
  for (const points of beforeLengths) {
    const windows = quiet.filter(({ split }) => split >= points).map((window) => ({
      ...window, split: points,
      candidates: window.candidates.map((candidate) => ({
        ...candidate, values: candidate.values.subarray(window.split - points),
      })),
    }));
    const { share, series } = quietShare(windows);
    console.log(`Labelled incidents, ${points} points before: ` +
      `${(100 * share).toFixed(2)} % of ${series} quiet series are notable`);
  }
}
