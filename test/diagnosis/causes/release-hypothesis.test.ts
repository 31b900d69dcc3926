import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventFact, TestAnswer } from '../../../src/evidence/metric-facts.ts';
import type { CaseFile } from '../../../src/report/case-file.ts';
import type { HopFault, PathHop } from '../../../src/report/path.ts';
import type { Certainty, Hypothesis } from '../../../src/report/report.ts';
import { assertCompleteReport } from '../../support/complete-report.ts';
import {
  concluded, latencyCase, moving, onPoint, problemBegan, type FactsOver,
} from '../../support/samples/metric-facts.ts';

const minute = 60_000;
const quiet = ['cart', 'email'].map((name) => moving(name, 'memory_bytes'));
const release = { on: 4, of: 4, isBack: false, takenBackMs: null };

/** What becomes of an event, by default a release of the alert's service four minutes before. */
function judged(
  event: Partial<EventFact>,
  over: FactsOver = {},
  caseFile: CaseFile = latencyCase(),
): { readonly found: Hypothesis | undefined; readonly first: Hypothesis | undefined } {
  const { hypotheses, report } = concluded(caseFile, {
    candidates: quiet, events: [{ release, ...event }], ...over,
  });
  assertCompleteReport(report);
  const found = hypotheses.find(({ cause }) => /^A (?:release|configuration change): /.test(cause));
  return { found, first: hypotheses[0] };
}

test('a release at the onset leads, unless something else moved before it', () => {
  const other = (at: number): FactsOver =>
    ({ candidates: [...quiet, moving('orders-db', 'connections', { after: 198, at })] });
  const at = (seconds: number): Partial<EventFact> => ({ atMs: problemBegan + 1000 * seconds });
  const cases: readonly [string, Partial<EventFact>, FactsOver, Certainty | null][] = [
    ['alone', {}, {}, 'likely'],
    ['something moved in the same minute', {}, other(onPoint - 4), 'likely'],
    ['something moved once it was out', {}, other(onPoint - 2), 'likely'],
    ['something moved well before', {}, other(onPoint - 8), 'possible'],
    ['something had moved for a quarter of an hour', {}, other(onPoint - 19), 'likely'],
    ['nothing was searched', {}, { ranking: null }, 'possible'],
    ['nine minutes before', at(-540), {}, 'likely'],
    ['a quarter of an hour before', at(-900), {}, 'possible'],
    ['two hours before', at(-7200), {}, null],
    ['surely after', { ...at(40), sinceMs: problemBegan + 25_000 }, {}, null],
    ['before or after, which its samples do not tell', { ...at(5), sinceMs: problemBegan - 10_000 },
      {}, 'possible'],
    ['of another service', { component: { label: 'service', value: 'cart' } }, {}, null],
    ["of a target's exporter", { isOfExporter: true }, {}, null],
    ['a configuration', { kind: 'config' }, {}, 'likely'],
    ['a configuration, with a search that missed something', { kind: 'config' },
      { ranking: { isTruncated: true } }, 'possible'],
    ['with a search that missed something', {}, { ranking: { isTruncated: true } }, 'likely'],
  ];
  for (const [name, event, over, expected] of cases) {
    const { found, first } = judged(event, over);
    assert.equal(found?.certainty ?? null, expected, name);
    if (expected === 'likely') assert.equal(first, found, name);
    assert.equal((found?.against.length ?? 0) > 0, name === 'something moved well before', name);
  }
});

test('a release leads before where the time is spent and what is waited for', () => {
  const answers: Record<string, Partial<TestAnswer>> = {
    itself: { samples: [0.03] },
    'pool-exhausted': { samples: [4], labels: [{ instance: 'checkout-1' }] },
  };
  const { hypotheses } = concluded(latencyCase(), {
    candidates: quiet, events: [{ release }], answers,
  });
  assert.deepEqual(hypotheses.slice(0, 2).map(({ certainty }) => certainty), ['likely', 'likely']);
  assert.match(hypotheses[0]?.cause ?? '', /^A release: /);
  // A place alone is likely, and with a release of a while ago it is not.
  const place = (events: FactsOver['events']): unknown => concluded(latencyCase(), {
    candidates: quiet, events: events ?? [], answers: { itself: { samples: [0.03] } },
  }).hypotheses.filter(({ certainty }) => certainty !== 'inconclusive')
    .map(({ cause, certainty }) => [cause.slice(0, 9), certainty]);
  assert.deepEqual(place([]), [['It takes ', 'likely']]);
  assert.deepEqual(place([{ release, atMs: problemBegan - 15 * minute }]),
    [['A release', 'possible'], ['It takes ', 'possible']]);
});

test('a release of what the alerting service calls counts as well', () => {
  const of = (value: string): Partial<EventFact> => ({ component: { label: 'service', value } });
  const slow = { labels: [{ peer: 'tax' }], samples: [9] };
  const answers = { dependency: slow };
  const { hypotheses } = concluded(latencyCase(), {
    candidates: quiet, answers, events: [of('tax')],
  });
  const ids = hypotheses.map(({ cause }) => cause);
  assert.match(ids[0] ?? '', /^A release: /, ids.join('\n'));
  assert.equal(judged(of('tax')).found, undefined);
});

test('the place of an alert tells whose release it is, where its labels do not', () => {
  const labels = { job: 'ledger', instance: 'l-1:80' };
  const event = { component: { label: 'instance', value: 'l-1:80' }, labels };
  const place = (of: Record<string, string>): FactsOver =>
    ({ place: { labels: of, target: {}, added: [] } });
  assert.equal(judged(event).found, undefined);
  assert.equal(judged(event, place({ job: 'ledger' })).found?.certainty, 'likely');
  assert.equal(judged(event, place(labels)).found?.certainty, 'likely');
  assert.equal(judged(event, place({ ...labels, instance: 'l-2:80' })).found, undefined);
  assert.equal(judged(event, place({ job: 'mail' })).found, undefined);
});

test("a release of one whose measurements a collector passes on is not the others'", () => {
  const of = (from: string): Record<string, string> =>
    ({ job: 'otel', instance: 'gw:8889', exported_job: from });
  const event = { component: { label: 'exported_job', value: 'ads' }, labels: of('ads') };
  const place = (from: string): FactsOver =>
    ({ place: { labels: of(from), target: { job: 'otel', instance: 'gw:8889' }, added: [] } });
  assert.equal(judged(event, place('ads')).found?.certainty, 'likely');
  assert.equal(judged(event, place('cart')).found, undefined);
});

test('a release that was taken back is an end, and a return begins nothing later', () => {
  const before = (minutes: number): number => problemBegan - minutes * minute;
  const taken = { ...release, takenBackMs: before(4) };
  assert.equal(judged({ atMs: before(8), release: taken }).found, undefined);
  const back = { ...release, isBack: true };
  assert.equal(judged({ atMs: before(4), release: back }).found, undefined);
  const soon = { atMs: before(0.5), release: back };
  assert.equal(judged(soon).found?.certainty, 'possible');
  const restarts = latencyCase({ alert: {
    ...latencyCase().alert,
    generatorURL: 'http://p/graph?g0.expr=changes(process_start_time_seconds%5B5m%5D)+%3E+1',
  } });
  assert.equal(judged(soon, {}, restarts).found?.certainty, 'likely', 'it is what restarts it');
  const late = { ...release, takenBackMs: problemBegan + 4 * minute };
  const outlived = judged({ release: late }).found;
  assert.deepEqual([outlived?.certainty, outlived?.against.length], ['possible', 1]);
});

test('a release is confirmed by the recovery that follows its return', () => {
  const endsAt = new Date(problemBegan + 12 * minute).toISOString();
  const closed = latencyCase({
    alert: { ...latencyCase().alert, status: 'resolved', endsAt },
    episode: { ...latencyCase().episode, endsAt },
  });
  const recoveredMs = problemBegan + 11 * minute;
  const after = (takenBackMs: number | null): unknown => {
    const { hypotheses: [first], resolution, verdict: { do_first: step } } = concluded(closed, {
      candidates: quiet, events: [{ release: { ...release, takenBackMs } }],
      own: { recoveredMs, valueNow: 0.1, valueAtEnd: 0.1 },
    });
    assert.match(step ?? '', /^Nothing now: .* at \d\d:\d\d UTC\./u);
    return [first?.certainty, resolution?.hypothesis_held, /taken back/u.test(step ?? '')];
  };
  assert.deepEqual(after(recoveredMs - 90_000), ['confirmed', true, true]);
  assert.deepEqual(after(recoveredMs + 30_000), ['likely', null, false]);
  assert.deepEqual(after(null), ['likely', null, false]);
});

test('fewer replicas may be a cause, more are an answer to load', () => {
  const scaled = (before: string, after: string): Hypothesis | undefined => judged({
    kind: 'config', before, after,
    labels: { __name__: 'kube_deployment_spec_replicas', deployment: 'checkout' },
  }).found;
  assert.equal(scaled('5', '3')?.certainty, 'likely');
  assert.equal(scaled('3', '5'), undefined);
});

test('a release is not likely where something behind it does not work by its own account', () => {
  const since = new Date(problemBegan - 30_000).toISOString();
  const hop = (component: string, kinds: readonly HopFault['kind'][]): PathHop => ({
    component, labels: { job: component }, relation: component === 'checkout' ? null : 'called',
    works: null, state: 'failing', since, evidence: ['E1'],
    faults: kinds.map((kind, index) => ({
      kind, metric: `m_${index}`, what: null, value: 9, before: 1, labels: {}, limit: null, since,
      until: null, seen_by: kind === 'fails' ? 'client' : 'itself',
    })),
  });
  const found = (...kinds: readonly HopFault['kind'][]): Certainty | undefined => judged({}, {
    path: { hops: [hop('checkout', ['fails']), hop('pg', kinds)], origin: 1 },
  }).found?.certainty;
  assert.equal(found('down', 'fails'), 'possible');
  assert.equal(found('full', 'fails'), 'likely', 'its connections may be used up by the release');
  assert.equal(judged({ component: { label: 'job', value: 'pg' } }, {
    path: { hops: [hop('checkout', ['fails']), hop('pg', ['fails'])], origin: 1 },
  }).found?.certainty, 'likely', 'the release of what is called');
});
