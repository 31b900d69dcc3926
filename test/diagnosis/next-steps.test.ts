import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knowledgeFor } from '../../src/knowledge/knowledge-for.ts';
import type { NextStep } from '../../src/report/report.ts';
import { aGroup, anAlert } from '../support/samples/alerts.ts';
import { aCaseFile, investigated, openAlert } from '../support/samples/case-files.ts';
import {
  concluded, latencyCase, moving, problemBegan, type FactsOver,
} from '../support/samples/metric-facts.ts';

test('what to do about a source that did not answer is a step, in the words of its failure', () => {
  const { alert } = latencyCase();
  const unknown = { ...alert, labels: { alertname: 'Odd' }, annotations: {} };
  const { next_steps: steps } = concluded(latencyCase({ alert: unknown }), {
    own: null, scrape: null, ranking: null, source: { state: 'failed' },
    faults: [{ what: 'All', why: 'It answered 401.', hint: 'Check PROMETHEUS_TOKEN.' }],
  });
  const own = steps.filter(({ why }) => why === 'It answered 401.');
  assert.deepEqual(own.map(({ action }) => action), ['Check PROMETHEUS_TOKEN']);
});

test('next steps begin with what can be run, then the runbook, and hold five at most', async () => {
  const alert = anAlert({
    annotations: { runbook_url: 'https://runbooks.example/x' },
    generatorURL: 'http://p/graph?g0.expr=up+%3D%3D+0',
  });
  const group = { ...aGroup, externalURL: 'http://am.example', truncated: 45, listed: 12 };
  const report = await investigated(aCaseFile({ alert, group }));
  assert.notEqual(report.next_steps[0]?.command, null);
  assert.equal(report.next_steps[1]?.kind, 'runbook');
  assert.ok(report.next_steps.length <= 5);
  const missing = report.unknowns.find(({ what }) => what.startsWith('45 further alerts'));
  assert.match(missing?.why ?? '', /^The notification lists 12 of the 57 alerts of its group: /u);
});

test('what its author says comes first for an alert that is not known by its name', async () => {
  const stepsOf = async (name: string): Promise<readonly string[]> => {
    const alert = anAlert({
      labels: { alertname: name, instance: 'a' },
      annotations: { description: 'The ledger is behind. First: restart the importer.' },
      generatorURL: 'http://p/graph?g0.expr=ledger_errors_total+%3E+0',
    });
    const { next_steps: steps } = await investigated(aCaseFile({ alert }));
    return steps.map(({ action }) => action);
  };
  const own = /^Follow the alert's description: “The ledger is behind\. First: restart/;
  assert.match((await stepsOf('LedgerBehind'))[0] ?? '', own);
  assert.match((await stepsOf('AlertAnalystQueueOld'))[0] ?? '', own, 'its own rules instruct');
  assert.ok((await stepsOf('HighErrorRate')).every((action) => !own.test(action)));
});

test('what an author says to do is not called read-only, and is for a firing alert', async () => {
  const labels = { alertname: 'LedgerBehind' };
  const annotations = { description: 'Restart the importer.' };
  const stepOf = async (endsAt: string | null): Promise<NextStep | undefined> => {
    const status = endsAt === null ? 'firing' : 'resolved';
    const alert = anAlert({ labels, annotations, status, endsAt });
    const { next_steps: steps } = await investigated(aCaseFile({ alert }));
    return steps.find(({ action }) => action.includes('importer'));
  };
  assert.equal((await stepOf(null))?.risk, 'not assessed');
  assert.equal(await stepOf('2026-11-20T10:40:00Z'), undefined);
});

test('next steps read before they change anything, also where no source is known', async () => {
  const alert = anAlert({ labels: { alertname: 'DiskSlow', service: 'cart' }, annotations: {} });
  const { next_steps: steps } = await investigated(aCaseFile({ alert }));
  const risks = steps.map(({ risk }) => risk?.startsWith('none') === true);
  assert.ok(risks.includes(false) && risks.includes(true));
  assert.deepEqual(risks, risks.toSorted((a, b) => Number(b) - Number(a)));
});

test('next steps put no hostile text into a command', async () => {
  const group = { ...aGroup, externalURL: 'http://am.example', truncated: 1 };
  const quoting = anAlert({ labels: { alertname: `x'; rm -rf / #`, instance: 'a' } });
  const { next_steps: steps } = await investigated(aCaseFile({ alert: quoting, group }));
  const amtool = steps.find(({ command }) => command?.startsWith('amtool'));
  assert.equal(
    amtool?.command,
    `amtool alert query --alertmanager.url='http://am.example' 'alertname="x'\\''; rm -rf / #"'`,
  );
  const unseen = anAlert({ labels: { alertname: 'x\u202ey', instance: 'a' } });
  const other = await investigated(aCaseFile({ alert: unseen, group }));
  assert.ok(other.next_steps.every(({ command }) => !command?.startsWith('amtool')));
});

test('a step that asks Kubernetes names the cluster, and no other step does', async () => {
  const labels = { alertname: 'KubePodCrashLooping', namespace: 'shop', pod: 'web-1' };
  const stepsOf = async (more: Record<string, string>): Promise<readonly NextStep[]> => {
    const alert = anAlert({ labels: { ...labels, ...more } });
    return (await investigated(aCaseFile({ alert }))).next_steps;
  };
  const steps = await stepsOf({ cluster: 'prod-eu-1' });
  for (const { action, command } of steps) {
    const isOfCluster = command?.startsWith('kubectl') === true;
    assert.equal(/[^.] \(in cluster prod-eu-1\)\.?$/u.test(action), isOfCluster, action);
  }
  assert.ok(steps.some(({ action }) => action.includes('prod-eu-1')));
  assert.ok((await stepsOf({})).every(({ action }) => !action.includes('cluster')));
});

test('nextStepsOf names no noise around a threshold that was far exceeded', () => {
  const recent = { ...aCaseFile().episode, startsAt: '2026-11-20T10:29:00Z' };
  const intervals = Array.from({ length: 24 }, (_, index) => {
    const fromMs = problemBegan - (24 - index) * 600_000;
    return { fromMs, toMs: fromMs + 200_000 };
  });
  const stepsOf = (own: NonNullable<FactsOver['own']>): readonly NextStep[] =>
    concluded(latencyCase({ episode: recent }), { fired: { intervals, pendingOnly: 0 }, own })
      .next_steps;
  const isToWait = ({ action }: NextStep): boolean => action.startsWith('Lengthen the `for`');
  const whyOf = (own: NonNullable<FactsOver['own']>): string =>
    stepsOf(own).find(isToWait)?.why ?? '';
  const placeOf = (own: NonNullable<FactsOver['own']>): string => {
    const steps = stepsOf(own);
    assert.ok(steps.length > 2 && steps.length <= 5);
    const place = steps.findIndex(isToWait);
    return place === 0 ? 'first' : place === steps.length - 1 ? 'last' : 'between';
  };
  assert.match(whyOf({}), /again and again\.$/u);
  assert.equal(placeOf({}), 'last');
  const near = whyOf({ valueAtFire: 0.55, valueNow: 0.55, worst: 0.6 });
  assert.match(near, /may be within normal noise\.$/u);
  assert.equal(placeOf({ valueAtFire: 0.55, valueNow: 0.55, worst: 0.6 }), 'first');
});

test('where calls get no answer, what lies between is looked at before what is called', () => {
  const alert = anAlert({ labels: { alertname: 'HighErrorRate', job: 'web' } });
  const answers = { 'no-answer': { labels: [{ callee: 'checkout' }], samples: [0.9] } };
  const { hypotheses: [first], next_steps: [step] } = concluded(aCaseFile({ alert }), { answers });
  assert.equal(first?.cause, 'Its calls get no answer, though what it calls answers all it gets ' +
    '(checkout)');
  assert.equal(step?.action,
    'Look at name resolution and the network between it and checkout');
});

test('next steps begin where a likely cause is, and then with the runbook', () => {
  const runbook = 'https://runbooks.example/x';
  const { alert } = latencyCase();
  const caseFile = latencyCase({ alert: { ...alert, annotations: { runbook_url: runbook } } });
  const quiet = ['cart', 'email'].map((name) => moving(name, 'memory_bytes'));
  const database = moving('orders-db', 'connections', { before: 40, after: 198 });
  const likely = concluded(caseFile, { candidates: [database, ...quiet] });
  assert.equal(likely.verdict.certainty, 'likely');
  const actions = likely.next_steps.map(({ action }) => action);
  assert.deepEqual(actions.slice(0, 2), [
    'Look at orders-db: why connections went from 40 to 201, and what was changed there',
    `Open the runbook: ${runbook}`,
  ]);
  assert.equal(likely.verdict.do_first, actions[0]);
  const unknown = concluded(caseFile, { candidates: quiet });
  assert.equal(unknown.verdict.do_first, `Open the runbook: ${runbook}`);
});

const redis = anAlert({
  labels: { alertname: 'RedisOutOfConfiguredMaxmemory', job: 'redis', instance: 'r-1:9121' },
  generatorURL: 'http://p/graph?g0.expr=redis_memory_used_bytes+%3E+1',
});

test('what a person would ask Prometheus next was asked, and is told instead', () => {
  const asked = knowledgeFor(redis, 'redis_memory_used_bytes > 1')?.steps
    .find(({ asked: id }) => id !== null);
  assert.ok(asked?.asked != null);
  const refused = { query: 'sum by (cmd) (rate(x_total[2m])) > 0', samples: [274],
    labels: [{ cmd: 'set' }] };
  const told = concluded(aCaseFile({ alert: redis }), { answers: { [asked.asked]: refused } });
  assert.ok(told.findings.some(({ text }) => text.endsWith(': 274/s for set.')));
  assert.ok(told.next_steps.every(({ command }) => command !== asked.command));
  const silent = { ...refused, failed: 'It was too slow.' };
  const unknown = concluded(aCaseFile({ alert: redis }), { answers: { [asked.asked]: silent } });
  assert.ok(unknown.next_steps.some(({ command }) => command === asked.command));
});

test('of a part of a store, such as a database, there is a command and no log', () => {
  const labels = { alertname: 'PostgresqlTooManyConnections', job: 'pg', instance: 'db-1:9187' };
  const { hypotheses: [first], next_steps: steps } = concluded(
    aCaseFile({ alert: anAlert({ labels }) }), {
      answers: { leak: { samples: [33, 0], labels: [{ datname: 'wh' }, { datname: 'shop' }] } },
    });
  assert.match(first?.cause ?? '', /wh/u);
  assert.match(steps[0]?.command ?? '', /^psql /u);
});

test('where no cause leads, what moved strongly is looked at before what is usual', () => {
  const far = { ...moving('cache', 'evictions', { before: 1, after: 90 }), labels: {} };
  const other = { ...moving('mail', 'evictions', { before: 1, after: 90 }), labels: {} };
  const { hypotheses: [top], next_steps: [first] } =
    concluded(latencyCase(), { candidates: [far, other] });
  assert.equal(top?.certainty, 'inconclusive');
  assert.equal(first?.kind, 'cause');
  assert.match(first.action, /cache|mail/u);
});

test('where another alert is the same problem, the first step leads to it', async () => {
  const labels = { alertname: 'HighErrorRate', job: 'api' };
  const redis = { alertname: 'RedisDown', severity: 'critical', instance: 'redis-1:9121' };
  const { hypotheses: [top], next_steps: [first] } = await investigated(aCaseFile({
    alert: anAlert({ labels }), openAlerts: [openAlert(redis, -18)],
  }));
  assert.equal(top?.kind, 'same_problem');
  assert.match(first?.action ?? '', /RedisDown/u);
});

test('where more arrives and nobody is named, the first step asks who sends it', () => {
  const alert = anAlert({ labels: { alertname: 'HighErrorRate', job: 'api' } });
  const { hypotheses: [top], next_steps: [first] } =
    concluded(aCaseFile({ alert }), { answers: { 'traffic-peak': { samples: [9] } } });
  assert.equal(top?.family_cause, 'traffic-peak');
  assert.equal(first?.kind, 'cause');
  assert.match(first.action, /api/u);
});
