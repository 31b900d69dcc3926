/** Floors under what the ranking achieves on labelled failures; see scripts/score-ranking.ts. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { readLabelledIncidents } from '../../scripts/ranking/labelled-incidents.ts';
import { accuracyOf, methods, quietShare } from '../../scripts/ranking/score.ts';

const { cases, quiet } = readLabelledIncidents(
  join(process.cwd(), 'test', 'fixtures', 'labelled-incidents'),
);

function averageAt5(method: string, dataset: string): number {
  const ranking = methods[method];
  assert.ok(ranking !== undefined);
  return accuracyOf(ranking, cases.filter((incident) => incident.dataset === dataset)).avg5;
}

for (const [dataset, count, floor] of [['PetShop', 26, 0.83], ['Nezha', 56, 0.62]] as const) {
  test(`culprits of ${dataset} are found as often as before, and more often than by others`, () => {
    assert.equal(cases.filter((incident) => incident.dataset === dataset).length, count);
    const achieved = averageAt5('this service', dataset);
    assert.ok(achieved >= floor, `Avg@5 is ${achieved}`);
    assert.ok(achieved >= averageAt5('reference', dataset) - 1e-9);
    assert.ok(achieved > averageAt5('BARO', dataset));
    assert.ok(achieved > averageAt5('n-sigma', dataset));
  });

  test(`of the quiet series of ${dataset} one in a hundred at most is called notable`, () => {
    const { share, series } = quietShare(quiet.filter((window) => window.dataset === dataset));
    assert.ok(series > 500, `only ${series} series are quiet`);
    assert.ok(share <= 0.01, `${100 * share} %`);
  });
}
