import assert from 'node:assert/strict';
import type { Report } from '../../src/report/report.ts';
import type { RunningPrometheus } from './programs/running-prometheus.ts';

/** Asserts that the queries cited for the report's changes return data when they are run again. */
export async function assertChangesAreThere(
  { alert, changes, evidence: items }: Report,
  prometheus: RunningPrometheus,
): Promise<void> {
  assert.notDeepEqual(changes, [], alert.namespace ?? '');
  for (const { title, evidence } of changes) {
    assert.notDeepEqual(evidence, [], title);
    for (const id of evidence) {
      const item = items.find((each) => each.id === id);
      assert.ok(item?.query && item.from && item.to, `${title}: ${id} has no query`);
      const range = { from: item.from, to: item.to, step: item.step_seconds ?? 60 };
      assert.ok(await prometheus.seriesOf(item.query, range) > 0, `${title}: ${item.query}`);
    }
  }
}
