/** Floors under what the ranking achieves on labelled failures; see scripts/score-ranking.ts. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { readLabelledIncidents } from '../../scripts/ranking/labelled-incidents.ts';
import { leadsOf, leaveOneOut, measuredCase } from '../../scripts/ranking/leave-one-out.ts';
import { accuracyOf, methods, quietShare } from '../../scripts/ranking/score.ts';

const { cases, quiet } = readLabelledIncidents(
  join(process.cwd(), 'test', 'fixtures', 'labelled-incidents'),
);

function averageAt5(method: string, dataset: string): number {
  const ranking = methods[method];
  assert.ok(ranking !== undefined);
  return accuracyOf(ranking, cases.filter((incident) => incident.dataset === dataset)).avg5;
}

const floors = [
  ['PetShop', 26, 0.83], ['Nezha', 56, 0.65], ['asd', 68, 0.8], ['smd', 21, 0.9],
] as const;

for (const [dataset, count, floor] of floors) {
  test(`what was at fault in ${dataset} is found as often as before, and as by any other`, () => {
    assert.equal(cases.filter((incident) => incident.dataset === dataset).length, count);
    const achieved = averageAt5('this service', dataset);
    assert.ok(achieved >= floor, `Avg@5 is ${achieved}`);
    for (const other of ['reference', 'BARO', 'n-sigma']) {
      assert.ok(achieved >= averageAt5(other, dataset) - 1e-9, other);
    }
  });
}

for (const dataset of new Set(quiet.map((window) => window.dataset))) {
  test(`of the quiet series of ${dataset} one in a hundred at most is called notable`, () => {
    const { share, series } = quietShare(quiet.filter((window) => window.dataset === dataset));
    assert.ok(series > 500, `only ${series} series are quiet`);
    assert.ok(share <= 0.01, `${100 * share} %`);
  });
}

test('a first component that is clearly ahead is right in six of seven cases', () => {
  const leads = leadsOf(cases.map(measuredCase)).filter(({ margin }) => margin >= 0.8);
  assert.ok(leads.length >= 25, `only ${leads.length} are`);
  const right = leads.filter(({ isRight }) => isRight).length;
  assert.ok(right >= 0.85 * leads.length, `${right} of ${leads.length}`);
});

test('the constants in use are no worse anywhere than the plain deviation', () => {
  const all = leaveOneOut(cases.map(measuredCase));
  assert.equal(all.length, 3);
  for (const { system, plain, used } of all) assert.ok(used >= plain, system);
});
