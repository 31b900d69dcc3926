import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onlyOwn } from '../../src/evidence/metrics/own/ask-own.ts';
import { readExpression } from '../../src/evidence/rule/rule-expression.ts';
import type { SeriesData } from '../../src/report/series-data.ts';
import {
  activeAt, aRule, collected, firedAt, present, shop,
} from '../support/samples/shop-scenario.ts';
import type { FakeSeries } from '../support/sources/fake-prometheus.ts';

const minute = 60_000;
const expression = 'jobs_running > on (namespace, service) group_left () 0.5 * jobs_allowed';
const rule = readExpression(expression);
const running = rule.comparison?.compared ?? '';
const allowed = rule.comparison?.limit?.query ?? '';

function series(service: string, valueAt: FakeSeries['valueAt']): FakeSeries {
  return { labels: { namespace: 'shop', service }, valueAt };
}

function withLimit(
  limits: readonly FakeSeries[],
  { values = [series('web', () => 30)], endsAt = null }: {
    readonly values?: readonly FakeSeries[]; readonly endsAt?: number | null;
  } = {},
): ReturnType<typeof collected> {
  return collected(
    shop({
      expressions: { [running]: values, [allowed]: limits },
      rules: [aRule({ query: expression })],
    }),
    {
      context: { rule },
      alert: endsAt === null ? {}
        : { status: 'resolved', endsAt: new Date(endsAt).toISOString() },
    },
  );
}

const lowered = series('web', (atMs) => (atMs < activeAt ? 50 : 20));

test('collectMetrics measures a limit that is a series at the moments of the value', async () => {
  const others = [series('cart', () => 30), series('db', () => 99), series('idle', () => 1)];
  const { facts, ledger, prometheus } = await withLimit(
    [lowered, series('cart', () => 40), series('db', () => 40)],
    { values: [series('web', () => 30), ...others] },
  );
  assert.deepEqual(facts.source.failures, []);
  assert.deepEqual(facts.own?.limit, {
    atFire: 20, now: 20, before: { value: 30, limit: 50 }, isGoneAtEnd: false,
  });
  assert.equal(facts.own?.crossedMs.length, 1);
  assert.ok(Math.abs((facts.own?.overSinceMs ?? 0) - activeAt) <= minute);
  assert.equal(facts.own?.worst, null);
  // What has no limit is none of the rule's.
  assert.deepEqual(facts.peers && [facts.peers.total, facts.peers.beyond], [3, 2]);
  assert.equal(prometheus.questions.filter((question) => question === allowed).length, 3);
  const drawn = ledger.items.find(({ title }) => title.startsWith('Course'))?.data as SeriesData;
  assert.equal(drawn.limits?.length, drawn.values.length);
  assert.deepEqual([drawn.limits?.at(0), drawn.limits?.at(-1)], [50, 20]);
  assert.equal(drawn.threshold, null);
  const told = ledger.items.find(({ title }) => title.startsWith('Value of'))?.summary ?? '';
  assert.ok(told.startsWith('30 against 20 when it fired, 30 against 20 now'));
});

test('collectMetrics tells when the own series left a limit that moves', async () => {
  const endsAt = present - minute;
  const rising = series('web', (atMs) => (atMs < activeAt || atMs >= endsAt ? 50 : 20));
  const { facts } = await withLimit([rising], { endsAt });
  assert.equal(facts.own?.overSinceMs, null);
  assert.ok(Math.abs((facts.own?.recoveredMs ?? 0) - endsAt) <= minute);
  assert.equal(facts.own?.limit?.isGoneAtEnd, false);
  const gone = series('web', (atMs) => (atMs < endsAt ? 20 : Number.NaN));
  const { own } = (await withLimit([gone], { endsAt })).facts;
  assert.deepEqual([own?.limit?.isGoneAtEnd, own?.recoveredMs], [true, null]);
});

test('collectMetrics tells the end of the own series from that of its limit', async () => {
  const endsAt = present - minute;
  const untilThen = series('web', (atMs) => (atMs < endsAt ? 30 : Number.NaN));
  const limit = series('web', (atMs) => (atMs < activeAt ? 50 : atMs < endsAt ? 20 : Number.NaN));
  const { own } = (await withLimit([limit], { values: [untilThen], endsAt })).facts;
  assert.deepEqual([own?.limit?.isGoneAtEnd, own?.cutOffValue], [false, 30]);
});

test('collectMetrics says nothing about the course if that of the limit is unknown', async () => {
  const many = Array.from({ length: 51 }, (_, index) => series(`s${index}`, () => 1));
  const { facts } = await collected(
    shop({
      expressions: {
        [running]: [series('web', () => 30), ...many], [allowed]: [lowered, ...many],
        [onlyOwn(running, lowered.labels)]: [series('web', () => 30)],
      },
      rules: [aRule({ query: expression })],
      fault: (question) => (question === onlyOwn(allowed, lowered.labels) ? 'timeout' : null),
    }),
    { context: { rule } },
  );
  assert.deepEqual([facts.own?.limit?.atFire, facts.own?.limit?.now], [20, 20]);
  assert.deepEqual([facts.own?.overSinceMs, facts.own?.crossedMs], [null, []]);
});

test('collectMetrics judges the course only since the limit exists', async () => {
  const begun = firedAt - 2 * minute;
  const late = series('web', (atMs) => (atMs < begun ? Number.NaN : 20));
  const { facts } = await withLimit([late]);
  assert.ok(Math.abs((facts.own?.overSinceMs ?? 0) - begun) <= minute);
  assert.equal(facts.own?.wasOverBefore, false);
  const gone = series('web', (atMs) => (atMs < firedAt + minute ? 20 : Number.NaN));
  const { own } = (await withLimit([gone])).facts;
  assert.deepEqual([own?.limit?.atFire, own?.limit?.now], [20, null]);
  assert.deepEqual([own?.overSinceMs, own?.recoveredMs, own?.crossedMs], [null, null, []]);
});

test('collectMetrics knows the value even if the limit was not answered', async () => {
  const none = await withLimit([]);
  assert.equal(none.facts.own?.valueNow, 30);
  assert.equal(none.facts.own?.limit, null);
  assert.equal(none.facts.peers, null);
  const failing = await collected(
    shop({
      expressions: { [running]: [series('web', () => 30)] },
      rules: [aRule({ query: expression })],
      fault: (question) => (question === allowed ? 'bad_query' : null),
    }),
    { context: { rule } },
  );
  assert.equal(failing.facts.own?.valueNow, 30);
  assert.deepEqual(failing.facts.source.failures.map(({ what }) => what),
    ['The limit that it is compared with']);
});

test('collectMetrics takes a value without data for none, on earlier days', async () => {
  const expression = 'absent(up{job="gone"})';
  const one = { labels: {}, valueAt: () => 1 };
  const known = `(${expression}) and on () count(up)`;
  const ask = (earlier: readonly typeof one[]): ReturnType<typeof collected> => collected(
    shop({
      expressions: { [expression]: [one], [known]: earlier }, rules: [aRule({ query: expression })],
    }),
    { context: { rule: readExpression(expression) } },
  );
  const { facts: young } = await ask([]);
  assert.deepEqual([young.own?.valueAtFire, young.own?.yesterday, young.own?.lastWeek],
    [1, null, null]);
  const { facts: usual } = await ask([one]);
  assert.deepEqual([usual.own?.yesterday, usual.own?.lastWeek], [1, 1]);
});
