import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger } from '../../../src/evidence/ledger.ts';
import { queryProblem, stepFor } from '../../../src/model/tools/query-guard.ts';
import { cutResult, numbersOf, resultTextMax } from '../../../src/model/tools/result-text.ts';
import type { ToolSources } from '../../../src/model/tools/tool.ts';
import { Toolbox, toolNames } from '../../../src/model/tools/toolbox.ts';
import type { CaseFile, KnownFeedback } from '../../../src/report/case-file.ts';
import { prometheusIdentity } from '../../../src/sources/prometheus.ts';
import type { AskableSource } from '../../../src/sources/source-client.ts';
import { SourceFailure } from '../../../src/sources/source-failure.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { aCaseFile, caseNow, openAlert, pastEpisode } from '../../support/samples/case-files.ts';
import { sampleReport } from '../../support/samples/sample-report.ts';
import { calling, cannedPrometheus, noSources, vectorOf } from '../../support/scripted-model.ts';

const signal = new AbortController().signal;

const said: KnownFeedback = {
  at: '2026-11-19T05:00:00.000Z', verdict: 'right', cause: null, note: 'Ask vault.',
  noisy: false, fingerprint: 'f', number: 1, startsAt: '2026-11-19T04:30:00.000Z', reportUrl: '/',
};

function aToolbox(
  prometheus: AskableSource | null,
  clock: ManualClock = new ManualClock(caseNow),
  others: Partial<ToolSources> = {},
  over: Partial<CaseFile> = {},
): { toolbox: Toolbox; ledger: Ledger } {
  const ledger = new Ledger([], 20);
  const caseFile = aCaseFile({ earlier: [pastEpisode(1, 30, 5)], feedback: [said], ...over });
  const toolbox = new Toolbox({
    ledger,
    sources: { ...noSources, prometheus, ...others }, caseFile, clock, report: sampleReport(),
    now: caseNow, onUsed: () => {},
    mask: (data) => data, secrets: [],
  });
  return { toolbox, ledger };
}

const refusedQueries: readonly (readonly [string, string, RegExp])[] = [
  ['longer than 2 KiB', `up${'+up'.repeat(1000)}`, /longer than 2048 bytes/],
  ['with a line break', 'up\nor vector(1)', /control characters/],
  ['with a line separator', 'up\u2028', /control characters/],
  ['with an escape sequence', 'up\u001b[31m', /control characters/],
  ['that is empty', '  ', /empty/],
  ['over too long a range', 'rate(x[25h])', /longer than 24 h/],
  ['over a range in days', 'max_over_time(x[30d])', /longer than 24 h/],
  ['with a subquery over a week', 'max_over_time(rate(x[5m])[1w:1h])', /longer than 24 h/],
  ['over a calculated range', 'rate(x[1h * 100])', /longer than 24 h/],
  ['over a range that nobody knows', 'rate(x[step() * 1000])', /longer than 24 h/],
  ['in steps that are too short', 'max_over_time(x[24h:100ms])', /steps of a subquery/],
  ['in steps that nobody knows', 'max_over_time(x[24h:step()])', /steps of a subquery/],
  ['of every series', 'count by (__name__) ({__name__=~".+"})', /neither a metric nor/],
  ['of every series with a label', 'count({job=~".+", job!="x"})', /neither a metric nor/],
  ['of alternatives', 'count({job="x" or __name__!=""})', /neither a metric nor/],
  ['with a time that hides a query', 'up @ (max_over_time(x[365d]))', /offset or @/],
  ['with a time that is a call', 'up @ sum(max_over_time(x[365d]))', /offset or @/],
  ['with such an offset', 'up offset -(x)', /offset or @/],
  ['without a selector', '97.4 * 10', /selects no series/],
  ['of time alone', 'sum by (job) (time())', /selects no series/],
  ['that makes a label', 'label_replace(up, "cause", "the disk is full", "", "")', /only in the m/],
  ['that names a label', 'count_values("the disk is full", up)', /only in the matchers/],
  ['that makes a value', 'vector(97.4) or up', /vector\(0\)/],
  ['that answers with its own labels', 'absent(up{job="vault"})', /absent\(\) answers with/],
  ['that does so over time', 'absent_over_time(up{job="vault"}[5m])', /absent\(\) answers with/],
  ['that is an address', 'http://evil.example/?q=`', /cannot be read|not PromQL/],
];
for (const [what, query, problem] of refusedQueries) {
  test(`queryProblem refuses a query ${what}`, () => {
    assert.match(queryProblem(query) ?? '', problem);
  });
}

test('queryProblem takes queries as people write them', () => {
  for (const query of [
    'sum by (job) (up)', 'up{job="api"}',
    'sum by (pod) (rate(http_requests_total{code=~"5.."}[5m])) > 0.1',
    'sum(rate(x[5m])) or vector(0)', '{__name__="up"}', 'group_left_total * on (job) group_left up',
    'x offset -1w', 'x @ 1.7e9', 'x @ end()', 'sum by (offset) (x)',
    'max_over_time(rate(x[5m])[24h:5m])', 'rate(x[1440m])',
    'count by (__name__) ({job="api"})',
  ]) assert.equal(queryProblem(query), null, query);
});

test('stepFor never allows more than 100 points', () => {
  assert.equal(stepFor({ seconds: 1, windowMs: 24 * 3_600_000 }), 873);
  assert.equal(stepFor({ seconds: 600, windowMs: 3_600_000 }), 600);
  assert.equal(stepFor({ seconds: null, windowMs: 60_000 }), 15);
});

test('stepFor stays within the window, whatever the model wants', () => {
  for (const seconds of [7 * 24 * 3600, Infinity]) {
    assert.equal(stepFor({ seconds, windowMs: 3_600_000 }), 3600);
  }
  assert.equal(stepFor({ seconds: -1, windowMs: 60_000 }), 1);
});

test('cutResult keeps head and tail and says how to get less', () => {
  const text = cutResult(`head ${'x'.repeat(20_000)} tail`, 'Use topk.');
  assert.ok(text.length <= resultTextMax);
  assert.match(text, /^head x+\n\[… \d+ characters left out\. Use topk\. …\]\nx+ tail$/);
});

test('Toolbox gives each answer the next id and keeps its numbers as evidence', async () => {
  const { toolbox, ledger } = aToolbox(cannedPrometheus(() => vectorOf(0.25)));
  const run = await toolbox.run(
    calling('prom_instant', { query: 'up', minutes_ago: 5 }), signal,
  );
  assert.equal(run.text, 'E1: up{job="api"} is 0.25');
  assert.equal(ledger.items[0]?.title, 'Asked by the model: up');
  assert.equal(ledger.items[0]?.source, 'prometheus');
  assert.equal(ledger.items[0]?.from, '2026-11-20T10:25:00.000Z');
});

test('Toolbox computes min, max, mean, first and last of a range', async () => {
  const values = [1, 2, 3, 4].map((value, index) => [1_795_168_800 + index * 60, String(value)]);
  const { toolbox, ledger } = aToolbox(cannedPrometheus((path) => {
    assert.equal(path, '/api/v1/query_range');
    return { resultType: 'matrix', result: [{ metric: { pod: 'a' }, values }] };
  }));
  const run = await toolbox.run(calling(
    'prom_range', { query: 'x', minutes_before: 100_000, step_seconds: 1 },
  ), signal);
  assert.match(run.text, /min \d, max \d, avg [\d.]+, first \d, last \d/);
  const { data } = ledger.items[0] ?? {};
  assert.equal((data as { values: unknown[] }).values.length <= 101, true);
});

test('numbersOf tells no number of a series without one', () => {
  const values = Float64Array.of(Number.NaN, Infinity);
  assert.deepEqual(numbersOf({ labels: {}, values }), {
    labels: {}, points: 0, min: null, max: null, avg: null, first: null, last: null,
    samples: [null, null],
  });
});

test('Toolbox shows at most 20 series and says how to see less', async () => {
  const result = Array.from({ length: 30 }, (_, index) => ({
    metric: { pod: `p${index}` }, value: [1, '1'],
  }));
  const { toolbox, ledger } = aToolbox(cannedPrometheus(() => ({ resultType: 'vector', result })));
  const { text } = await toolbox.run(calling('prom_instant', { query: 'x' }), signal);
  assert.match(ledger.items[0]?.summary ?? '', /^30 values: /);
  assert.match(text, /\[10 more series not shown\. Aggregate/);
  assert.doesNotMatch(text, /p25/);
});

test('Toolbox says that there are more series than were read', async () => {
  const series = Array.from({ length: 600 }, (_, index) => ({ job: 'web', pod: `p${index}` }));
  const { toolbox, ledger } = aToolbox(cannedPrometheus(() => series));
  await toolbox.run(calling('prom_series', { match: 'up' }), signal);
  const { summary, truncated } = ledger.items[0] ?? {};
  assert.deepEqual([summary?.split(':')[0], truncated], ['At least 100 series', true]);
});

test('Toolbox refuses an identical call and names the earlier evidence', async () => {
  const prometheus = cannedPrometheus(() => vectorOf(1));
  const { toolbox } = aToolbox(prometheus);
  await toolbox.run(calling('prom_instant', { query: 'up', minutes_ago: 1 }), signal);
  const again = await toolbox.run(
    calling('prom_instant', { minutes_ago: 1, query: 'up' }), signal,
  );
  assert.match(again.text, /made before\. Its answer is E1/);
  assert.equal(again.evidenceId, null);
  assert.equal(prometheus.asked.length, 1);
});

const useless: readonly (readonly [string, string, unknown, boolean])[] = [
  ['an unknown tool', 'shell', { command: 'id' }, true],
  ['arguments of another type', 'prom_instant', { query: 5 }, true],
  ['arguments that are no object', 'prom_instant', 'up', true],
  ['a query that is refused', 'prom_instant', { query: 'x[99d]' }, false],
];
for (const [what, name, given, isMalformed] of useless) {
  test(`Toolbox answers ${what} with an error and asks nobody`, async () => {
    const prometheus = cannedPrometheus(() => vectorOf(1));
    const { toolbox, ledger } = aToolbox(prometheus);
    const run = await toolbox.run(calling(name, given), signal);
    assert.equal(run.isError, true);
    assert.equal(run.isMalformed, isMalformed);
    assert.equal(ledger.items.length, 0);
    assert.deepEqual(prometheus.asked, []);
  });
}

test('Toolbox tells the model what is wrong with its arguments', async () => {
  const { toolbox } = aToolbox(cannedPrometheus(() => vectorOf(1)));
  const call = calling('prom_instant', { query: 5 });
  const { text } = await toolbox.run(call, signal);
  assert.match(text, /^arguments\.query: expected .*, got .*\. Send the arguments as the schema/);
  const broken = { ...call, argumentsError: 'The arguments are not JSON: x' };
  assert.match((await toolbox.run(broken, signal)).text, /^The arguments are not JSON: x\. Send/);
});

test('Toolbox does not take a name that only the model used for one in the evidence', async () => {
  const loki = cannedPrometheus(() => null);
  const { toolbox, ledger } = aToolbox(cannedPrometheus(() => []), undefined, { loki });
  await toolbox.run(calling('prom_series', { match: 'vault' }), signal);
  assert.equal(ledger.items[0]?.summary, 'Nothing came back.');
  const { text } = await toolbox.run(calling('log_lines', { component: 'vault' }), signal);
  assert.match(text, /^No evidence names vault\./);
  assert.deepEqual(loki.asked, []);
});

test('Toolbox says the class of a failure and that it is missing data', async () => {
  const { toolbox, ledger } = aToolbox(cannedPrometheus(() => {
    throw new SourceFailure(prometheusIdentity, { reason: 'bad_query', detail: 'parse error' });
  }));
  const { text, isError } = await toolbox.run(calling('prom_instant', { query: 'up' }), signal);
  assert.match(text, /Error \(bad_query\): parse error\. Correct the query\. This is missing data/);
  assert.ok(isError);
  assert.equal(ledger.items.length, 0);
});

test('Toolbox ends a tool after ten seconds', async () => {
  const clock = new ManualClock(caseNow);
  const { toolbox } = aToolbox({
    ...cannedPrometheus(() => null),
    ask: ({ signal: ended }) => new Promise((_, reject) => {
      ended?.addEventListener('abort', () => reject(new Error('aborted')));
    }),
  }, clock);
  const run = toolbox.run(calling('prom_instant', { query: 'up' }), signal);
  await clock.advance(10_000);
  assert.match((await run).text, /Error \(timeout\)/);
});

test('Toolbox answers without new evidence where there is no more room for it', async () => {
  const { toolbox, ledger } = aToolbox(cannedPrometheus(() => vectorOf(0.25)));
  while (ledger.room > 0) ledger.add({ kind: 'series', source: 'x', title: 'x', summary: 'x' });
  const run = await toolbox.run(calling('prom_instant', { query: 'up' }), signal);
  assert.deepEqual([run.text, run.evidenceId], ['up{job="api"} is 0.25', null]);
});

test('Toolbox rejects with the reason when the investigation is aborted', async () => {
  const ended = new AbortController();
  const { toolbox } = aToolbox(cannedPrometheus(() => {
    ended.abort(new Error('resolved'));
    throw new Error('aborted');
  }));
  await assert.rejects(
    toolbox.run(calling('prom_instant', { query: 'up' }), ended.signal), /resolved/,
  );
});

test('Toolbox without a Prometheus offers what the service knows itself', async () => {
  const { toolbox } = aToolbox(null);
  assert.deepEqual(toolbox.specs.map(({ name }) => name), ['earlier_episodes', 'active_alerts']);
  const { text } = await toolbox.run(calling('active_alerts', {}), signal);
  assert.match(text, /^E1: Other alerts /);
});

test('no tool takes an address', () => {
  const source = cannedPrometheus(() => null);
  const { toolbox } = aToolbox(source, new ManualClock(caseNow), {
    loki: source, kubernetes: source,
  });
  const schemas = JSON.stringify(toolbox.specs);
  assert.doesNotMatch(schemas, /url|uri|host|address|path/i);
  assert.deepEqual(toolbox.specs.map(({ name }) => name), toolNames);
});

test('earlier_episodes tells what people said, which proves no name', async () => {
  const { toolbox, ledger } = aToolbox(null);
  const { text } = await toolbox.run(calling('earlier_episodes', {}), signal);
  assert.match(text, /^E1: 1 earlier episodes, 1 with feedback\.\nEpisode 1 .*\nSaid: .*Ask vault/);
  assert.match(JSON.stringify(ledger.items[0]?.data), /"verdict":"right".*"note":"Ask vault\."/);
  const loki = cannedPrometheus(() => null);
  const { toolbox: next } = aToolbox(null, undefined, { loki });
  await next.run(calling('earlier_episodes', {}), signal);
  const { text: refused } = await next.run(calling('log_lines', { component: 'vault' }), signal);
  assert.match(refused, /^No evidence names vault\./);
});

test('active_alerts tells which alerts fire beside it, and why they may belong to it', async () => {
  const { toolbox } = aToolbox(null, new ManualClock(caseNow), {}, {
    openAlerts: [openAlert({ alertname: 'Full', disk: 'sda' }, 60)], sameNameOpen: 2,
  });
  const { text } = await toolbox.run(calling('active_alerts', {}), signal);
  const counts = /^E1: Other alerts .* same time: 1; others of this name that are firing: 2\.$/m;
  assert.match(text, counts);
  assert.match(text, /^Full since \S+ \{alertname="Full", disk="sda"\}$/m);
  assert.match(text, /\(similarity [\d.]+\)$/m);
});
