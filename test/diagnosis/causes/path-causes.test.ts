import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HopFault, Path, PathHop } from '../../../src/report/path.ts';
import type { Report } from '../../../src/report/report.ts';
import { assertCompleteReport } from '../../support/complete-report.ts';
import {
  concluded, latencyCase, moving, problemBegan, type FactsOver,
} from '../../support/samples/metric-facts.ts';

const since = new Date(problemBegan - 15_000).toISOString();

function fault(given: Partial<HopFault> = {}): HopFault {
  return {
    kind: 'fails', seen_by: 'itself', what: null, metric: 'calls_total', labels: {}, value: 5,
    before: 0, limit: null, since, until: null, ...given,
  };
}

function hop(
  component: string,
  faults: readonly HopFault[],
  given: Partial<PathHop> = {},
): PathHop {
  return {
    component, labels: { job: component }, relation: 'called', faults, works: null,
    state: faults.length > 0 ? 'failing' : 'innocent', since: faults.length > 0 ? since : null,
    evidence: ['E1'], ...given,
  };
}

const down = fault({ kind: 'down', metric: 'pg_up', value: 0, before: 1 });
const called = fault({ seen_by: 'client' });
const first = hop('checkout', [fault()], { relation: null });

function withPath(
  hops: readonly PathHop[],
  origin: number | null,
  over: FactsOver = {},
  beside: Path['beside'] = [],
): Report {
  const path: Path = { hops, origin, beside };
  const { report } = concluded(latencyCase(), {
    candidates: ['cart', 'email'].map((name) => moving(name, 'memory_bytes')), path, ...over,
  });
  assertCompleteReport(report);
  return report;
}

/** The certainty of the cause that the hop is, and whether it is the first. */
function told({ hypotheses }: Report, component: string): string | null {
  const at = hypotheses.findIndex(({ cause }) => cause.startsWith(`${component}:`));
  return at < 0 ? null : `${hypotheses[at]?.certainty} ${at === 0 ? 'first' : 'later'}`;
}

test('what tells itself that it is wrong, and is seen so by who calls it, is likely', () => {
  assert.equal(told(withPath([first, hop('db', [down, called])], 1), 'db'), 'likely first');
  // Nobody sees it.
  assert.equal(told(withPath([first, hop('db', [down])], 1), 'db')?.split(' ')[0], 'possible');
});

test('what may be up again is looked at before it is started', () => {
  const step = (until: string | null): string => withPath(
    [first, hop('db', [{ ...down, until }, called])], 1).verdict.do_first ?? '';
  assert.match(step(null), /^Start db again/u);
  assert.match(step(new Date(Date.parse(since) + 60_000).toISOString()), /^See whether db is up/u);
});

test('a store is linked by a pool whose connections all wait for it', () => {
  const pool = (at: string, what = 'connections'): PathHop => hop('checkout',
    [fault({ kind: 'full', what, value: 10, limit: 10, since: at })], { relation: null });
  const db = hop('db', [fault({ kind: 'locked', what: 'table', value: 1 })]);
  const later = new Date(Date.parse(since) + 15_000).toISOString();
  const longBefore = new Date(Date.parse(since) - 600_000).toISOString();
  assert.equal(told(withPath([pool(later), db], 1), 'db'), 'likely first');
  assert.match(told(withPath([pool(longBefore), db], 1), 'db') ?? '', /^possible/u);
  assert.match(told(withPath([pool(later, 'memory'), db], 1), 'db') ?? '', /^possible/u);
});

test('calls that fail are likely the cause where they are most of what fails', () => {
  const calls = (value: number): readonly PathHop[] =>
    [first, hop('mail', [{ ...called, value }])];
  assert.equal(told(withPath(calls(5), 1), 'mail'), 'likely first');
  assert.match(told(withPath(calls(1), 1), 'mail') ?? '', /^possible/u);
});

test('a release of who calls comes before calls that go wrong with it', () => {
  const release = { on: 1, of: 1, isBack: false, takenBackMs: null };
  const report = withPath([first, hop('mail', [called])], 1, {
    events: [{
      release, kind: 'version', atMs: problemBegan - 30_000,
      component: { label: 'job', value: 'checkout' }, labels: { job: 'checkout' },
    }],
  });
  assert.match(told(report, 'mail') ?? '', /^possible/u);
});

test('a fault of the own thing is no cause of any other alert on it', () => {
  const locked = fault({ kind: 'locked', metric: 'pg_stat_activity_count', value: 80 });
  const own = hop('db', [locked], { relation: null });
  assert.match(told(withPath([own], 0), 'db') ?? '', /^possible/u);
  // Behind it, what it depends on works.
  assert.match(told(withPath([own, hop('primary', [])], 0), 'db') ?? '', /^likely/u);
});

test('a path without an origin makes no cause', () => {
  assert.equal(told(withPath([first, hop('db', [down, called])], null), 'db'), null);
});

test('what works is a finding, with what is wrong beside it', () => {
  const works = { targets: { up: 1, total: 1 }, answers_probe: true, successes: null };
  const lost = fault({ kind: 'unreachable', seen_by: 'client', labels: { error: 'ENOTFOUND' } });
  const report = withPath([
    hop('checkout', [lost], { relation: null }), hop('inventory', [], { works }),
  ], 0);
  const found = report.findings.find(({ text }) => text.startsWith('inventory itself'));
  assert.match(found?.text ?? '', /is up and answers its probe; .*ENOTFOUND/u);
  assert.deepEqual(found?.evidence, ['E1']);
});

const released = { on: 1, of: 3, isBack: false, takenBackMs: null };

function releaseOf(job: string, over: Record<string, unknown> = {}): FactsOver {
  return {
    events: [{
      release: released, kind: 'version', atMs: problemBegan - 30_000,
      component: { label: 'job', value: job }, labels: { job, instance: `${job}-1:80`, ...over },
    }],
  };
}

test('a release of what fails behind the alert is its cause, and what fails the place', () => {
  const one = hop('mail mail-1:80', [fault({ labels: { code: '500' } }), called],
    { labels: { job: 'mail', instance: 'mail-1:80' }, one_of: 3 });
  const report = withPath([first, one], 1, releaseOf('mail'));
  const [cause] = report.hypotheses;
  assert.deepEqual([cause?.kind, cause?.certainty, cause?.about?.[0]],
    ['release', 'likely', 'mail']);
  assert.match(told(report, 'mail mail-1:80, one of 3 instances') ?? '', /^possible/u);
  // Another instance than the one that fails is no cause, nor is another thing.
  for (const over of [releaseOf('mail', { instance: 'mail-2:80' }), releaseOf('search')]) {
    const other = withPath([first, one], 1, over);
    assert.match(told(other, 'mail mail-1:80, one of 3 instances') ?? '', /^likely/u);
  }
});

test('who holds what others wait for is likely, and its release comes before that', () => {
  const held = fault({ kind: 'holds', what: 'connections', value: 33, before: 1 });
  const holder = hop('batch', [held], { relation: 'holder', labels: { job: 'batch' } });
  const path = [first, hop('db', [fault({ kind: 'waiting' })]), holder];
  assert.match(told(withPath(path, 2), 'batch') ?? '', /^likely/u);
  const report = withPath(path, 2, releaseOf('batch'));
  assert.equal(report.hypotheses[0]?.kind, 'release');
  assert.match(told(report, 'batch') ?? '', /^possible/u);
});

test('what nothing shows to be used is likely only if others fail with the alert', () => {
  const db = hop('db', [fault({ kind: 'waiting' })], { relation: 'shared' });
  const held = fault({ kind: 'holds', what: 'connections', value: 33, before: 1 });
  const path = [first, db, hop('batch', [held], { relation: 'holder' })];
  assert.match(told(withPath(path, 2), 'batch') ?? '', /^possible/u);
  const beside = [{
    component: 'mail', labels: {}, faults: [fault()], since, evidence: [],
  }];
  assert.match(told(withPath(path, 2, {}, beside), 'batch') ?? '', /^likely/u);
});

test('the deepest slow thing is likely unless it has more to do than before', () => {
  const slow = (by: HopFault['seen_by'], rate: number): HopFault => fault({
    kind: 'slow', seen_by: by, value: 0.2, before: 0.02, rate, rate_before: 4,
  });
  const at = (rate: number, given: Partial<PathHop> = {}): Report => withPath([
    hop('checkout', [slow('itself', 4)], { relation: null }),
    hop('stock', [...(given.labels ? [] : [slow('itself', rate)]), slow('client', rate)], given),
  ], 1);
  assert.equal(told(at(4), 'stock'), 'likely first');
  assert.match(told(at(9), 'stock') ?? '', /^possible/u);
  // It measures itself and is not slower: the time is spent on the way there, or in a queue.
  const busy = at(4, { labels: { job: 'stock' } });
  assert.match(told(busy, 'stock') ?? '', /^possible/u);
  // Only its callers measure it.
  assert.equal(told(at(4, { labels: {} }), 'stock'), 'likely first');
});

test('a release of one program that an exporter tells of is not one of its machine', () => {
  const machine = hop('db-1', [fault({ kind: 'slow' })],
    { labels: { job: 'node', instance: 'db-1:9100' } });
  const release = releaseOf('node', { instance: 'web-1:9100', app: 'mailer' }).events?.[0] ?? {};
  const certainty = (label: string, value: string): string | undefined =>
    withPath([first, machine], 1, { events: [{
      ...release, release: { ...released, on: 2, of: 4 }, component: { label, value },
    }] }).hypotheses.find(({ kind }) => kind === 'release')?.certainty;
  assert.equal(certainty('app', 'mailer'), undefined);
  assert.equal(certainty('app', 'db-1'), 'likely');
});
