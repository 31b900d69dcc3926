import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { families } from '../../src/knowledge/families.ts';
import { fillPromql } from '../../src/knowledge/fill-template.ts';
import { stalled } from '../../src/knowledge/usual-checks.ts';
import { sampleLabels } from '../support/samples/knowledge-labels.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const hostile = '"}{\\\n$(reboot)`x`\u202e.*+?()[]|^$é日\u{e0041}\ufffd\u0000\'';
const hostileLabels = Object.fromEntries(Object.keys(sampleLabels).map((name) => [name, hostile]));

for (const [kind, labels] of [['usual', sampleLabels], ['hostile', hostileLabels]] as const) {
  test(`promtool accepts every query filled with ${kind} values`, () => {
    const queries = families.flatMap(({ causes, steps }) =>
      [...causes.flatMap(({ test: asked, ofStores }) => [asked, ofStores?.test]),
        ...steps.map(({ command }) => command)]
        .filter((template) => template?.kind === 'promql')
        .map((template) => template?.template ?? ''));
    const rules = queries.map((query, index) => {
      const expr = fillPromql(query, labels);
      assert.ok(expr !== null, query);
      return { record: `query:${index}`, expr };
    });
    assert.ok(rules.length > 100);
    // JSON is YAML, and its escapes preserve any text.
    const file = join(temporaryDirectory(), 'rules.yml');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'knowledge', rules }] }));
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', file], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, new RegExp(`${rules.length} rules found`, 'u'));
  });
}

test('consumers that stand still are told by several counters with the same labels', () => {
  const { template } = stalled.test;
  const expr = fillPromql(template, { queue: 'orders' });
  const counters = ['jobs_processed_total', 'jobs_completed_total'].map((name) => {
    return { series: `${name}{queue="orders"}`, values: '0+5x40 200x40' };
  });
  const at = (minutes: number, ...exp_samples: object[]): object =>
    ({ expr, eval_time: `${minutes}m`, exp_samples });
  const tests = [{
    interval: '15s',
    input_series: [...counters, { series: 'queue_depth{queue="orders"}', values: '50x80' }],
    promql_expr_test: [at(10), at(13, { labels: '{}', value: 50 })],
  }];
  assertAnswers(tests);
});

/** What each counter grows by in a minute: in the hour before the problem, and since. */
type Course = readonly [metric: string, before: number, since: number, labels?: string];

function inCourse([metric, before, since, labels = '']: Course): {
  readonly series: string; readonly values: string;
} {
  return {
    series: `${metric}{code="500",job="api"${labels}}`,
    values: `0+${before}x60 ${60 * before + since}+${since}x9`,
  };
}

const stores: readonly [
  what: string, family: string, courses: readonly Course[], answer: number | null, name?: string,
][] = [
  ['it is slower', 'latency', [
    ['http_request_duration_seconds_sum', 100, 280],
    ['http_request_duration_seconds_count', 1000, 1000], ['db_query_duration_seconds_sum', 60, 231],
    ['db_query_duration_seconds_count', 1000, 1000],
  ], 0.95],
  ['it is slower, so that fewer requests get through', 'latency', [
    ['http_request_duration_seconds_sum', 100, 100],
    ['http_request_duration_seconds_count', 1000, 400], ['db_query_duration_seconds_sum', 60, 78],
    ['db_query_duration_seconds_count', 2000, 800],
  ], 0.9],
  ['there are more requests, and they wait elsewhere', 'latency', [
    ['http_request_duration_seconds_sum', 100, 390],
    ['http_request_duration_seconds_count', 1000, 3000], ['db_query_duration_seconds_sum', 80, 240],
    ['db_query_duration_seconds_count', 1000, 3000],
  ], 0],
  ['each request makes more calls of it', 'latency', [
    ['http_request_duration_seconds_sum', 100, 280],
    ['http_request_duration_seconds_count', 1000, 1000], ['db_query_duration_seconds_sum', 60, 240],
    ['db_query_duration_seconds_count', 1000, 4000],
  ], 0],
  ['a request takes hardly longer', 'latency', [
    ['http_request_duration_seconds_sum', 100, 105],
    ['http_request_duration_seconds_count', 1000, 1000], ['db_query_duration_seconds_sum', 60, 65],
  ], null],
  ['its calls fail', 'error-rate', [
    ['http_requests_total', 0, 60], ['db_errors_total', 0, 60],
  ], 1],
  ['it is told of by two metrics', 'latency', [
    ['http_request_duration_seconds_sum', 100, 280],
    ['http_request_duration_seconds_count', 1000, 1000],
    ['db_query_duration_seconds_sum', 60, 222], ['db_duration_seconds_sum', 60, 231],
    ['db_query_duration_seconds_count', 1000, 1000], ['db_duration_seconds_count', 1000, 1000],
  ], 0.95],
  ['it is one of several with a metric', 'latency', [
    ['http_request_duration_seconds_sum', 100, 280],
    ['http_request_duration_seconds_count', 1000, 1000],
    ['db_client_operation_duration_seconds_sum', 60, 231, ',db_system_name="redis"'],
    ['db_client_operation_duration_seconds_count', 1000, 1000, ',db_system_name="redis"'],
    ['redis_command_duration_seconds_sum', 60, 222],
    ['redis_command_duration_seconds_count', 1000, 1000],
  ], 0.95, 'redis'],
  ['calls of two kinds fail', 'error-rate', [
    ['http_requests_total', 0, 60], ['db_errors_total', 0, 54], ['pg_query_errors_total', 0, 6],
  ], 0.9],
  ['as many of its calls failed before', 'error-rate', [
    ['http_requests_total', 0, 60], ['db_errors_total', 600, 600],
  ], 0],
];
for (const [what, id, courses, answer, name = 'database'] of stores) {
  test(`of a store, ${what}: ${id} ${answer === null ? 'is not tested' : `gets ${answer}`}`, () => {
    const { causes = [] } = families.find((family) => family.id === id) ?? {};
    const { ofStores } = causes.find((cause) => cause.id === 'dependency') ?? {};
    const expr = fillPromql(ofStores?.test.template ?? '', { job: 'api' });
    const samples = answer === null ? [] : [{ labels: `{store="${name}"}`, value: answer }];
    const rounded = `round(${expr}, 0.01)`;
    assertAnswers([{
      interval: '1m',
      input_series: courses.map(inCourse),
      promql_expr_test: [{ expr: rounded, eval_time: '70m', exp_samples: samples }],
    }]);
  });
}

const itself: readonly [what: string, courses: readonly Course[], answer: number | null][] = [
  ['it waits for nothing that it measures', [
    ['http_client_request_duration_seconds_sum', 20, 20], ['db_query_duration_seconds_sum', 60, 69],
  ], 0.05],
  ['it waits for services and stores', [
    ['http_client_request_duration_seconds_sum', 20, 110],
    ['db_query_duration_seconds_sum', 60, 132],
  ], 0.9],
  ['it measures no calls', [], null],
];
for (const [what, calls, answer] of itself) {
  test(`a request takes longer, and ${what}`, () => {
    const { causes = [] } = families.find(({ id }) => id === 'latency') ?? {};
    const { test: asked } = causes.find(({ id }) => id === 'itself') ?? {};
    const expr = fillPromql(asked?.template ?? '', { job: 'api' });
    const courses: readonly Course[] = [
      ['http_request_duration_seconds_sum', 100, 280],
      ['http_request_duration_seconds_count', 1000, 1000], ...calls,
    ];
    assertAnswers([{
      interval: '1m', input_series: courses.map(inCourse),
      promql_expr_test: [{
        expr: `round(${expr}, 0.01)`, eval_time: '70m',
        exp_samples: answer === null ? [] : [{ labels: '{}', value: answer }],
      }],
    }]);
  });
}

const paying = '{code="200",job="pay"}';
/** How calls without an answer go with what `pay`, which is called, tells of itself. */
const unanswered: readonly [string, readonly (readonly [string, string])[], number?][] = [
  ['is up', [['up{job="pay"}', '1x70']], 0.9],
  ['is down', [['up{job="pay"}', '0x70']]],
  ['is not scraped', []],
  ['answers what it gets', [
    ['up{job="pay"}', '1x70'], [`http_requests_total${paying}`, '0+60x70'],
    [`http_request_duration_seconds_sum${paying}`, '0+6x70'],
    [`http_request_duration_seconds_count${paying}`, '0+60x70'],
  ], 0.9],
  ['fails as well', [
    ['up{job="pay"}', '1x70'], [`http_requests_total${paying}`, '0+60x70'],
    ['http_requests_total{code="503",job="pay"}', '0+10x70'],
  ]],
  ['is slow', [
    ['up{job="pay"}', '1x70'], [`http_request_duration_seconds_sum${paying}`, '0+90x70'],
    [`http_request_duration_seconds_count${paying}`, '0+60x70'],
  ]],
];
/** How they are counted. */
const countedCalls = {
  'http_client_requests_total': 'code="error",peer="pay.shop.svc"',
  'http_client_request_duration_seconds_count': 'error_type="timeout",server_address="pay"',
};
const unansweredCases = Object.entries(countedCalls).flatMap(([metric, labels]) =>
  unanswered.map((told) => [metric, labels, ...told] as const));
for (const [metric, labels, what, told, answer] of unansweredCases) {
  test(`calls get no answer by ${metric}, and what is called ${what}`, () => {
    const { causes = [] } = families.find(({ id }) => id === 'error-rate') ?? {};
    const queryOf = (id: string): string => {
      const { test: asked } = causes.find((cause) => cause.id === id) ?? {};
      return `round(${fillPromql(asked?.template ?? '', { job: 'api' })}, 0.01)`;
    };
    const own = [
      ['http_requests_total{code="502",job="api"}', '0+60x70'],
      [`${metric}{${labels},job="api"}`, '0+54x70'],
      ['http_client_requests_total{code="200",peer="pay.shop.svc",job="api"}', '0+54x70'],
    ];
    assertAnswers([{
      interval: '1m',
      input_series: [...own, ...told].map(([series, values]) => ({ series, values })),
      promql_expr_test: [{
        expr: queryOf('no-answer'), eval_time: '70m',
        exp_samples: answer === undefined ? [] : [{ labels: '{callee="pay"}', value: answer }],
      }, {
        expr: `max(${queryOf('dependency')})`, eval_time: '70m',
        exp_samples: [{ labels: '{}', value: 0.9 }],
      }],
    }]);
  });
}

function assertAnswers(tests: readonly object[]): void {
  const file = join(temporaryDirectory(), 'tests.yml');
  writeFileSync(file, JSON.stringify({ rule_files: [], evaluation_interval: '1m', tests }));
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stdout + stderr);
}
