import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedOutageOf } from '../../src/evidence/metrics/targets/shared-outage.ts';

interface Row {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const target = (job: string, instance: string, host: string, value: number): Row =>
  ({ labels: { __name__: 'up', job, instance, host, dc: 'one' }, value });
const others = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((job, index) =>
  target(job, `10.0.0.${index}:80`, 'app-1', 1));
const lost = ['a', 'b', 'node'].map((job, index) =>
  target(job, `10.0.1.${index}:80`, 'app-3', 0));
const [down = lost[0]] = lost;

test('targets that are all down share their host, by a label or by their address', () => {
  const labels = down?.labels ?? {};
  assert.deepEqual(sharedOutageOf([...others, ...lost], labels),
    { label: 'host', value: 'app-3', isHost: true, targets: 3, jobs: 3 });
  const addressed = ['a', 'b', 'node'].map((job, index) =>
    ({ labels: { job, instance: `10.0.1.9:${80 + index}` }, value: 0 }));
  assert.deepEqual(sharedOutageOf([...others, ...addressed], addressed[0]?.labels ?? {}),
    { label: 'host', value: '10.0.1.9', isHost: true, targets: 3, jobs: 3 });
});

test('one that answers, few, those of one job, or most of all share nothing that is gone', () => {
  const labels = down?.labels ?? {};
  assert.equal(sharedOutageOf([...others, ...lost, target('c', '10.0.1.7:80', 'app-3', 1)], labels),
    null);
  assert.equal(sharedOutageOf([...others, ...lost.slice(0, 2)], labels), null);
  const ofOneJob = lost.map((each) => ({ ...each, labels: { ...each.labels, job: 'a' } }));
  assert.equal(sharedOutageOf([...others, ...ofOneJob], ofOneJob[0]?.labels ?? {}), null);
  const failing = others.map((each) => ({ ...each, value: 0 }));
  assert.equal(sharedOutageOf([...failing, ...lost], labels)?.value, 'one');
  assert.equal(sharedOutageOf([], labels), null);
});
