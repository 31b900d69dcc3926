import assert from 'node:assert/strict';
import test from 'node:test';
import type { Change } from '../../../src/report/report.ts';
import type { ChangeCandidate } from '../../../src/statistics/change-candidate.ts';
import { assertCompleteReport } from '../../support/complete-report.ts';
import {
  concluded, latencyCase, moving, onPoint, problemBegan, type FactsOver,
} from '../../support/samples/metric-facts.ts';
import { shopReport } from '../../support/samples/shop-report.ts';

function changesWith(over: FactsOver): readonly Change[] {
  const { report, changes } = concluded(latencyCase(), over);
  assertCompleteReport(report);
  return changes;
}

test('changesOf tells what moved, by how much, when and how surely', () => {
  const [first] = changesWith({
    candidates: [
      moving('orders-db', 'orders_db_connections', { before: 40, after: 198, at: onPoint - 5 }),
      moving('cart', 'memory_bytes'),
    ],
  });
  assert.ok(first);
  assert.equal(first.title, 'orders-db connections rose from 40 to 201');
  assert.deepEqual(first.component, { label: 'service', value: 'orders-db' });
  assert.deepEqual(
    [first.rank, first.kind, first.strength, first.onset_seconds], [1, 'series', 'strong', -300],
  );
  assert.ok((first.z ?? 0) > 8);
  assert.equal(first.effect?.toFixed(1), '4.0');
  assert.equal(first.labels['__name__'], 'orders_db_connections');
});

test('changesOf tells no multiple where nothing is usual', () => {
  const [first] = changesWith({
    candidates: [moving('orders-db', 'restarts', { before: 0, after: 9 }),
      moving('cart', 'memory_bytes')],
  });
  assert.match(first?.title ?? '', /^orders-db restarts rose/u);
  assert.equal(first?.effect, null);
});

test('changesOf and the evidence of a change say the same score', async () => {
  const { changes, evidence } = await shopReport();
  const [first] = changes;
  const item = evidence.find(({ id }) => id === first?.evidence[0]);
  assert.ok(first?.z);
  assert.match(item?.summary ?? '', new RegExp(`, z ${first.z.toFixed(1)}\\.`, 'u'));
});

test('changesOf says values in units of the report', () => {
  const cases: readonly [string | null, number, number, string | null, RegExp][] = [
    ['seconds', 0.1, 4, 'seconds', /^db load rose from 100 ms to 4\.\d+ s$/u],
    ['milliseconds', 40, 4000, 'seconds', /rose from 40 ms to 4\.\d+ s$/u],
    ['bytes', 2 ** 30, 2 ** 32, 'bytes', /rose from 1 GiB to 4\.\d+ GiB$/u],
    ['cores', 4, 1, 'cores', /fell from 4 cores to [\d.]+ cores$/u],
    ['millicores', 4000, 1000, 'cores', /fell from 4 cores to [\d.]+ cores$/u],
    ['ratio', 0.1, 0.9, 'ratio', /rose from [\d.]+ % to 9\d[\d.]* %$/u],
    ['per_second', 4, 5000, 'per_second', /rose from [\d.]+\/s to 5[\d.]* k\/s$/u],
    [null, 0.1, 15, null, /rose from 0\.1\d* to 15[\d.]*$/u],
  ];
  for (const [unit, before, after, told, said] of cases) {
    const candidates = [moving('db', 'load', { before, after, unit })];
    const [first] = changesWith({ candidates });
    assert.equal(first?.unit, told);
    assert.match(first?.title ?? '', said);
  }
});

test('changesOf tells series of one metric apart', () => {
  const [first] = changesWith({
    candidates: [
      moving('api', 'http_requests_total', { before: 1, after: 90, labels: { code: '500' } }),
      moving('api', 'memory_bytes'),
    ],
  });
  assert.match(first?.title ?? '', /^api HTTP requests \(code 500\) rose from /u);
  const quantile = { ...moving('api', 'request_duration_seconds', { after: 90 }) };
  const labels = { ...quantile.labels, quantile: '0.9' };
  const [other] = changesWith({ candidates: [{ ...quantile, kind: 'summary_quantile', labels }] });
  assert.match(other?.title ?? '', /^api request duration p90 rose from /u);
  const percent = { ...quantile.labels, quantile: '99.9' };
  const [third] = changesWith({
    candidates: [{ ...quantile, kind: 'summary_quantile', labels: percent }],
  });
  assert.match(third?.title ?? '', /^api request duration p99\.9 rose from /u);
});

test('changesOf names the replica that moved, if it was only one', () => {
  const replicas = (level: (index: number) => number, metric: string): readonly Change[] =>
    changesWith({
      candidates: ['a', 'b', 'c'].map((pod, index) => ({
        ...moving('api', metric, { before: 1, after: level(index), labels: { pod } }),
        id: `${metric}${pod}`,
      })),
    });
  const [one] = replicas((index) => (index === 1 ? 90 : 1), 'pool_wait');
  assert.match(one?.title ?? '', /^api pool wait rose from .* on 1 of 3 replicas \(b\)$/u);
  const [all] = replicas(() => 90, 'pool_wait');
  assert.match(all?.title ?? '', / on 3 of 3 replicas$/u);
  const [none] = replicas(() => 1, 'pool_wait');
  assert.doesNotMatch(none?.title ?? '', /replicas/u);
});

test('changesOf puts what is weak or usual last', () => {
  const usual = moving('orders-db', 'connections', { after: 400 });
  const changes = changesWith({
    candidates: [
      usual, moving('cart', 'memory_bytes'), moving('email', 'queue', { after: 90 }),
      { ...moving('mail', 'up'), values: new Float64Array(90).fill(1) },
    ],
    ranking: { seasonal: new Map([[usual.id, { z: 1, isUsual: true }]]) },
  });
  assert.equal(changes[0]?.component?.value, 'email');
  assert.deepEqual(changes.map(({ strength }) => strength), ['strong', 'weak', 'weak', 'weak']);
  const titles = changes.map(({ title }) => title).join('; ');
  assert.match(titles, /orders-db connections went from .* as on other days at this hour/u);
  assert.match(titles, /cart memory hardly moved/u);
  assert.match(titles, /mail up stayed at 1/u);
});

test('changesOf tells what varies anyway from what hardly moved', () => {
  const restless = new Float64Array(90).map((_, index) => (index % 3 === 0 ? 60 : 2));
  restless.fill(60, 75);
  const [change] = changesWith({
    candidates: [{ ...moving('search', 'queue_length'), values: restless }],
  });
  assert.match(change?.title ?? '', /^search queue length went from 2 to 60, but varied before/u);
});

test('changesOf does not say that a series stayed where it had a single event', () => {
  const once = new Float64Array(90).fill(0).fill(0.1, 75, 76);
  const [change] = changesWith({
    candidates: [{
      ...moving('db-1', 'node_vmstat_oom_kill', { unit: 'per_second' }), kind: 'counter',
      values: once,
    }],
  });
  assert.match(change?.title ?? '', /^db-1 oom kill was mostly 0\/s$/u);
});

test('changesOf says why what moved is listed with what did not', () => {
  const moved = moving('orders-db', 'connections', { after: 400 });
  const [change] = changesWith({
    candidates: [moved],
    ranking: { seasonal: new Map([[moved.id, { z: 2, isUsual: false }]]) },
  });
  assert.equal(change?.strength, 'weak');
  assert.match(change.title,
    /^orders-db connections rose from 40 to 4\d\d, but varied on other days as well$/u);
});

test('changesOf lists restarts, versions and settings by how close they are', () => {
  const cart = { label: 'service', value: 'cart' };
  const changes = changesWith({
    candidates: [moving('cart', 'memory_bytes')],
    events: [
      { text: 'image of checkout changed from 1 to 2.' },
      { kind: 'restart', text: 'cart restarted', component: cart, atMs: problemBegan + 60_000 },
      { kind: 'config', text: 'limit of cart changes', component: cart, atMs: 0 },
    ],
  });
  assert.deepEqual(changes.map(({ kind, strength }) => `${kind} ${strength}`), [
    'version strong', 'restart notable', 'series weak', 'config weak',
  ]);
  assert.equal(changes[0]?.title, 'image of checkout changed from 1 to 2');
  assert.equal(changes[0]?.onset_seconds, -240);
});

test('changesOf tells the processors of a machine together', () => {
  const cores = ['0', '1', '2'].map((cpu) => {
    const core = moving('web-1', 'cpu_level', { after: 400, labels: { cpu, mode: 'iowait' } });
    return { ...core, id: `${core.id} ${cpu}` };
  });
  const changes = changesWith({ candidates: cores });
  assert.deepEqual(changes.map(({ title }) => title.replace(/from .* to \d+/u, '…')),
    ['web-1 CPU level (iowait) rose … on 3 of 3 CPUs']);
});

test('changesOf takes a restart of the pod that the alert is about for near', () => {
  const [change] = changesWith({
    ranking: { ownComponent: 'cart-0' },
    events: [{
      kind: 'restart', text: 'cart restarted', labels: { pod: 'cart-0' },
      component: { label: 'job', value: 'cart' },
    }],
  });
  assert.equal(change?.strength, 'strong');
});

test('changesOf says once what all series of a component did', () => {
  const born = ['a_bytes', 'b_bytes', 'c_bytes'].map((name) => {
    return moving('canary', name, { from: onPoint - 8 });
  });
  const changes = changesWith({ candidates: [...born, moving('cart', 'memory_bytes')] });
  const appeared = changes.filter(({ kind }) => kind === 'appeared');
  assert.deepEqual(appeared.map(({ title }) => title), ['3 series of canary appeared']);
});

test('changesOf tells the few series that a component gained by their names and times', () => {
  const states = ['idle', 'waiting for a lock'].map((state, index) => {
    return moving('orders-db', 'threads', { from: onPoint - 8 * index, labels: { state } });
  }).map((each, index) => ({ ...each, id: `${each.id} ${index}` }));
  const changes = changesWith({ candidates: [...states, moving('cart', 'memory_bytes')] });
  const appeared = changes.filter(({ kind }) => kind === 'appeared');
  assert.deepEqual(appeared.map(({ title }) => title).sort(), [
    'orders-db threads (idle) appeared', 'orders-db threads (waiting for a lock) appeared',
  ]);
  assert.equal(new Set(appeared.map((each) => each.onset_seconds)).size, 2);
});

test('changesOf keeps the best series of five components among thirty', () => {
  const loud = Array.from({ length: 60 }, (_, index) => {
    return moving('loud', `m${index}_level`, { after: 4000 });
  });
  const others = ['a', 'b', 'c', 'd'].map((name) => moving(name, 'memory_bytes', { after: 60 }));
  const events = Array.from({ length: 30 }, () => ({}));
  const changes = changesWith({ candidates: [...loud, ...others], events: events.slice(0, 12) });
  assert.equal(changes.length, 30);
  assert.deepEqual(changes.map(({ rank }) => rank), changes.map((_, index) => index + 1));
  const named = new Set(changes.filter(({ kind }) => kind === 'series')
    .map(({ component }) => component?.value));
  assert.deepEqual([...named].sort(), ['a', 'b', 'c', 'd', 'loud']);
});

test('changesOf makes up no name for what names no component', () => {
  const changes = changesWith({
    candidates: [moving('', 'memory_bytes', { after: 900 }), moving('cart', 'memory_bytes')],
  });
  assert.match(changes[0]?.title ?? '', /^memory rose from/u);
  assert.equal(changes[0]?.component, null);
});

test('changesOf tells what ended, by name where it is little', () => {
  const gone = (component: string, metric: string): ChangeCandidate => {
    const { values, ...each } = moving(component, metric);
    const ended = values.map((value, index) => (index < onPoint ? value : Number.NaN));
    return { ...each, values: ended };
  };
  const left = ['a_bytes', 'b_bytes', 'c_bytes', 'd_bytes', 'e_bytes']
    .map((name) => moving('cart', name));
  const vanished = (...candidates: ChangeCandidate[]): readonly string[] =>
    changesWith({ candidates: [...left, ...candidates] })
      .filter(({ kind }) => kind === 'vanished').map(({ title }) => title);
  assert.deepEqual(vanished(gone('cart', 'open_files')), ['cart open files disappeared']);
  assert.deepEqual(
    vanished(gone('cart', 'x_files'), gone('cart', 'y_files'), gone('cart', 'z_files')),
    ['3 series of cart disappeared'],
  );
  const nameless = ['x_files', 'y_files', 'z_files'].map((name) => gone('', name));
  const kept = [...left.map((each) => ({ ...each, component: '', id: `other ${each.id}` }))];
  assert.deepEqual(vanished(...nameless, ...kept), ['3 series disappeared']);
});
