import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alert } from '../../../src/alert/alert.ts';
import { concludeFrom, type Conclusions } from '../../../src/diagnosis/conclude.ts';
import { collectEvidence } from '../../../src/evidence/collect-evidence.ts';
import type { ChangeAtEnd } from '../../../src/evidence/metric-facts.ts';
import { noFacts } from '../../../src/evidence/source-facts.ts';
import type { Resolution } from '../../../src/report/report.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import { aCaseFile } from '../../support/samples/case-files.ts';
import {
  concluded, latencyCase, moving, problemBegan,
} from '../../support/samples/metric-facts.ts';
import {
  alertsSeries, collected, firedAt, ownShopSeries, shop, shopExpression, shopLabels, shopSeries,
  troubleAt, type Ends,
} from '../../support/samples/shop-scenario.ts';
import type { FakeSeries } from '../../support/sources/fake-prometheus.ts';

const minute = 60_000;

/** What is concluded of the shop at `now`, of an alert that ended at `endsAt`. */
async function ended(
  ends: Ends,
  { endsAt, now, known = shopSeries(ends) }: {
    readonly endsAt: number; readonly now: number; readonly known?: readonly FakeSeries[];
  },
): Promise<Conclusions> {
  const over: Partial<Alert> = { status: 'resolved', endsAt: new Date(endsAt).toISOString() };
  const series = [...known, ...alertsSeries([[firedAt, endsAt]])];
  const { facts, ledger } = await collected(
    shop({ series, expressions: ownShopSeries(ends) }), { alert: over, context: { now } },
  );
  const link = `http://p/graph?g0.expr=${encodeURIComponent(shopExpression)}`;
  const caseFile = aCaseFile({ alert: anAlert({
    labels: shopLabels, startsAt: new Date(firedAt).toISOString(), generatorURL: link, ...over,
  }) });
  const evidence = collectEvidence(caseFile, {
    ...noFacts, ledger, now, familyUnit: null, metrics: facts,
    configured: new Set(['prometheus']),
  });
  return concludeFrom({ caseFile, now, evidence, related: [], knowledge: null });
}

function textsOf(resolution: Resolution | null): string {
  return resolution?.changes.map(({ text }) => text).join('\n') ?? '';
}

test('what moved and came back with the alert confirms nothing: it may be an effect', async () => {
  const overAt = firedAt + 15 * minute;
  const { resolution, hypotheses, timeline } = await ended(
    { untilMs: overAt }, { endsAt: overAt + minute, now: overAt + 5 * minute },
  );
  assert.match(hypotheses[0]?.cause ?? '', /^db /);
  assert.equal(resolution?.hypothesis_held, null, textsOf(resolution));
  assert.match(textsOf(resolution), /^Whether the explanation held is unknown: db .* an effect/m);
  assert.match(textsOf(resolution), /^db CPU came back to 0?\.?2.* at 10:1[56] UTC\.$/m);
  const back = timeline.find(({ text }) => /^db .* is back within its usual range\.$/.test(text));
  assert.ok(Math.abs(Date.parse(back?.at ?? '') - overAt) <= 2 * minute, back?.at);
});

test('it did not hold when the alert ended and what it rests on is still changed', async () => {
  const overAt = firedAt + 15 * minute;
  const { resolution, timeline } = await ended(
    { untilMs: overAt, dbUntilMs: Infinity }, { endsAt: overAt, now: overAt + 5 * minute },
  );
  assert.equal(resolution?.hypothesis_held, false, textsOf(resolution));
  assert.match(textsOf(resolution), /did not hold: the alert ended, but db .* did not come back/);
  assert.match(textsOf(resolution), /^db .* did not come back: .* at the end, .* before\.$/m);
  assert.ok(!timeline.some(({ text }) => /^db .* is back/.test(text)));
});

test('whether it held is left open a few seconds after the end', async () => {
  const overAt = firedAt + 15 * minute;
  const { resolution } = await ended(
    { untilMs: overAt, dbUntilMs: Infinity }, { endsAt: overAt, now: overAt + 30_000 },
  );
  assert.equal(resolution?.hypothesis_held, null);
  assert.match(textsOf(resolution), /^Whether the explanation held is unknown: /m);
  assert.match(textsOf(resolution), /^Whether 1 .* is unknown: there are too few values after/m);
});

test('what was over long before the alert ended does not make its explanation hold', async () => {
  const overAt = firedAt + 55 * minute;
  const { resolution, timeline } = await ended(
    { untilMs: overAt, dbUntilMs: troubleAt + 15 * minute },
    { endsAt: overAt, now: overAt + 5 * minute },
  );
  assert.equal(resolution?.hypothesis_held, null, textsOf(resolution));
  assert.match(textsOf(resolution), /is unknown: db .* neither clearly came back with the alert/);
  assert.match(textsOf(resolution), /^db .* came back to .* at 10:\d\d UTC\.$/m);
  assert.ok(timeline.some(({ text }) => /^db .* is back within/.test(text)));
});

test('an alert of hours is compared at its end, and one of seconds as well', async () => {
  for (const length of [7 * 60 * minute, 30_000]) {
    const overAt = firedAt + length;
    const { resolution } = await ended(
      { untilMs: overAt }, { endsAt: overAt, now: overAt + 4 * minute },
    );
    assert.match(textsOf(resolution), /: db .* came back with the alert/u, String(length));
  }
});

test('a report made long after the end still sees what had moved', async () => {
  const overAt = firedAt + minute;
  const { resolution, hypotheses } = await ended(
    { untilMs: overAt }, { endsAt: overAt, now: overAt + 29 * minute },
  );
  assert.match(hypotheses[0]?.cause ?? '', /^db /);
  assert.match(textsOf(resolution), /: db .* came back with the alert/u);
});

test('a gap at the end leaves it open', async () => {
  const overAt = firedAt + 15 * minute;
  const options = shop({ expressions: ownShopSeries({ untilMs: overAt }) });
  const isIn = (atMs: number): boolean => atMs > overAt - minute && atMs < overAt + 4.8 * minute;
  const series = shopSeries({ untilMs: overAt }).map(({ labels, valueAt }) => ({
    labels, valueAt: (atMs: number) => (isIn(atMs) ? Number.NaN : valueAt(atMs)),
  }));
  const { facts } = await collected({ ...options, series }, {
    alert: { status: 'resolved', endsAt: new Date(overAt).toISOString() },
    context: { now: overAt + 5 * minute },
  });
  const states = [...facts.recovery?.states.values() ?? []].map(({ state }) => state);
  assert.ok(states.length > 0, 'something had changed');
  assert.ok(states.every((state) => state === 'unsettled' || state === 'unseen'), states.join());
});

test('nothing is asked about an end while the alert fires', async () => {
  const { facts } = await collected(shop());
  assert.equal(facts.recovery, null);
});

const endsAt = new Date(problemBegan + 20 * minute).toISOString();
const over = { status: 'resolved' as const, endsAt };
const closedCase = latencyCase({
  alert: { ...latencyCase().alert, ...over }, episode: { ...latencyCase().episode, endsAt },
});

const rows: readonly (readonly [
  name: string, atEnd: Partial<ChangeAtEnd>, held: boolean | null, text: RegExp,
])[] = [
  ['back', { state: 'back', backMs: problemBegan + 18 * minute, level: 41 }, true,
    /^orders-db connections came back to 41 at 10:13 UTC\.$/m],
  ['partly back', { state: 'partly', level: 90 }, null,
    /^orders-db connections came back only in part: 90 at the end, 40 before\.$/m],
  ['still changed', { state: 'changed', level: 200 }, false,
    /^orders-db connections did not come back: 200 at the end, 40 before\.$/m],
  ['not seen', { state: 'unseen' }, null,
    /^Whether 1 change came back is unknown: there are too few values after the end\.$/m],
];
for (const [name, atEnd, held, text] of rows) {
  test(`resolutionOf tells of a cause that is ${name}`, () => {
    const { resolution } = concluded(closedCase, {
      own: { recoveredMs: problemBegan + 19 * minute, valueAtEnd: 0.2 },
      candidates: [moving('orders-db', 'connections', { after: 198 })],
      atEnd: { 'orders-db/connections': atEnd },
    });
    assert.equal(resolution?.hypothesis_held, held, textsOf(resolution));
    assert.match(textsOf(resolution), text);
  });
}

test('resolutionOf tells of a component that was gone and came back', () => {
  const gone = moving('mail', 'memory_bytes', { before: 1e8 });
  gone.values.fill(Number.NaN, 55);
  const { resolution, hypotheses } = concluded(closedCase, {
    candidates: [gone, moving('cart', 'a_bytes')],
    atEnd: { 'mail/memory_bytes': { state: 'back', backMs: problemBegan + 18 * minute } },
  });
  assert.equal(hypotheses[0]?.cause, 'mail is gone');
  assert.equal(resolution?.hypothesis_held, true, textsOf(resolution));
  assert.match(textsOf(resolution), /^mail came back at 10:13 UTC\.$/m);
});

test('a component is back when another pod reports what the lost one did', async () => {
  const overAt = firedAt + 15 * minute;
  const ends = { untilMs: overAt, dbUntilMs: troubleAt };
  const known = shopSeries(ends).flatMap((series) => {
    const { labels, valueAt } = series;
    if (labels['service'] !== 'mail') return [series];
    const [from, to] = [troubleAt, overAt];
    return [
      { labels, valueAt: (at: number) => (at < from ? valueAt(at) : Number.NaN) },
      { labels: { ...labels, pod: 'mail-578fcf4766-x2x8z' },
        valueAt: (at: number) => (at < to ? Number.NaN : valueAt(at)) },
    ];
  });
  const { resolution } = await ended(ends, { endsAt: overAt, now: overAt + 10 * minute, known });
  assert.match(textsOf(resolution), /^mail came back at 10:1[56] UTC\.$/m);
});

for (const [seconds, cause] of [
  [-30, 'mail restarted, and it is gone'], [30, 'mail is gone'],
] as const) {
  test(`what was gone and restarted ${seconds} s after the problem began: ${cause}`, () => {
    const gone = moving('mail', 'memory_bytes', { before: 1e8 });
    gone.values.fill(Number.NaN, 55);
    const { resolution, hypotheses: [first] } = concluded(closedCase, {
      candidates: [gone, moving('cart', 'a_bytes')],
      events: [{
        kind: 'restart', text: 'mail restarted', component: { label: 'service', value: 'mail' },
        atMs: problemBegan + seconds * 1000,
      }],
      atEnd: { 'mail/memory_bytes': { state: 'back', backMs: problemBegan + 18 * minute } },
    });
    assert.equal(first?.cause, cause);
    assert.equal(first.for.some(({ text }) => text.startsWith('mail restarted')), seconds < 0);
    assert.equal(resolution?.hypothesis_held, true, textsOf(resolution));
  });
}

test('a release does not hold or fail by what else moved back', () => {
  const { resolution, hypotheses } = concluded(closedCase, {
    events: [{}],
    candidates: [moving('checkout', 'memory_bytes', { after: 90 })],
    ranking: { evidenceOf: new Map() },
    atEnd: { 'checkout/memory_bytes': { state: 'back', backMs: problemBegan + 18 * minute } },
  });
  assert.match(hypotheses[0]?.cause ?? '', /^A release: /);
  assert.ok(hypotheses.some(({ cause }) => cause.startsWith('checkout memory rose')));
  assert.equal(resolution?.hypothesis_held, null);
  assert.match(textsOf(resolution), /it rests on no series that could have moved back/);
});
