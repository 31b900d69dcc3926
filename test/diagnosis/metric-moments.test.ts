import assert from 'node:assert/strict';
import test from 'node:test';
import { assertCompleteReport } from '../support/complete-report.ts';
import { anAlert } from '../support/samples/alerts.ts';
import {
  concluded, latencyCase, moving, problemBegan, type FactsOver,
} from '../support/samples/metric-facts.ts';

test('timelineOf tells beginning, limit, changes and what was done, oldest first', () => {
  const { timeline, report } = concluded(latencyCase(), {
    rule: {}, own: { overSinceMs: problemBegan + 30_000 },
    candidates: [moving('orders-db', 'connections', { after: 198 }), moving('cart', 'a_bytes')],
    events: [{}],
    fired: {
      intervals: [
        { fromMs: problemBegan - 7_200_000, toMs: problemBegan - 7_000_000 },
        { fromMs: problemBegan + 300_000, toMs: problemBegan + 2_100_000 },
      ],
      pendingOnly: 0,
    },
  });
  assertCompleteReport(report);
  assert.deepEqual(timeline.map(({ kind, text }) => `${kind}: ${text}`), [
    'episode: The alert fires, according to Prometheus.',
    'change: orders-db connections rose from 40 to 201',
    'change: image of checkout changed from 1 to 2',
    'note: The problem begins: the alert is pending.',
    'note: The value goes beyond its threshold and stays there.',
    'started: The alert starts firing.',
    'received: The notification arrives.',
  ]);
});

test('findingsOf says what was measured of it, its peers and its data', () => {
  const { findings, impact, report } = concluded(latencyCase(), {
    peers: { total: 12, beyond: 9 }, own: { crossings: 3, worst: 2.4 },
    scrape: {
      up: 11, total: 12, down: [{ instance: 'web-1:80' }],
      gaps: [{ fromMs: problemBegan, toMs: problemBegan + 90_000 }],
    },
    fired: { intervals: [
      { fromMs: problemBegan - 7_200_000, toMs: problemBegan - 7_000_000 },
      { fromMs: problemBegan + 300_000, toMs: problemBegan + 2_100_000 },
    ], pendingOnly: 2 },
    candidates: [moving('orders-db', 'connections', { after: 198 }), moving('cart', 'a_bytes')],
  });
  assertCompleteReport(report);
  const texts = findings.map(({ text }) => text);
  for (const expected of [
    'When last checked, the value was 1.9 s, 3.8× its threshold of 500 ms.',
    'Beyond its threshold since 09:55 UTC.',
    'The value crossed its threshold 3 times in the window examined.',
    'At its worst, the value was 2.4 s.',
    'When last checked, 9 of the 12 series of its rule were beyond the threshold.',
    '1 of 12 targets cannot be scraped: web-1:80.',
    'Its data has a gap of 1 min 30 s from 09:55 UTC.',
    'Prometheus saw it start firing 2 times in 7 days.',
    'It was pending 2 more times without firing.',
    '1 of 2 series moved; less than one is expected by chance.',
  ]) {
    assert.ok(texts.includes(expected), `${expected} not in ${texts.join('\n')}`);
  }
  assert.deepEqual([impact.scope, impact.targets_up, impact.targets_total], ['broad', 11, 12]);
});

test('findingsOf says how many changes are chance at most', () => {
  const candidates = Array.from({ length: 240 }, (_, index) =>
    moving(`c-${index}`, 'load', { after: index === 0 ? 90 : 40 }));
  const { findings } = concluded(latencyCase(), { candidates });
  const texts = findings.map(({ text }) => text);
  assert.ok(texts.includes('1 of 240 series moved; at most 2 are expected by chance.'));
});

test('findingsOf says what there is not, where that is what the rule fires on', () => {
  const caseFile = latencyCase();
  const of = (expression: string): string[] => concluded(latencyCase({
    alert: {
      ...caseFile.alert,
      generatorURL: `http://p/graph?g0.expr=${encodeURIComponent(expression)}`,
    },
  }), {}).findings.map(({ text }) => text);
  const said = 'The rule fires when orders{job="shop"} has no series.';
  assert.ok(of('absent(orders{job="shop"})').includes(said));
  assert.ok(of('orders{job="shop"} offset 1d unless orders{job="shop"}').includes(said));
});

test('targets that are no more are not counted as none of none', () => {
  const { impact } = concluded(latencyCase(), { scrape: { up: 0, total: 0 } });
  assert.deepEqual([impact.targets_up, impact.targets_total], [null, null]);
});

test('a value that was beyond its threshold before anybody looked has no beginning', () => {
  const { findings, timeline } = concluded(latencyCase(), { own: { wasOverBefore: true } });
  assert.ok(findings.some(({ text }) => text === 'Beyond its threshold since before 09:55 UTC.'));
  assert.ok(timeline.every(({ text }) => !text.startsWith('The value goes beyond')));
});

test('resolutionOf tells the value at the end and when it came back', () => {
  const { alert } = latencyCase();
  const ended = { ...anAlert(alert), status: 'resolved' as const, endsAt: '2026-11-20T10:20:00Z' };
  const recoveredMs = Date.parse('2026-11-20T10:15:00Z');
  const over = { valueNow: 0.2, overSinceMs: null, recoveredMs, valueAtEnd: 0.21 };
  const caseFile = latencyCase({ alert: ended, episode: {
    ...latencyCase().episode, endsAt: ended.endsAt,
  } });
  const { resolution, verdict, unknowns } = concluded(caseFile, { own: over });
  assert.equal(resolution?.value_at_end, 0.21);
  assert.deepEqual(resolution?.changes.map(({ text }) => text), [
    'The value came back within its threshold of 500 ms at 10:15 UTC, ' +
    '5 min before the alert ended.',
  ]);
  assert.equal(resolution?.hypothesis_held, null);
  assert.equal(verdict.classification, 'recovered');
  assert.match(verdict.headline, /1\.6 s, 3\.2× its threshold of 500 ms\. Recovered 10:20 UTC/u);
  assert.ok(unknowns.every(({ what }) => !what.startsWith('The value when the alert ended')));
  const away: FactsOver = { own: null, scrape: null, ranking: null, source: { state: 'failed' } };
  assert.doesNotMatch(JSON.stringify(concluded(caseFile, away).unknowns), /no sample/,
    'nobody looked');
});

test('realityOf carries no number that JSON cannot hold', () => {
  const { reality, report } = concluded(latencyCase(), {
    own: { valueAtFire: Infinity, valueNow: Number.NaN, yesterday: -Infinity, worst: Infinity },
  });
  assertCompleteReport(report);
  assert.deepEqual(
    [reality.value_at_fire, reality.value_now, reality.yesterday], [null, null, null],
  );
});

const targets = ['a', 'b', 'c'].map((name) => ({ job: 'web', instance: `${name}:80` }));
const downCases: readonly (readonly [up: number, total: number, down: number, said: string])[] = [
  [1, 3, 2, '2 of 3 targets cannot be scraped: a:80, b:80.'],
  [0, 3, 3, 'None of the 3 targets can be scraped: a:80, b:80, c:80.'],
  [2, 9, 3, '7 of 9 targets cannot be scraped: a:80, b:80, c:80, 4 more.'],
  [0, 1, 1, 'Its only target, a:80, cannot be scraped.'],
  [0, 1, 0, 'Its only target cannot be scraped.'],
];
for (const [up, total, down, said] of downCases) {
  test(`findingsOf says: ${said}`, () => {
    const { findings } = concluded(latencyCase(), {
      scrape: { up, total, down: targets.slice(0, down) },
    });
    assert.ok(findings.some(({ text }) => text === said));
  });
}

test('findings and timeline tell which targets were not scraped, and when', () => {
  const [fromMs, toMs] = [problemBegan - 900_000, problemBegan - 60_000];
  const { findings, timeline, report } = concluded(latencyCase(), {
    scrape: { outages: [
      ...targets.slice(0, 1).map((labels) => ({ labels, fromMs: 0, toMs: 90_000 })),
      ...targets.map((labels, index) => ({ labels, fromMs, toMs: index === 0 ? toMs : null })),
    ] },
  });
  assertCompleteReport(report);
  const said = findings.filter(({ text }) => text.includes('could not be scraped'));
  assert.deepEqual(said.map(({ text }) => text),
    ['a:80 could not be scraped for 14 min from 09:40 UTC.']);
  const told = timeline.filter(({ text }) => text.includes('be scraped'));
  assert.deepEqual(told.map(({ at, text }) => `${at.slice(11, 16)} ${text}`),
    ['09:40 3 targets cannot be scraped.', '09:54 a:80 can be scraped again.']);
});

test('impactOf names the targets that an alert on targets only counts', () => {
  const alert = anAlert({
    labels: { alertname: 'TargetDown', job: 'web' },
    generatorURL: 'http://p/graph?g0.expr=count(up+%3D%3D+0)+%3E+1',
  });
  const scrape = { up: 1, total: 3, down: targets.slice(0, 2) };
  assert.deepEqual(concluded(latencyCase({ alert }), { scrape }).impact.affected,
    ['job=web', 'instance=a:80', 'instance=b:80']);
  assert.deepEqual(concluded(latencyCase(), { scrape }).impact.affected, ['service=checkout']);
});

test('findingsOf counts two or all series of a rule in words, and tells a worst value once', () => {
  const of = (total: number, beyond: number): string[] => {
    const { findings } = concluded(latencyCase(), {
      own: { valueNow: 1.903, worst: 1.904 }, peers: { total, beyond },
    });
    return findings.map(({ text }) => text);
  };
  for (const [total, beyond, expected] of [
    [2, 2, 'both series of its rule were'], [3, 3, 'all 3 series of its rule were'],
    [3, 0, 'none of the 3 series of its rule was'],
  ] as const) {
    assert.ok(of(total, beyond).includes(`When last checked, ${expected} beyond the threshold.`));
  }
  assert.ok(of(2, 2).every((text) => !text.startsWith('At its worst')));
});

test('of a rule on a state nothing is said to be beyond a threshold', () => {
  const alert = anAlert({
    labels: { alertname: 'ReplicaReadOnly', service: 'db' },
    generatorURL: 'http://p/graph?g0.expr=read_only+%3D%3D+1',
  });
  const { findings, timeline } = concluded(latencyCase({ alert }), {
    own: { valueAtFire: 1, valueNow: 1, worst: 1 }, peers: { total: 3, beyond: 2 },
  });
  const said = [...findings, ...timeline].map(({ text }) => text);
  for (const expected of [
    'It has matched its rule since 09:55 UTC.',
    'When last checked, 2 of the 3 series of its rule matched it.',
    'The value matches its rule from here on.',
  ]) assert.ok(said.includes(expected), said.join(' '));
  assert.ok(said.every((text) => !/beyond/iu.test(text)), said.join(' '));
  const back = concluded(latencyCase({ alert }), {
    own: {
      valueAtFire: 1, valueNow: 0, worst: 1, overSinceMs: null, crossings: 3,
      yesterday: 1, lastWeek: 1,
    },
  });
  const told = [...back.findings, ...back.verdict.reasons].map(({ text }) => text);
  for (const expected of [
    'The value no longer matches its rule, but the alert is still firing.',
    'The value started or stopped matching its rule 3 times in the window examined.',
    'The value also matched its rule a day and a week before it fired.',
  ]) assert.ok(told.includes(expected), told.join(' '));
  assert.ok(told.every((text) => !/threshold/iu.test(text)), told.join(' '));
  assert.match(back.verdict.do_first ?? '', /^Nothing now: the value no longer matches its rule\./);
});

test('a beginning that nobody told is no moment, nor is that of no problem', () => {
  const begins = (over: FactsOver, caseFile = latencyCase()): number =>
    concluded(caseFile, over).timeline
      .filter(({ text }) => text.startsWith('The problem begins')).length;
  const untold: FactsOver = { rule: null, own: null, scrape: null, ranking: null };
  assert.equal(begins({ ...untold, source: { state: 'failed' } }), 0);
  assert.equal(begins(untold), 0);
  assert.equal(begins({ ...untold, rule: {} }), 1);
  const heartbeat = anAlert({ labels: { alertname: 'Watchdog' } });
  assert.equal(begins({ ...untold, rule: {} }, latencyCase({ alert: heartbeat })), 0);
});
