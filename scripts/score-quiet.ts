/**
 * How often a change is called notable when nothing is wrong (false positives), by the number of
 * points before it: the windows of the labelled incidents without a fault, each cut to baselines of
 * several lengths.
 *
 *   npx tsx scripts/score-quiet.ts [--incidents test/fixtures/labelled-incidents]
 */
import { readLabelledIncidents } from './ranking/labelled-incidents.ts';
import { quietShare } from './ranking/score.ts';
import { scriptOptions } from './script-options.ts';

const { incidents } = scriptOptions(import.meta.url, {
  incidents: { type: 'string', default: 'test/fixtures/labelled-incidents' },
});
const beforeLengths = [5, 10, 15, 30, 60, 180];

const { quiet } = readLabelledIncidents(incidents);
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
