import assert from 'node:assert/strict';
import test from 'node:test';
import type { CaseFile } from '../../../src/report/case-file.ts';
import { concluded, latencyCase, type FactsOver } from '../../support/samples/metric-facts.ts';

test('verdict does not call recovered what ended with its value beyond its threshold', () => {
  const { alert, episode } = latencyCase();
  const endsAt = '2026-11-20T10:20:00Z';
  const generatorURL = `http://p/graph?g0.expr=${encodeURIComponent('l_seconds > 0.5')}`;
  const ended = latencyCase({
    alert: { ...alert, status: 'resolved', endsAt, generatorURL }, episode: { ...episode, endsAt },
  });
  const own = { valueAtEnd: 1.8, valueNow: 1.9 };
  const cases: readonly [FactsOver, string][] = [
    [{ rule: {} }, 'threshold.'],
    [{ rule: { expression: 'l_seconds > 2' } }, 'threshold: the rule has been changed since.'],
    [{ isRuleUnlisted: true },
      'threshold: the server lists no rule of this name any more.'],
  ];
  for (const [over, why] of cases) {
    const { verdict, findings } = concluded(ended, { own, ...over });
    assert.equal(verdict.classification, 'inconclusive');
    assert.match(verdict.headline,
      /Ended 10:20 UTC after 20 min, although its value was still beyond its threshold\.$/u);
    assert.ok(findings.some(({ text }) =>
      text === `The alert ended although its value was still beyond its ${why}`), why);
  }
  for (const back of [{ valueAtEnd: 0.3 }, { recoveredMs: Date.parse(endsAt) - 1 }]) {
    const { verdict } = concluded(ended, { own: { ...own, ...back } });
    assert.equal(verdict.classification, 'recovered');
  }
});

test('verdict tells what is wrong with the rule', () => {
  const { verdict } = concluded(latencyCase(), { rule: { problem: 'it is wrong' } });
  assert.ok(verdict.reasons.some(({ text, effect }) =>
    effect === 'lowers' && text === 'The rule has a problem: it is wrong.'));
});

test('verdict calls recovered what counted matches and finds none any more', () => {
  const { alert, episode } = latencyCase();
  const endsAt = '2026-11-20T10:20:00Z';
  const expression = 'count by (job) (up == 0) / count by (job) (up) > 0.1';
  const generatorURL = `http://p/graph?g0.expr=${encodeURIComponent(expression)}`;
  const ended = latencyCase({
    alert: { ...alert, status: 'resolved', endsAt, generatorURL }, episode: { ...episode, endsAt },
  });
  const own = { valueNow: null, cutOffValue: 0.5 };
  const { verdict, findings } = concluded(ended, { own });
  assert.equal(verdict.classification, 'recovered');
  assert.match(verdict.headline, /Recovered 10:20 UTC after 20 min\.$/u);
  assert.ok(!findings.some(({ text }) => text.includes('series ended')));
  for (const scrape of [{ up: 0, total: 0 }, { up: 2, total: 3 }]) {
    const gone = concluded(ended, { own, scrape });
    assert.equal(gone.verdict.classification, 'data_problem', 'the targets may be gone');
  }
});

test('verdict does not call recovered what lost its data', () => {
  const { alert, episode } = latencyCase();
  const endsAt = '2026-11-20T10:20:00Z';
  const ended = latencyCase({
    alert: { ...alert, status: 'resolved', endsAt }, episode: { ...episode, endsAt },
  });
  const own = { valueNow: null, cutOffValue: 1.9 };
  const { verdict, findings } = concluded(ended, { own, scrape: { up: 0, total: 0 } });
  assert.equal(verdict.classification, 'data_problem');
  assert.match(verdict.headline, /Ended 10:20 UTC after 20 min, because its series ended\.$/u);
  assert.ok(findings.some(({ text }) => text ===
    'The alert ended because its series ended; its last value was 1.9 s, beyond the threshold.'));
  const scraped = concluded(ended, { own });
  assert.equal(scraped.verdict.classification, 'inconclusive');
  assert.equal(concluded(ended, {}).verdict.classification, 'recovered');
});

test('verdict does not call recovered what is no longer scraped', () => {
  const { alert, episode } = latencyCase();
  const endsAt = '2026-11-20T10:20:00Z';
  const ended = latencyCase({
    alert: { ...alert, status: 'resolved', endsAt }, episode: { ...episode, endsAt },
  });
  const down = { labels: { instance: 'a:1' }, fromMs: Date.parse('2026-11-20T09:59:00Z') };
  const gone = { up: 0, total: 0, outages: [{ ...down, toMs: null }] };
  const { verdict, findings, reality } = concluded(ended, { scrape: gone });
  assert.equal(verdict.classification, 'data_problem');
  assert.match(verdict.headline,
    /after 20 min, because its target, which was down, is no longer scraped\.$/u);
  assert.ok(findings.some(({ text }) =>
    text === 'The alert ended because its target, which was down, is no longer scraped.'));
  assert.equal(reality.scrape_ok, null);
  const toMs = Date.parse(endsAt);
  for (const scrape of [{ ...gone, outages: [{ ...down, toMs }] }, { ...gone, up: 1, total: 1 }]) {
    assert.equal(concluded(ended, { scrape }).verdict.classification, 'recovered');
  }
});

test('verdict does not call recovered what ended as its threshold was moved', () => {
  const { alert, episode } = latencyCase();
  const endsAt = '2026-11-20T10:20:00Z';
  const generatorURL = `http://p/graph?g0.expr=${encodeURIComponent('l_seconds > 4')}`;
  const ended = latencyCase({
    alert: { ...alert, status: 'resolved', endsAt, generatorURL }, episode: { ...episode, endsAt },
  });
  const own = { valueAtEnd: 1.8, overSinceMs: null };
  const { verdict, findings } = concluded(ended, { own });
  assert.equal(verdict.classification, 'inconclusive');
  assert.match(verdict.headline, /after 20 min, because its rule was changed\.$/u);
  assert.ok(findings.some(({ text }) => text.startsWith('The alert ended because its rule was')));
  const others = [{ valueAtFire: 3.95 }, { valueAtFire: null }, { worst: 5 }, { valueAtFire: 5 }];
  for (const other of others) {
    assert.equal(concluded(ended, { own: { ...own, ...other } }).verdict.classification,
      'recovered');
  }
});

test('verdict says resolved, not recovered, where Prometheus did not show the end', () => {
  const { alert, episode } = latencyCase();
  const endsAt = '2026-11-20T10:20:00Z';
  const ended = latencyCase({
    alert: { ...alert, status: 'resolved', endsAt }, episode: { ...episode, endsAt },
  });
  const faults = [{ what: 'The own series', why: 'No answer.', hint: 'Check it.' }];
  const unseen = { valueAtEnd: null, valueNow: null };
  const cases: readonly [FactsOver, string][] = [
    [{ own: null, faults }, 'Resolved'], [{ own: unseen, faults }, 'Resolved'],
    [{ own: { ...unseen, recoveredMs: Date.parse(endsAt) }, faults }, 'Recovered'],
    [{ own: { valueNow: 0.2 }, faults }, 'Recovered'], [{ own: null }, 'Recovered'],
  ];
  for (const [over, word] of cases) {
    assert.ok(concluded(ended, over).verdict.headline.includes(`${word} 10:20 UTC after 20 min.`));
  }
});

test('verdict does not call recovered what is still down', () => {
  const { alert, episode } = latencyCase();
  const endsAt = '2026-11-20T10:20:00Z';
  const ended = (expression: string): CaseFile => latencyCase({
    alert: {
      ...alert, status: 'resolved', endsAt,
      generatorURL: `http://p/graph?g0.expr=${encodeURIComponent(expression)}`,
    },
    episode: { ...episode, endsAt },
  });
  const onTargets = ended('label_replace(up == 0, "host", "$1", "instance", "(.+):.*")');
  const outages = [{ labels: {}, fromMs: Date.parse('2026-11-20T09:59:00Z'), toMs: null }];
  const own = { valueAtFire: 0, worst: 0 };
  const { verdict, findings } = concluded(onTargets, { own, scrape: { up: 0, total: 1, outages } });
  assert.equal(verdict.classification, 'inconclusive');
  assert.match(verdict.headline, /after 20 min, although its target is still down\.$/u);
  assert.ok(findings.some(({ text }) =>
    text === 'The alert ended although its target is still down.'));
  for (const [caseFile, scrape] of [
    [onTargets, { up: 1, total: 2, outages }], [ended('x > 1'), { up: 0, total: 1, outages }],
  ] as const) {
    const over = caseFile === onTargets ? { own, scrape } : { scrape };
    const { classification } = concluded(caseFile, over).verdict;
    assert.equal(classification, 'recovered');
  }
});

/** What is concluded of an ended alert on this rule, which fired for 20 min. */
function endedOn(rule: string, over: FactsOver): ReturnType<typeof concluded> {
  const { alert, episode } = latencyCase();
  const endsAt = '2026-11-20T10:20:00Z';
  const generatorURL = `http://p/graph?g0.expr=${encodeURIComponent(rule)}`;
  return concluded(latencyCase({
    alert: { ...alert, status: 'resolved', endsAt, generatorURL, annotations: {} },
    episode: { ...episode, endsAt },
  }), over);
}

test('a rule that filters inside an aggregation has recovered once nothing is left', () => {
  const own = { valueAtFire: 5, worst: 6, valueNow: null, cutOffValue: 4 };
  const rule = 'sum by (queue) (messages > 10) > 3';
  const { verdict } = endedOn(rule, { own, scrape: { up: 0, total: 0, outages: [] } });
  assert.equal(verdict.classification, 'recovered');
  const outages = [{ labels: { job: 'a' }, fromMs: 0, toMs: null }];
  const down = endedOn(rule, { own, scrape: { up: 1, total: 2, outages } });
  assert.equal(down.verdict.classification, 'data_problem', 'a target is down');
});

test('a rule on a change that falls silent has not recovered while the level is off', () => {
  const rule = 'delta(redis_connected_slaves[1m]) < 0';
  const own = { valueAtFire: -1, valueNow: 0, worst: -1, valueAtEnd: 0, recoveredMs: 1 };
  const level = { metric: 'redis_connected_slaves', before: 1, evidence: 'E3' };
  const off = endedOn(rule, { own: { ...own, level: { ...level, now: 0 } } });
  assert.equal(off.verdict.classification, 'actionable');
  assert.match(off.verdict.headline, /redis connected slaves is still 0, and was 1 before/u);
  assert.doesNotMatch(off.verdict.do_first ?? '', /^Nothing now/u);
  const back = endedOn(rule, { own: { ...own, level: { ...level, now: 1 } } });
  assert.equal(back.verdict.classification, 'recovered');
});

test('a restart that did no harm is told as one, with its time', () => {
  const rule = 'time() - pg_postmaster_start_time_seconds < 60';
  const own = {
    valueAtFire: 30, valueNow: 300, worst: 20, valueAtEnd: 80, recoveredMs: 1,
    overSinceMs: null,
  };
  const { verdict, resolution } = endedOn(rule, { own });
  assert.match(verdict.headline, /: restarted at 09:59:30 UTC\. Recovered/u);
  // That the time since then has passed its threshold says nothing.
  assert.match(verdict.do_first ?? '', /^Nothing now: .* restarted at 09:59:30 UTC\./u);
  assert.ok(resolution?.changes.some(({ text }) => text.includes('the restart did no harm')));
});

test('what an outage cost is told in whole numbers', () => {
  const own = { valueAtEnd: 0, valueNow: 0, recoveredMs: 1, total: 419.6 };
  const costOf = (rule: string): boolean => endedOn(rule, { own }).resolution?.changes
    .some(({ text }) => text === 'About 420 in all while it was beyond its threshold.') === true;
  assert.ok(costOf('rate(http_requests_total{code=~"5.."}[5m]) > 1'));
  assert.ok(costOf('rate(http_errors_total[5m]) > 1'));
  assert.ok(!costOf('rate(http_requests_total[5m]) > 100'), 'many requests are no loss');
});
