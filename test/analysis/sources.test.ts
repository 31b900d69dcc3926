import assert from 'node:assert/strict';
import { test } from 'node:test';
import { investigate, type Investigation } from '../../src/analysis/investigate.ts';
import { questionsPerThread } from '../../src/analysis/threads/worker-pool.ts';
import type { CaseFile } from '../../src/report/case-file.ts';
import type { Progress, Report } from '../../src/report/report.ts';
import { alertmanagerIdentity } from '../../src/sources/alertmanager.ts';
import { askedSources, bySource, type Sources } from '../../src/sources/asked-source.ts';
import type { AskableSource, SourceRequest } from '../../src/sources/source-client.ts';
import { SourceFailure } from '../../src/sources/source-failure.ts';
import { assertCompleteReport } from '../support/complete-report.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { aGroup, anAlert } from '../support/samples/alerts.ts';
import { aCaseFile, noSources } from '../support/samples/case-files.ts';

const startsAt = '2026-11-20T10:00:00Z';
const start = Date.parse(startsAt);
const expression = encodeURIComponent('errors_total > 1');
const alert = anAlert({
  startsAt,
  labels: { alertname: 'HighErrors', namespace: 'shop', instance: 'a:80', job: 'api' },
  generatorURL: `http://p/graph?g0.expr=${expression}`,
});

type Answers = (request: SourceRequest) => unknown;

/** Answers after as many turns of the event loop as `turns` says. */
function source(answers: Answers, turns: (count: number) => number = () => 0): AskableSource {
  let count = 0;
  return {
    timeoutMs: 5_000,
    identity: alertmanagerIdentity,
    ask: async (request, read) => {
      for (let turn = turns(count++); turn > 0; turn -= 1) await new Promise(setImmediate);
      return read(Buffer.from(JSON.stringify(answers(request))));
    },
  };
}

const rule = {
  type: 'alerting', name: 'HighErrors', query: 'errors_total > 1', duration: 0, labels: {},
  annotations: {}, alerts: [], health: 'ok', lastError: '',
};

/** Every instant query but for ALERTS has one sample, every range a series that goes up. */
const prometheusAnswers: Answers = ({ path, parameters = [] }) => {
  const given = new Map(parameters);
  const metric = { __name__: 'errors_total', instance: 'a:80', job: 'api', namespace: 'shop' };
  const data: Record<string, unknown> = {
    '/api/v1/query': {
      resultType: 'vector',
      result: given.get('query')?.includes('ALERTS') === true ? []
        : [{ metric, value: [Number(given.get('time')), '3'] }],
    },
    '/api/v1/query_range': { resultType: 'matrix', result: [{ metric, values: samples(given) }] },
    '/api/v1/series': [metric],
    '/api/v1/rules': { groups: [{ name: 'g', file: 'f', interval: 15, rules: [rule] }] },
    '/api/v1/alerts': { alerts: [] },
    '/api/v1/metadata': {},
    '/api/v1/status/config': { yaml: '' },
    '/api/v1/status/buildinfo': { version: '3.5.0' },
  };
  return { status: 'success', data: data[path] };
};

function samples(given: ReadonlyMap<string, string>): [number, string][] {
  const numberOf = (key: string): number => Number(given.get(key));
  const [from, to, step] = [numberOf('start'), numberOf('end'), numberOf('step')];
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => {
    const at = from + index * step;
    return [at, at * 1000 < start ? '1' : `${3 + (index % 2)}`];
  });
}

const company = ['NodeDown', 'PodDown'].map((alertname) => ({
  fingerprint: alertname.toLowerCase(), startsAt, endsAt: startsAt, updatedAt: startsAt,
  labels: { alertname, namespace: 'shop', instance: 'a:80', job: 'api' },
  receivers: [{ name: 'team' }], generatorURL: '', annotations: {},
  status: { state: 'active', silencedBy: [], inhibitedBy: [], mutedBy: [] },
}));

/** The alert itself is inhibited by a node's. */
const alertmanagerAnswers: Answers = () => [
  ...company,
  {
    ...company[0], fingerprint: alert.fingerprint, labels: alert.labels,
    status: { state: 'suppressed', silencedBy: [], inhibitedBy: ['nodedown'], mutedBy: [] },
  },
];

function both(turns?: (count: number) => number): Sources {
  return {
    ...noSources,
    prometheus: source(prometheusAnswers, turns),
    alertmanager: source(alertmanagerAnswers, turns),
  };
}

function run(
  sources: Sources,
  over: { minutes?: number; caseFile?: CaseFile; onProgress?: (progress: Progress) => void } = {},
): Promise<Investigation> {
  return investigate(over.caseFile ?? aCaseFile({ alert }), {
    clock: new ManualClock(start + (over.minutes ?? 30) * 60_000), version: '1', sources,
    signal: new AbortController().signal, onProgress: over.onProgress ?? (() => {}),
  });
}

function checkOf({ provenance }: Report, name: string): string | undefined {
  return provenance.checks.find((check) => check.name === name)?.state;
}

test('investigate asks Prometheus and Alertmanager, and says what each was asked', async () => {
  const { report } = await run(both());
  assertCompleteReport(report);
  for (const name of ['prometheus', 'alertmanager']) {
    const asked = report.provenance.sources.find((each) => each.name === name);
    assert.equal(asked?.state, 'ok', name);
    assert.ok(asked.queries >= 3, `${asked.queries} queries of ${name}`);
  }
  assert.equal(checkOf(report, 'own series'), 'done');
  assert.equal(checkOf(report, 'silences and inhibitions'), 'done');
  assert.ok(report.findings.some(({ text }) => text.includes('while NodeDown fires')));
  assert.deepEqual(report.related.map(({ fingerprint }) => fingerprint), ['nodedown', 'poddown']);
  assert.equal(report.related[0]?.why, 'It inhibits this alert.');
  assert.equal(report.related[1]?.report_url, 'https://reports.example/report/poddown');
});

test('investigate reads the value of an alert that began seconds ago after it began', async () => {
  const beganMs = start + 7_000;
  const began = { ...alert, startsAt: new Date(beganMs).toISOString() };
  const prometheus = source((request) => {
    const time = Number(new Map(request.parameters).get('time'));
    const answer = prometheusAnswers(request) as { data: { result?: { value: unknown }[] } };
    for (const each of answer.data.result ?? []) {
      if (request.path === '/api/v1/query') each.value = [time, time * 1000 < beganMs ? '0' : '3'];
    }
    return answer;
  });
  const { report } = await run({ ...noSources, prometheus },
    { minutes: 9 / 60, caseFile: aCaseFile({ alert: began }) });
  assert.equal(report.verdict.classification, 'actionable');
  assert.equal(report.reality.value_now, 3);
});

test('investigate gives the same bytes whichever answer comes first', async () => {
  const orders = [() => 0, (count: number) => count % 5, (count: number) => 7 - (count % 7)];
  const reports = [];
  for (const turns of orders) {
    const { report } = await run(both(turns));
    reports.push(JSON.stringify(report));
  }
  assert.equal(reports[1], reports[0]);
  assert.equal(reports[2], reports[0]);
});

test('investigate tests the causes of a family that only the rule on a server tells', async () => {
  const labels = { alertname: 'Odd', namespace: 'shop', pod: 'web-1', container: 'web' };
  const query = 'increase(kube_pod_container_status_restarts_total[15m]) > 3';
  const answers: Answers = (request) => request.path !== '/api/v1/rules'
    ? prometheusAnswers(request)
    : { status: 'success', data: { groups: [
      { name: 'g', file: 'f', interval: 15, rules: [{ ...rule, name: 'Odd', query }] },
    ] } };
  const { report } = await run({ ...noSources, prometheus: source(answers) }, {
    caseFile: aCaseFile({ alert: anAlert({ labels, startsAt }) }),
  });
  const tested = report.evidence.filter(({ title }) => title.startsWith('Test: '));
  assert.ok(tested.length >= 3, `${tested.length}`);
  assert.ok(tested.some(({ query: asked }) => asked?.includes('pod="web-1"')));
  assert.equal(checkOf(report, 'known alert family'), 'done');
});

test('investigate does not call unknown what Alertmanager told of the group', async () => {
  const group = { ...aGroup, groupLabels: { alertname: 'HighErrors' }, listed: 1, truncated: 7 };
  const caseFile = aCaseFile({ alert, group });
  const groups: Answers = ({ path }) => path.endsWith('/groups')
    ? [{ labels: group.groupLabels, receiver: { name: 'team' }, alerts: company }] : [];
  const told = await run({ ...noSources, alertmanager: source(groups) }, { caseFile });
  const missing = /7 further alerts of the group/;
  assert.ok(!told.report.unknowns.some(({ what }) => missing.test(what)));
  assert.ok(told.report.findings.some(({ text }) => text.includes('2 are active now')));
  const alone = await run(noSources, { caseFile });
  assert.ok(alone.report.unknowns.some(({ what }) => missing.test(what)));
});

test('investigate counts firing that only Prometheus saw', async () => {
  const { report: before } = await run(noSources);
  assert.deepEqual([before.history.last_24h, before.history.last_7d], [1, 1]);
  const answers: Answers = (request) => {
    const given = new Map(request.parameters ?? []);
    const isFired = request.path === '/api/v1/query_range' &&
      given.get('query')?.startsWith('count_over_time(ALERTS{') === true;
    if (!isFired) return prometheusAnswers(request);
    const values = samples(given).filter(([at]) => Math.floor(at / 3_600) % 6 === 0)
      .map(([at]) => [at, '20']);
    const metric = { __name__: 'ALERTS', alertstate: 'firing', ...alert.labels };
    return { status: 'success', data: { resultType: 'matrix', result: [{ metric, values }] } };
  };
  const { report } = await run({ ...noSources, prometheus: source(answers) });
  assertCompleteReport(report);
  const { history, reality } = report;
  const counts = [history.last_24h, history.last_7d, history.last_30d];
  assert.deepEqual(counts, [5, 29, 29], 'with this one');
  assert.equal(reality.flaps, 5);
  assert.equal(history.episodes.length, 1);
  assert.ok((history.median_duration_seconds ?? 0) > 1_800);
  const cited = report.findings.find(({ text }) =>
    /started firing 5 times in 24 h, 29 times in 7 days and 29 times in 30 days/u.test(text));
  assert.equal(cited?.evidence.length, 2);
  assert.ok(cited.evidence.every((id) => reality.evidence.includes(id)));
});

for (const [name, seconds, asked] of [
  ['of its notification while that is the only time since it began', 12, 12],
  ['that alerts share later', 29, 15],
] as const) {
  test(`investigate asks as of the time ${name}`, async () => {
    const began = new Date(start + 7_000).toISOString();
    const receivedAt = new Date(start + 12_000).toISOString();
    const times: number[] = [];
    const prometheus = source((request) => {
      const given = new Map(request.parameters);
      const isOwn = given.has('time') && given.get('query') === 'errors_total';
      if (isOwn) times.push(Number(given.get('time')) * 1000);
      return prometheusAnswers(request);
    });
    const file = aCaseFile({ alert: { ...alert, startsAt: began }, receivedAt });
    const episode = { ...file.episode, startsAt: began };
    const sources = { ...noSources, prometheus };
    await run(sources, { caseFile: { ...file, episode }, minutes: seconds / 60 });
    assert.equal(Math.max(...times), start + asked * 1000);
  });
}

for (const [labels, asked] of [
  [{ job: 'api' }, 'job'], [{ job: 'pods', service: 'api' }, 'service'],
  [{ job: 'api', service: 'api' }, 'service'], [{ job: 'pushgateway', exported_job: 'api' }, 'job'],
] as const) {
  test(`investigate follows what fails by ${asked} for ${JSON.stringify(labels)}`, async () => {
    const calls = new Map([['api', 'cart'], ['cart', 'pay']]);
    const prometheus = source((request) => {
      const query = new Map(request.parameters).get('query') ?? '';
      const own = new RegExp(`\\b${asked}="(\\w+)"`, 'u').exec(query)?.[1] ?? '';
      const isOfStores = query.includes('"store"');
      if (!isOfStores && !query.includes('client_requests')) return prometheusAnswers(request);
      const peer = calls.get(own);
      const store = own === 'pay' ? 'Redis' : undefined;
      const [label, called] = isOfStores ? ['store', store] : ['peer', peer];
      const value = [start / 1000, '1'];
      const result = called === undefined ? [] : [{ metric: { [label]: called }, value }];
      return { status: 'success', data: { resultType: 'vector', result } };
    });
    const named = { ...alert, labels: { alertname: 'HighErrorRate', ...labels } };
    const { report } = await run({ ...noSources, prometheus }, {
      caseFile: aCaseFile({ alert: named }), minutes: 10,
    });
    const causes = report.hypotheses.map(({ cause }) => cause);
    const cause = 'Something it calls fails (cart, because of pay, because of Redis)';
    assert.ok(causes.includes(cause), causes.join());
  });
}

test('investigate says in plain words what it is doing', async () => {
  const seen: Progress[] = [];
  await run(both(), { onProgress: (progress) => seen.push(progress) });
  assert.ok(seen.every(({ of }) => of === 5));
  assert.ok(seen.some(({ step, done }) => step === 'Asking Prometheus' && done === 1));
  const done = seen.map((progress) => progress.done);
  assert.deepEqual(done, done.toSorted((a, b) => a - b));
  assert.deepEqual([...new Set(done)], [0, 1, 2, 3, 4]);
});

test('investigate says what broken answers kept from it', async () => {
  const broken = (): never => {
    throw new SourceFailure(alertmanagerIdentity, { reason: 'not_json', detail: 'a web page' });
  };
  const { report } = await run(bySource(() => source(broken)));
  assertCompleteReport(report);
  for (const name of ['what moved', 'silences and inhibitions']) {
    assert.equal(checkOf(report, name), 'failed', name);
  }
  const states = report.provenance.sources.map(({ name, state }) => `${name} ${state}`);
  for (const name of askedSources) assert.ok(states.includes(`${name} failed`), name);
});

const endedCase = aCaseFile({
  alert: { ...alert, status: 'resolved', endsAt: '2026-11-20T10:00:30Z' },
});
const looks: readonly [string, number, CaseFile, number | null][] = [
  ['at five minutes for an alert of now', 1, aCaseFile({ alert }), start + 300_000],
  ['never for an alert of a day ago', 1440, aCaseFile({ alert }), null],
  ['five minutes after the end if a cause is still supported', 1, endedCase, start + 330_000],
  ['never for an alert that ended six minutes ago', 6.5, endedCase, null],
  ['never for an alert that begins tomorrow', -1440, aCaseFile({ alert }), null],
];
for (const [name, minutes, caseFile, expected] of looks) {
  test(`investigate wants to look again ${name}`, async () => {
    assert.equal((await run(both(), { minutes, caseFile })).recheckAt, expected);
    assert.equal((await run(noSources, { minutes, caseFile })).recheckAt, null);
  });
}

test('investigate makes a report when reading an answer fails unforeseen', async () => {
  const broken = (): never => {
    throw new TypeError('canary');
  };
  const { report } = await run(bySource(() => source(broken)));
  assertCompleteReport(report);
  const failed = report.evidence.filter(({ state }) => state === 'failed');
  assert.deepEqual(failed.map((item) => item.source).sort(), askedSources.toSorted());
  assert.match(failed[0]?.summary ?? '', /a bug in this service/);
  assert.ok(!JSON.stringify(report).includes('canary'));
});

test('investigate makes a report when comparing log lines fails unforeseen', async () => {
  const lines = [{ atMs: start, text: null }];
  const notes = { warnings: [], isPartial: false };
  const series = [{ app: 'api', namespace: 'shop' }];
  const loki: AskableSource = {
    ...source(() => null),
    ask: <T>({ path }: SourceRequest) => Promise.resolve(
      (path.endsWith('/series') ? { series, omitted: 0, notes } : { lines, notes }) as T,
    ),
  };
  const { report } = await run({ ...noSources, loki });
  assertCompleteReport(report);
  assert.equal(report.provenance.sources.find(({ name }) => name === 'loki')?.state, 'failed');
});

test('investigate asks nothing for an alert that another one of a storm stands for', async () => {
  const never = source(() => assert.fail('asked'));
  const storm = {
    size: 80, representative: { name: 'Other', reportUrl: 'http://r/report/r/1' },
  };
  const { report } = await run(
    bySource(() => never), { caseFile: aCaseFile({ alert, storm }) },
  );
  assertCompleteReport(report);
  assert.match(report.findings[0]?.text ?? '', /^Part of a storm of 80 alerts; .* of Other/);
  assert.match(JSON.stringify(report.evidence), /Prometheus was not asked: in an alert storm/);
  assert.equal(checkOf(report, 'what moved'), 'skipped');
});

test('questionsPerThread() divides four among the threads, at least one for each', () => {
  assert.deepEqual([1, 2, 3, 4, 8].map(questionsPerThread), [4, 2, 1, 1, 1]);
});

test('investigate() makes its report of the rest where an answer breaks its reader', async () => {
  const labels = { alertname: 'KubePodNotReady', namespace: 'shop', pod: 'cart-1' };
  const kubernetes: AskableSource = {
    ...source(() => ({})),
    // As no parser would let it through.
    ask: async ({ path }) => {
      return { items: path.endsWith('/events') ? [null] : [], omitted: 0 } as never;
    },
  };
  const broken: string[] = [];
  const { report } = await investigate(aCaseFile({ alert: anAlert({ startsAt, labels }) }), {
    clock: new ManualClock(start), version: '1', signal: new AbortController().signal,
    sources: { ...noSources, kubernetes }, onProgress: () => {},
    onBroken: (name, error) => broken.push(`${name}: ${String(error)}`),
  });
  assert.match(broken.join(), /^kubernetes: TypeError: /);
  const own = report.evidence.filter((item) => item.source === 'kubernetes');
  assert.deepEqual(own.map(({ state, summary }) => [state, summary]), [
    ['failed', 'Kubernetes could not be used: a bug in this service kept it from reading the ' +
      'answers.'],
  ]);
  assertCompleteReport(report);
});

test('Kubernetes is asked for the pod of an alert before anything else', async () => {
  const asked: string[] = [];
  const answeredAfter: number[] = [];
  const labels = { alertname: 'KubePodNotReady', namespace: 'shop', pod: 'cart-1' };
  const kubernetes = source(() => {
    answeredAfter.push(asked.length);
    return { items: [] };
  }, () => 5);
  await investigate(aCaseFile({ alert: anAlert({ startsAt, labels }) }), {
    clock: new ManualClock(start), version: '1', signal: new AbortController().signal,
    sources: {
      ...noSources,
      kubernetes: {
        ...kubernetes,
        ask: (request, read) => {
          asked.push(request.path);
          return kubernetes.ask(request, read);
        },
      },
    },
    onProgress: () => {},
  });
  assert.deepEqual([asked[0], answeredAfter[0]], ['/api/v1/namespaces/shop/pods', 1]);
  assert.ok(asked.length > 4);
});
