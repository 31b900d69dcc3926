/**
 * How often the ranking names the component a fault was injected into, compared with other methods.
 *
 *   npx tsx scripts/score-ranking.ts [--data test/fixtures/labelled-incidents]
 *
 * AC@k is the share of cases whose culprit is among the first k components, Avg@5 the mean of AC@1
 * to AC@5; the alert's own component is left out. Series are classified by their names alone. A few
 * dozen cases from two systems are enough to notice a regression, but too few to tune against.
 */
import { readLabelledIncidents, type LabelledCase } from './ranking/labelled-incidents.ts';
import { accuracyColumns, accuracyHead, accuracyOf, methods, quietShare } from './ranking/score.ts';
import { scriptOptions } from './script-options.ts';

const values = scriptOptions(import.meta.url, {
  data: { type: 'string', default: 'test/fixtures/labelled-incidents' },
});
const { cases, quiet } = readLabelledIncidents(values.data);

for (const dataset of new Set(cases.map((incident) => incident.dataset))) {
  const ofDataset = cases.filter((incident) => incident.dataset === dataset);
  print(`${dataset}, all`, ofDataset);
  for (const fault of new Set(ofDataset.map((incident) => incident.fault))) {
    print(`${dataset}, ${fault}`, ofDataset.filter((incident) => incident.fault === fault));
  }
  const { share, series } = quietShare(quiet.filter((window) => window.dataset === dataset));
  console.log(`${dataset}: ${(100 * share).toFixed(2)} % of ${series} quiet series are notable\n`);
}
print('Both, all', cases);

function print(title: string, incidents: readonly LabelledCase[]): void {
  console.log(`${title}, ${incidents.length} cases`.padEnd(40), accuracyHead);
  for (const [name, method] of Object.entries(methods)) {
    console.log(`  ${name.padEnd(38)}`, accuracyColumns(accuracyOf(method, incidents)));
  }
}
