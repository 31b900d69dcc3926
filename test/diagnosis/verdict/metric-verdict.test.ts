import assert from 'node:assert/strict';
import test from 'node:test';
import { readExpression } from '../../../src/evidence/rule/rule-expression.ts';
import type { Certainty, Classification } from '../../../src/report/report.ts';
import { realityRows } from '../../../src/report/words.ts';
import { assertCompleteReport } from '../../support/complete-report.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import { aCaseFile } from '../../support/samples/case-files.ts';
import {
  concluded, latencyCase, moving, onPoint, problemBegan, type FactsOver,
} from '../../support/samples/metric-facts.ts';

const quiet = ['cart', 'email', 'search'].map((name) => moving(name, 'memory_bytes'));
const database = moving('orders-db', 'orders_db_connections', { before: 40, after: 198 });

test('without a metric source nothing is measured and nothing is likely', () => {
  const { report, changes, ruled_out: ruledOut, verdict } = concluded(latencyCase(), null);
  assertCompleteReport(report);
  assert.deepEqual([changes, ruledOut], [[], []]);
  assert.ok(verdict.reasons.some(({ text }) => text.startsWith('No metric source')));
  assert.equal(report.reality.scrape_ok, null);
});

test('a source that did not answer is named and is not said to be missing', () => {
  const { report, verdict, unknowns, next_steps: steps } = concluded(latencyCase(), {
    own: null, scrape: null, ranking: null, source: { state: 'failed' },
    faults: [{ what: 'Prometheus', why: 'The connection was refused.', hint: 'Check it.' }],
  });
  assertCompleteReport(report);
  const texts = verdict.reasons.map(({ text }) => text).join(' ');
  assert.match(texts, /Missing: Prometheus\. The connection was refused\./u);
  assert.doesNotMatch(texts, /configured/u);
  assert.ok(unknowns.some(({ why }) => why === 'The connection was refused.'));
  assert.ok(!unknowns.some(({ how_to_get: how }) => /set PROMETHEUS_URL/iu.test(how)));
  assert.ok(steps.every(({ action }) => !action.startsWith('Set PROMETHEUS_URL')));
});

test('verdict says value, factor and trend as they are measured', () => {
  const { verdict, reality, report } = concluded(latencyCase(), {});
  assertCompleteReport(report);
  assert.equal(
    verdict.headline,
    'CheckoutLatencyHigh on checkout in shop: 1.9 s, 3.8× its threshold of 500 ms, and rising. ' +
      'Firing since 10:00 UTC.',
  );
  assert.deepEqual(
    [reality.value_at_fire, reality.value_now, reality.yesterday, reality.last_week],
    [1.6, 1.9, 0.2, 0.21],
  );
  assert.deepEqual([reality.unit, reality.scrape_ok, reality.flaps], ['seconds', true, 1]);
});

test('unknownsOf says why an expression was not run, and nothing else of it', () => {
  const { alert, episode } = latencyCase();
  const endsAt = '2026-11-20T10:30:00Z';
  const { unknowns } = concluded(latencyCase({
    alert: { ...alert, status: 'resolved', endsAt }, episode: { ...episode, endsAt },
  }), { own: null, unrun: 'It is not run.' });
  assert.ok(unknowns.some(({ why }) => why === 'It is not run.'));
  assert.ok(!unknowns.some(({ what }) => what === 'The value when the alert ended.'));
});

test('unknownsOf misses no threshold where the rule has none', () => {
  const { alert } = latencyCase();
  const lacks = (expression: string): boolean => {
    const generatorURL = `http://p/graph?g0.expr=${encodeURIComponent(expression)}`;
    const { unknowns } = concluded(latencyCase({ alert: { ...alert, generatorURL } }), {});
    return unknowns.some(({ what }) => what === 'The threshold of the rule.');
  };
  assert.equal(lacks('absent(up{job="kubelet"} == 1)'), false);
  assert.equal(lacks('spec_replicas != available_replicas'), true);
});

test('verdict tells the limit of the condition that held, and calls nothing back within it', () => {
  const { alert } = latencyCase();
  const generatorURL = `http://p/graph?g0.expr=${encodeURIComponent('l_seconds > 1 or x > 2')}`;
  const reading = readExpression('l_seconds > 1');
  const holding = { ...reading, isOneOfSeveral: true };
  const of = (valueNow: number): ReturnType<typeof concluded> => concluded(
    latencyCase({ alert: { ...alert, generatorURL } }),
    { holding, own: { valueNow, overSinceMs: null } },
  );
  const { verdict, findings, unknowns } = of(1.9);
  assert.match(verdict.headline, /: 1\.9 s, 1\.9× its threshold of 1 s/u);
  const held = 'The condition that was true: l_seconds > 1.';
  assert.ok(findings.some(({ text }) => text === held));
  assert.ok(unknowns.every(({ what }) => what !== 'The threshold of the rule.'));
  assert.equal(of(0.5).verdict.classification, 'actionable');
});

const ofSeries = (expression: string): ReturnType<typeof latencyCase> => latencyCase({
  alert: {
    ...latencyCase().alert,
    generatorURL: `http://p/graph?g0.expr=${encodeURIComponent(expression)}`,
  },
});

test('verdict tells a value against a limit that is a series by the limit of its moment', () => {
  const caseFile = ofSeries('l_seconds > 2 * usual_seconds');
  const before = { value: 1.5, limit: 4 };
  const { verdict, findings, reality, unknowns, report } = concluded(caseFile, {
    own: {
      worst: null, yesterday: 1.6, lastWeek: 1.6,
      limit: { atFire: 1.5, now: 1.2, before, isGoneAtEnd: false },
    },
  });
  assertCompleteReport(report);
  assert.match(verdict.headline, /: 1\.9 s, 1\.6× its threshold of 1\.2 s, and rising/u);
  assert.deepEqual([reality.threshold, reality.threshold_series],
    [1.2, { expression: '2 * usual_seconds', at_fire: 1.5, now: 1.2 }]);
  assert.deepEqual(realityRows(reality).slice(0, 3).map(([, said]) => said), [
    '1.6 s (threshold 1.5 s)', '1.9 s (threshold 1.2 s)',
    '> 2 * usual_seconds (1.2 s when last checked)',
  ]);
  const texts = findings.map(({ text }) => text);
  assert.ok(texts.includes('The rule fires when l_seconds > 2 * usual_seconds.'));
  assert.ok(texts.includes('Its threshold fell from 4 s to 1.5 s, while the value hardly moved.'));
  // What its limit was on those days is not known, nor how near to it the value ever was.
  assert.ok(texts.every((text) => !/yesterday|never more than/u.test(text)));
  assert.ok(verdict.reasons.every(({ text }) => !/another series/u.test(text)));
  assert.ok(unknowns.every(({ what }) => what !== 'The threshold of the rule.'));
});

test('verdict says that the limit is not known where the series has none', () => {
  const { verdict, unknowns, reality } = concluded(ofSeries('l_seconds > usual_seconds'), {
    own: { limit: { atFire: 1.5, now: null, before: null, isGoneAtEnd: false } },
  });
  assert.equal(reality.threshold, null);
  assert.match(verdict.headline, /^CheckoutLatencyHigh on checkout in shop\. Firing since/u);
  assert.ok(verdict.reasons.some(({ text }) => /another series/u.test(text)));
  assert.ok(unknowns.some(({ what }) => what === 'The threshold of the rule.'));
});

test('verdict calls nothing recovered of which only the limit has ended', () => {
  const caseFile = ofSeries('l_seconds > usual_seconds');
  const limit = { atFire: 1.5, now: null, before: null, isGoneAtEnd: true };
  const { alert, episode } = caseFile;
  const endsAt = '2026-11-20T10:20:00Z';
  const { verdict, findings } = concluded(
    {
      ...caseFile, alert: { ...alert, status: 'resolved', endsAt }, episode: { ...episode, endsAt },
    },
    { own: { overSinceMs: null, valueAtEnd: 1.9, limit } },
  );
  assert.equal(verdict.classification, 'inconclusive');
  assert.match(verdict.headline, /Ended .* after .*, because its threshold disappeared\.$/u);
  assert.ok(findings.some(({ text }) =>
    text === 'The alert ended because its threshold disappeared.'));
});

test('verdict tells how many replicas there are of those that are wanted', () => {
  const expression = 'kube_deployment_spec_replicas != kube_deployment_status_replicas_available';
  const of = (now: number): ReturnType<typeof concluded> => concluded(ofSeries(expression), {
    own: {
      valueAtFire: 5, valueNow: 5, worst: null, overSinceMs: now === 5 ? null : problemBegan,
      limit: { atFire: 3, now, before: { value: 5, limit: 5 }, isGoneAtEnd: false },
    },
  });
  assert.match(of(4).verdict.headline, /: 4 of 5 replicas available\. Firing since/u);
  assert.ok(of(4).findings.every(({ text }) => !text.startsWith('It is its threshold')));
  assert.equal(of(5).verdict.classification, 'recovered');
});

test('verdict tells no last value of how many there ought to be', () => {
  const expression = 'kube_deployment_spec_replicas > kube_deployment_status_replicas_available';
  const caseFile = ofSeries(expression);
  const endsAt = '2026-11-20T10:20:00Z';
  const { findings } = concluded(
    {
      ...caseFile, alert: { ...caseFile.alert, status: 'resolved', endsAt },
      episode: { ...caseFile.episode, endsAt },
    },
    {
      own: {
        valueAtFire: 5, valueNow: null, worst: null, cutOffValue: 5,
        limit: { atFire: 3, now: null, before: null, isGoneAtEnd: false },
      },
    },
  );
  const texts = findings.map(({ text }) => text);
  assert.ok(texts.includes('The alert ended because its series ended.'), texts.join('\n'));
});

test('verdict says what the alert says where its rule has no number to compare with', () => {
  const { alert } = latencyCase();
  const generatorURL = 'http://p/graph?g0.expr=spec_replicas+%21%3D+available_replicas';
  const annotations = { summary: 'Two of four replicas are missing' };
  const { verdict, findings } = concluded(
    latencyCase({ alert: { ...alert, generatorURL, annotations } }), { own: { valueNow: 4 } },
  );
  assert.match(verdict.headline, /“Two of four replicas are missing”\. Firing since/u);
  assert.ok(findings.every(({ text }) => !/\b4\b/u.test(text)));
  const silent = concluded(
    latencyCase({ alert: { ...alert, generatorURL, annotations: {} } }), { own: { valueNow: 4 } },
  );
  assert.equal(
    silent.verdict.headline, 'CheckoutLatencyHigh on checkout in shop. Firing since 10:00 UTC.',
  );
});

test('verdict holds a small margin against values that can be nearer or farther', () => {
  const { alert } = latencyCase();
  const isBarely = (expression: string, value: number): boolean => {
    const generatorURL = `http://p/graph?g0.expr=${encodeURIComponent(expression)}`;
    const { verdict } = concluded(latencyCase({ alert: { ...alert, generatorURL } }), {
      own: { valueAtFire: value, valueNow: value, worst: value },
    });
    return verdict.reasons.some(({ text }) => text.includes('never more than 2 %'));
  };
  assert.equal(isBarely('queue_length > 1000', 1001), true);
  assert.equal(isBarely('l_seconds > 0.5', 0.505), true);
  assert.equal(isBarely('crash_looping >= 1', 1), false);
  assert.equal(isBarely('pods_missing >= 3', 3), false);
  assert.equal(isBarely('time() - done_timestamp_seconds > 93600', 93_660.5), false);
});

test('verdict tells no trend of a value that is back or that nobody followed', () => {
  for (const own of [{ trend: null }, { valueNow: 0.3, overSinceMs: null }]) {
    assert.doesNotMatch(concluded(latencyCase(), { own }).verdict.headline, /rising|falling/u);
  }
});

test('verdict takes the rule of the server where the alert carries none', () => {
  const caseFile = latencyCase({ alert: anAlert({ labels: { alertname: 'X', pod: 'a' } }) });
  const { reality, situation } = concluded(caseFile, { rule: {} });
  assert.deepEqual([reality.threshold, reality.operator, reality.unit], [0.5, '>', 'seconds']);
  assert.equal(situation.evidence.ids.rule, situation.evidence.metrics?.rule?.evidence);
});

test('verdict classifies by what was measured', () => {
  const hour = 3_600_000;
  const often = Array.from({ length: 24 }, (_, index) => {
    const fromMs = problemBegan - (24 - index) * 600_000;
    return { fromMs, toMs: fromMs + 200_000 };
  });
  const cases: readonly [string, FactsOver, Classification][] = [
    ['far over', {}, 'actionable'],
    ['gone', { scrape: { isStale: true, up: 0 }, own: { valueNow: null } }, 'data_problem'],
    ['back', { own: { valueNow: 0.3, overSinceMs: null } }, 'recovered'],
    ['back for now', {
      own: { valueNow: 0.3, overSinceMs: null, crossedMs: [1, 2, 3, 4, 5, 6] },
    }, 'actionable'],
    ['barely over', { own: { valueAtFire: 0.505, valueNow: 0.504, worst: 0.506 } }, 'actionable'],
    ['inside the noise', {
      own: { valueAtFire: 0.505, valueNow: 0.504, worst: 0.506, crossedMs: [1, 2, 3, 4, 5, 6] },
    }, 'noisy'],
    ['flapping elsewhere, critical', { fired: { intervals: often, pendingOnly: 0 } }, 'actionable'],
    ['flapping elsewhere', { fired: { intervals: often, pendingOnly: 0 } }, 'noisy'],
    ['rarely elsewhere', {
      fired: { intervals: [{ fromMs: problemBegan - 40 * hour, toMs: problemBegan - 38 * hour }],
        pendingOnly: 2 },
    }, 'actionable'],
  ];
  const recent = { ...aCaseFile().episode, startsAt: '2026-11-20T10:29:00Z' };
  const { alert } = latencyCase();
  const warning = { ...alert, labels: { ...alert.labels, severity: 'warning' } };
  for (const [name, over, expected] of cases) {
    const caseFile = latencyCase({
      ...(name.startsWith('flapping') && { episode: recent }),
      ...(name === 'flapping elsewhere' && { alert: warning }),
    });
    const { verdict, report } = concluded(caseFile, over);
    assertCompleteReport(report);
    assert.equal(verdict.classification, expected, name);
  }
});

test('verdict is likely only for what moved first, strongly, nearby and clearly ahead', () => {
  const second = moving('payments', 'queue_length', { before: 10, after: 60 });
  const elsewhere = { ...database, labels: { namespace: 'billing', service: 'orders-db' } };
  const lateDown = new Float64Array(90).fill(1).fill(0, onPoint - 5, onPoint + 5);
  const cases: readonly [string, FactsOver, Certainty][] = [
    ['nothing moved', { candidates: quiet }, 'inconclusive'],
    ['one moved first', { candidates: [...quiet, database] }, 'likely'],
    ['two moved', { candidates: [...quiet, database, second] }, 'inconclusive'],
    ['another moved almost as much', {
      candidates: [...quiet, database, moving('payments', 'queue', { before: 10, after: 25 })],
    }, 'possible'],
    ['search was cut', {
      candidates: [...quiet, database], ranking: { isTruncated: true },
    }, 'possible'],
    ['it moved after', {
      candidates: [...quiet, moving('orders-db', 'connections', { after: 198, at: onPoint + 8 })],
    }, 'possible'],
    ['elsewhere', { candidates: [...quiet, elsewhere] }, 'inconclusive'],
    ["elsewhere, with the alert's value", {
      candidates: [...quiet, elsewhere], ownValues: elsewhere.values,
    }, 'possible'],
    ['as many by chance', {
      candidates: [
        ...Array.from({ length: 150 }, (_, index) => moving(`s${index}`, 'memory_bytes')),
        moving('orders-db', 'connections', { before: 40, after: 46 }),
      ],
    }, 'inconclusive'],
    ['a state, which no chance changes', {
      candidates: [
        ...Array.from({ length: 150 }, (_, index) => moving(`s${index}`, 'memory_bytes')),
        { ...moving('orders-db', 'up'), kind: 'state', values: lateDown },
      ],
    }, 'possible'],
    ['usual at this hour', {
      candidates: [...quiet, database],
      ranking: { seasonal: new Map([[database.id, { z: 1.5, isUsual: true }]]) },
    }, 'inconclusive'],
    ['only what its callers see', {
      candidates: [...quiet, moving('orders-db', 'memory_bytes'),
        moving('orders-db', 'request_seconds', { after: 400, side: 'external' })],
    }, 'likely'],
    ['only what it waits for', {
      candidates: [...quiet, moving('orders-db', 'http_client_request_seconds', { after: 400 })],
    }, 'inconclusive'],
  ];
  for (const [name, over, expected] of cases) {
    const { verdict, report } = concluded(latencyCase(), over);
    assertCompleteReport(report);
    assert.equal(verdict.certainty, expected, name);
  }
});

test('verdict blames nothing that moved for what the clock alone moves', () => {
  const { alert } = latencyCase();
  const cause = (expression: string, atLimit?: number): readonly [Certainty, boolean] => {
    const generatorURL = `http://p/graph?g0.expr=${encodeURIComponent(expression)}`;
    const limit = atLimit === undefined ? null
      : { atFire: atLimit, now: atLimit, before: null, isGoneAtEnd: false };
    const { verdict, hypotheses } = concluded(latencyCase({ alert: { ...alert, generatorURL } }),
      { candidates: [...quiet, database], own: { limit } });
    return [verdict.certainty, hypotheses.some((each) => each.cause.startsWith('orders-db'))];
  };
  const day = 'time() - backup_timestamp_seconds > 60 * 60 * 24';
  assert.deepEqual(cause(day), ['inconclusive', false]);
  assert.deepEqual(cause('time() - heartbeat_timestamp_seconds > 60'), ['likely', true]);
  assert.equal(cause('time() - a_timestamp_seconds > max_age_seconds', 86_400)[1], false);
  assert.equal(cause('started_seconds > time() - 600', 1.7e9)[1], true);
  assert.equal(cause('(a_timestamp_seconds - time()) / 86400 < 0')[1], false);
});

test('verdict gives reasons for a likely cause, with the evidence of each', () => {
  const { verdict, hypotheses, next_steps: steps } = concluded(latencyCase(), {
    candidates: [...quiet, database],
  });
  assert.equal(verdict.most_likely, 'orders-db connections rose from 40 to 201');
  const raising = verdict.reasons.filter(({ effect }) => effect === 'raises');
  assert.ok(raising.some(({ text }) => text === 'It began to move 5 min before the problem.'));
  assert.ok(raising.every(({ evidence }) => evidence.length > 0));
  assert.equal(hypotheses[0]?.test, 'orders_db_connections{service="orders-db"}');
  assert.ok(steps.some(({ command }) => command === hypotheses[0]?.test));
});

test('verdict says why no cause is carried, and gives the shortlist', () => {
  const second = moving('payments', 'queue_length', { before: 10, after: 60 });
  const { verdict, hypotheses } = concluded(latencyCase(), {
    candidates: [...quiet, database, second],
  });
  const lowered = verdict.reasons.filter(({ effect }) => effect === 'lowers');
  const shortlist = /does not establish a cause; what moved most: (?:orders-db|payments|, )+\.$/u;
  assert.ok(lowered.some(({ text }) => shortlist.test(text)));
  const tie = verdict.most_likely ?? '';
  const place = '.+ of (?:orders-db|payments)';
  assert.match(tie, new RegExp(`^${place}, or ${place}: too close to call$`, 'u'));
  assert.ok(hypotheses[0]?.against.some(({ text }) => text === `${tie}.`));
  assert.equal(verdict.certainty, 'inconclusive');
});

test('verdict tells what is too close to call, and names three', () => {
  const tieOf = (count: number): string | null => {
    const moved = Array.from({ length: count }, (_, place) =>
      moving(`payments${place}`, 'queue_length', { before: 10, after: 60 }));
    return concluded(latencyCase(), { candidates: [...quiet, ...moved] }).verdict.most_likely;
  };
  const [first, second, third] = [0, 1, 2].map((place) => `queue length of payments${place}`);
  assert.equal(tieOf(2), `${first}, or ${second}: too close to call`);
  assert.equal(tieOf(3), `${first}, ${second}, or ${third}: too close to call`);
  assert.equal(tieOf(5), `${first}, ${second}, ${third}, or 2 more: too close to call`);
});

test('verdict names each part that is missing', () => {
  const { verdict, unknowns } = concluded(latencyCase(), {
    faults: [
      { what: 'The peers', why: 'The answer was too large' },
      { what: 'Whether it is scraped', why: 'The answer was too large' },
    ],
    ranking: null,
    own: { yesterday: 0.9, lastWeek: 0.8 }, scrape: { gaps: [{ fromMs: 0, toMs: 90_000 }] },
  });
  const texts = verdict.reasons.map(({ text }) => text);
  for (const expected of [
    'Missing: The peers; Whether it is scraped. The answer was too large.',
    'What moved before the alert could not be determined.',
    'The value was also beyond its threshold a day and a week before it fired.',
    'Its data has gaps.',
  ]) {
    assert.ok(texts.includes(expected), expected);
  }
  assert.ok(unknowns.some(({ what }) => what === 'The peers.'));
});
