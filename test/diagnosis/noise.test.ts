import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noiseOf } from '../../src/diagnosis/noise.ts';
import type { PastFacts } from '../../src/evidence/metric-facts.ts';
import type { HopFault, Path, PathHop } from '../../src/report/path.ts';
import type { Classification } from '../../src/report/report.ts';
import { assertCompleteReport } from '../support/complete-report.ts';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile } from '../support/samples/case-files.ts';
import { concluded, problemBegan, type FactsOver } from '../support/samples/metric-facts.ts';

const minute = 60_000;
const hour = 60 * minute;

function past(over: Partial<PastFacts>): PastFacts {
  return {
    fromMs: problemBegan - 8 * hour, toMs: problemBegan, beyondShare: 1, stretches: 1, spreadMs: 0,
    least: 1, most: 1, evidence: 'E3', ...over,
  };
}

/** The noise of an alert on `value OPERATOR THRESHOLD` that began with the problem. */
function told(
  rule: string,
  over: FactsOver,
  { severity = 'warning', endsAt = null, startsMs = problemBegan }: {
    readonly severity?: string; readonly endsAt?: string | null; readonly startsMs?: number;
  } = {},
): ReturnType<typeof concluded> {
  const alert = anAlert({
    labels: { alertname: 'NodesMissing', job: 'a', severity },
    startsAt: new Date(startsMs).toISOString(), endsAt,
    status: endsAt === null ? 'firing' : 'resolved',
    generatorURL: `http://p/graph?g0.expr=${encodeURIComponent(rule)}`,
  });
  const episode = { ...aCaseFile().episode, startsAt: alert.startsAt ?? '', endsAt };
  return concluded(aCaseFile({ alert, episode }), over);
}

const one = { valueAtFire: 1, valueNow: 1, worst: 1, yesterday: null, lastWeek: null };

test('what has been beyond its threshold for as long as it is known is a wrong threshold', () => {
  const { situation, verdict, next_steps: [step], report } = told('sum(nodes) < 3', {
    own: { ...one, past: past({}) },
  }, { severity: 'critical' });
  assert.equal(noiseOf(situation)?.kind, 'always');
  assert.equal(verdict.classification, 'noisy');
  assert.match(verdict.headline, /\b1 for at least 8 h; the rule wants 3\b/u);
  assert.match(step?.action ?? '', /threshold of the rule/u);
  assertCompleteReport(report);
});

const real: readonly (readonly [string, string, FactsOver['own']])[] = [
  ['it was well a week ago', 'sum(nodes) < 3', { lastWeek: 3, past: past({}) }],
  ['little is known', 'sum(nodes) < 3', { past: past({ fromMs: problemBegan - hour }) }],
  ['it is worse than ever', 'sum(nodes) < 9', { worst: 1, past: past({ least: 5, most: 6 }) }],
  ['nothing has been there', 'sum(nodes) < 3', { past: past({ least: 0, most: 0 }) }],
  ['it is a state', 'nodes == 1', { past: past({}) }],
  ['it was beyond in one bad hour only', 'sum(nodes) < 3', {
    past: past({ beyondShare: 0.1, stretches: 4, spreadMs: hour, most: 5 }),
  }],
];
for (const [why, rule, own] of real) {
  test(`an alert is no noise where ${why}`, () => {
    const { situation } = told(rule, { own: { ...one, ...own } });
    assert.equal(noiseOf(situation), null);
  });
}

const range = past({
  beyondShare: 0.38, stretches: 20, spreadMs: 7 * hour, least: 11.5, most: 18.7,
});

test('a threshold inside the ordinary range is told with the one that would fit', () => {
  const own = { valueAtFire: 14, valueNow: 14.5, worst: 16.1, past: range };
  const { situation, verdict, next_steps: [step] } = told('sum(rate(x[5m])) > 13.5', { own });
  const noise = noiseOf(situation);
  assert.ok(noise?.kind === 'ordinary');
  assert.equal(noise.fits, 19);
  assert.equal(verdict.classification, 'noisy');
  assert.match(verdict.headline, /over 13\.5 for 38 % of the 8 h before/u);
  assert.match(step?.action ?? '', /^Raise the threshold of the rule to 19/u);
  const far = told('sum(rate(x[5m])) > 13.5', { own: { ...own, worst: 31.9 } });
  assert.equal(noiseOf(far.situation), null, 'farther than ever');
});

test('noise stays noise after its end', () => {
  const classOf = (own: NonNullable<FactsOver['own']>): Classification =>
    told('sum(rate(x[5m])) > 13.5', { own }, {
      endsAt: new Date(problemBegan + 5 * minute).toISOString(),
    }).verdict.classification;
  const back = { valueAtFire: 14, worst: 16.1, valueAtEnd: 12, recoveredMs: problemBegan };
  assert.equal(classOf({ ...back, past: range }), 'noisy');
  assert.equal(classOf(back), 'recovered');
});

/** The noise of an alert whose value goes this far, and that fired so many minutes ago as well. */
function flapping(
  worst: number,
  ...past: (number | Path)[]
): ReturnType<typeof noiseOf> {
  const minutesAgo = past.filter((each) => typeof each === 'number');
  const path = past.find((each) => typeof each !== 'number') ?? null;
  const { situation } = told('sum(queue) > 100', {
    path,
    own: { valueAtFire: worst, valueNow: worst, worst },
    fired: { pendingOnly: 0, intervals: minutesAgo.map((ago) => ({
      fromMs: problemBegan - ago * minute, toMs: problemBegan - (ago - 1) * minute,
    })) },
  });
  return noiseOf(situation);
}

test('flapping is told at the second alternation, with its period', () => {
  const noise = flapping(138, 4);
  assert.ok(noise?.kind === 'flapping');
  assert.deepEqual([noise.run.times, noise.run.periodMs], [2, 4 * minute]);
  assert.equal(flapping(138), null);
  assert.equal(flapping(138, 20), null, 'not close together');
});

test('what flaps because something behind it is broken is no noise', () => {
  const pathTo = (kind: HopFault['kind']): Path => {
    const since = new Date(problemBegan).toISOString();
    const hop = (component: string, kinds: readonly HopFault['kind'][]): PathHop => ({
      component, labels: { job: component }, relation: kinds.length === 0 ? null : 'called',
      works: null, state: 'failing', since, evidence: ['E1'],
      faults: kinds.map((each) => ({
        kind: each, metric: 'm', what: null, value: 9, before: 1, labels: {}, limit: null, since,
        until: null, seen_by: 'itself',
      })),
    });
    return { hops: [hop('shop', []), hop('redis', [kind])], origin: 1 };
  };
  assert.equal(flapping(138, 4, pathTo('full')), null);
  assert.equal(flapping(138, 4, pathTo('slow'))?.kind, 'flapping');
});

test('several real outages that trip one general alert are no flapping', () => {
  assert.equal(flapping(700, 25, 13, 10), null, 'far beyond, and not regular');
  const startsMs = problemBegan + 34 * minute;
  const before = [45, 30, 15].map((ago) => startsMs - ago * minute);
  const { situation } = told('sum(queue) > 100', {
    own: { valueAtFire: 700, valueNow: 700, worst: 700 },
    fired: { pendingOnly: 0, intervals: before.map((fromMs) =>
      ({ fromMs, toMs: fromMs + 11 * minute })) },
  }, { startsMs });
  assert.equal(noiseOf(situation)?.kind, 'flapping', 'as regular as a clock');
});

test('one failure of so few that it is beyond the threshold says nothing new', () => {
  const rule = 'sum(rate(x_requests_total{code="500"}[30s])) / ' +
    'sum(rate(x_requests_total[30s])) > 0.15';
  const noiseWith = (value: number, atFire: number): string | undefined =>
    noiseOf(told(rule, {
      own: { valueAtFire: value, valueNow: value, worst: value, yesterday: null, lastWeek: null },
      whole: { atFire, rangeSeconds: 30 },
    }).situation)?.kind;
  assert.equal(noiseWith(0.25, 4 / 30), 'few', '1 of 4');
  assert.notEqual(noiseWith(1, 2 / 30), 'few', 'all of them fail');
  assert.notEqual(noiseWith(0.25, 40 / 30), 'few', '10 of 40');
});
