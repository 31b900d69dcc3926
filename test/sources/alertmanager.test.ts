import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  alertmanagerIdentity, createAlertmanager, type Alertmanager,
} from '../../src/sources/alertmanager.ts';
import type { Cleanup } from '../support/cleanup.ts';
import {
  answering, recorded, startFakeSource, type Answer, type FakeSource,
} from '../support/sources/fake-source.ts';
import { testClient } from '../support/sources/source-clients.ts';

async function fakeAlertmanager(
  t: Cleanup,
  answers: Answer | readonly Answer[],
): Promise<{ alertmanager: Alertmanager; source: FakeSource }> {
  const source = await startFakeSource(t, answers);
  const client = testClient({ url: `${source.url}/alertmanager`, identity: alertmanagerIdentity });
  return { alertmanager: createAlertmanager(client), source };
}

const given = (name: string, status = 200): Answer => answering(recorded(name), { status });

test('Alertmanager.alerts() reads why an alert is not sent', async (t) => {
  const { alertmanager, source } = await fakeAlertmanager(t, given('am-alerts'));
  const { items, omitted } = await alertmanager.alerts([
    { name: 'cluster', op: '=', value: 'eu"1\\\n' },
    { name: 'severity', op: '!~', value: 'info|x' },
    { name: 'k8s.pod', op: '=', value: 'not expressible' },
  ]);
  assert.equal(omitted, 0);
  const [inhibited, firing] = items;
  assert.equal(inhibited?.state, 'suppressed');
  assert.deepEqual(inhibited.inhibitedBy, ['e4b2a46b2ad5a5ad']);
  assert.deepEqual(inhibited.silencedBy, ['f84b8618-391c-4a79-8d14-f4688f9a0a21']);
  assert.deepEqual(inhibited.mutedBy, []);
  assert.equal(firing?.fingerprint, 'e4b2a46b2ad5a5ad');
  assert.equal(firing.startsAt, '2026-11-20T16:06:18.034Z');
  assert.deepEqual(firing.receivers, ['ai-analysis']);
  assert.equal(firing.labels['alertname'], 'TargetDown');
  const [request] = source.requests;
  assert.equal(request?.path, '/alertmanager/api/v2/alerts');
  assert.deepEqual(request.parameters.getAll('filter'), [
    'cluster="eu\\"1\\\\\\n"', 'severity!~"info|x"',
  ]);
});

test('Alertmanager is asked by GET, since a POST would be taken for alerts', async (t) => {
  const { alertmanager, source } = await fakeAlertmanager(t, answering('[]'));
  await alertmanager.alerts([{ name: 'instance', op: '=', value: 'x'.repeat(4000) }]);
  assert.deepEqual(source.requests.map(({ method }) => method), ['GET']);
});

test('Alertmanager.alerts() reads alerts of older versions', async (t) => {
  const old = [{
    labels: { a: 'b' }, fingerprint: 'f', status: { state: 'active', silencedBy: [] },
    receivers: [{ name: 'r' }], endsAt: 'soon',
  }, { labels: {}, fingerprint: 'g' }];
  const { alertmanager } = await fakeAlertmanager(t, answering(JSON.stringify(old)));
  const { items } = await alertmanager.alerts([]);
  assert.deepEqual(items[0], {
    fingerprint: 'f', labels: { a: 'b' }, startsAt: null,
    receivers: ['r'], state: 'active', silencedBy: [], inhibitedBy: [], mutedBy: [],
  });
  assert.deepEqual(items[1]?.receivers, []);
});

test('Alertmanager.alerts() stops at its bound and counts the others', async (t) => {
  const many = Array.from({ length: 2100 }, (_, index) => {
    return { labels: {}, fingerprint: String(index) };
  });
  const { alertmanager } = await fakeAlertmanager(t, answering(JSON.stringify(many)));
  const { items, omitted } = await alertmanager.alerts([]);
  assert.deepEqual([items.length, omitted], [2000, 100]);
});

test('Alertmanager.alerts() skips unused members and oversized alerts', async (t) => {
  const long = 'x'.repeat(2_000_000);
  const told = [
    { labels: { a: '1' }, fingerprint: '1', annotations: { long } },
    { labels: { a: '2', long }, fingerprint: '2' },
    { labels: { a: '3' }, fingerprint: '3', generatorURL: long },
  ];
  const { alertmanager } = await fakeAlertmanager(t, answering(JSON.stringify(told)));
  const { items, omitted } = await alertmanager.alerts([]);
  assert.deepEqual(items.map(({ fingerprint }) => fingerprint), ['1', '3']);
  assert.equal(omitted, 1);
});

test('Alertmanager.groups() reads tens of thousands of alerts of a group one by one', async (t) => {
  const alert = { labels: { alertname: 'A', pod: 'checkout-7d9f8b6c5d-x2x1z' }, fingerprint: 'f' };
  const alerts = Array.from({ length: 33_000 }, () => alert);
  const body = JSON.stringify([
    { labels: { a: 'b' }, receiver: { name: 'r' }, alerts },
    { labels: { c: 'x'.repeat(2_000_000) }, receiver: { name: 'r' }, alerts: [] },
    { labels: {}, receiver: { name: 'r' }, alerts: [alert] },
  ]);
  const { alertmanager } = await fakeAlertmanager(t, answering(body));
  const { items, omitted } = await alertmanager.groups('r', []);
  assert.deepEqual(items.map(({ alerts: { items: read } }) => read.length), [500, 1]);
  assert.deepEqual(items.map((group) => group.alerts.omitted), [32_500, 0]);
  assert.equal(omitted, 1);
});

test('Alertmanager.alerts() bounds the lists and texts of an alert', async (t) => {
  const names = Array.from({ length: 30 }, (_, index) => `${index} ${'n'.repeat(6700)}`);
  const told = {
    fingerprint: 'f'.repeat(6700), receivers: names.map((name) => ({ name })),
    labels: { a: 'b', long: 'x'.repeat(6700) },
    status: { state: 'suppressed', silencedBy: names, inhibitedBy: names, mutedBy: names },
  };
  const { alertmanager } = await fakeAlertmanager(t, answering(JSON.stringify([told])));
  const [alert] = (await alertmanager.alerts([])).items;
  assert.deepEqual(alert?.labels, { a: 'b' });
  const { receivers, silencedBy, inhibitedBy, mutedBy } = alert;
  for (const list of [receivers, silencedBy, inhibitedBy, mutedBy]) {
    assert.deepEqual(list.map(({ length }) => length), Array.from({ length: 20 }, () => 200));
  }
  assert.equal(alert.fingerprint.length, 200);
});

test('Alertmanager.alerts() keeps a million letters of an answer', async (t) => {
  const status = { silencedBy: Array.from({ length: 20 }, () => 's'.repeat(150)) };
  const short = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`l${index}`, '']));
  for (const alert of [{ labels: { a: 'x'.repeat(3300) } }, { labels: {}, status }, {
    labels: short,
  }]) {
    const many = Array.from({ length: 1500 }, () => ({ fingerprint: 'f', ...alert }));
    const { alertmanager } = await fakeAlertmanager(t, answering(JSON.stringify(many)));
    const { items, omitted } = await alertmanager.alerts([]);
    assert.ok(items.length > 150 && items.length < 350, String(items.length));
    assert.equal(items.length + omitted, 1500);
  }
});

test('Alertmanager.alerts() leaves out an alert with more labels than one may have', async (t) => {
  const wide = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`l${index}`, '']));
  const told = [{ labels: wide, fingerprint: '1' }, { labels: {}, fingerprint: '2' }];
  const { alertmanager } = await fakeAlertmanager(t, answering(JSON.stringify(told)));
  const { items, omitted } = await alertmanager.alerts([]);
  assert.deepEqual([items.length, omitted], [1, 1]);
});

test('Alertmanager.groups() bounds the alerts of all groups together', async (t) => {
  const alerts = Array.from({ length: 300 }, () => ({ labels: {}, fingerprint: 'f' }));
  const group = { labels: { long: 'x'.repeat(5000), a: 'b' }, receiver: { name: 'r' }, alerts };
  const body = JSON.stringify(Array.from({ length: 10 }, () => group));
  const { alertmanager } = await fakeAlertmanager(t, answering(body));
  const { items, omitted } = await alertmanager.groups('r', []);
  const counts = items.map((each) => each.alerts.items.length);
  assert.deepEqual(counts, [300, 300, 300, 300, 300, 300, 200]);
  assert.equal(omitted, 3);
  assert.deepEqual(items[0]?.labels, { a: 'b' });
});

test('Alertmanager.groups() keeps a million letters of an answer', async (t) => {
  const alerts = Array.from({ length: 100 }, () => {
    return { labels: { a: 'x'.repeat(3000) }, fingerprint: 'f' };
  });
  const group = { alerts, labels: {}, receiver: { name: 'r' } };
  const body = JSON.stringify(Array.from({ length: 20 }, () => group));
  const { alertmanager } = await fakeAlertmanager(t, answering(body));
  const { items, omitted } = await alertmanager.groups('r', []);
  assert.deepEqual([items.length, omitted], [4, 16]);
  assert.ok((items[3]?.alerts.items.length ?? 0) < 100);
});

test('Alertmanager.groups() takes those of the receiver only', async (t) => {
  const { alertmanager, source } = await fakeAlertmanager(t, given('am-alerts-groups'));
  const { items } = await alertmanager.groups('ai-analysis', []);
  assert.deepEqual(items.map(({ labels, alerts }) => [labels['alertname'], alerts.items.length]), [
    ['HighScrapeDuration', 1], ['TargetDown', 1],
  ]);
  assert.deepEqual((await alertmanager.groups('a.*', [])).items, []);
  assert.deepEqual(
    source.requests.map(({ parameters }) => parameters.get('receiver')), ['ai-analysis', 'a\\.\\*'],
  );
});

test('Alertmanager.silence() reads one by its id', async (t) => {
  const [recordedSilence] = JSON.parse(recorded('am-silences').toString()) as unknown[];
  const { alertmanager, source } = await fakeAlertmanager(t, [
    answering(JSON.stringify(recordedSilence)), answering('', { status: 404 }),
  ]);
  assert.deepEqual(await alertmanager.silence('../x'), {
    id: 'f84b8618-391c-4a79-8d14-f4688f9a0a21',
    startsAt: '2026-11-20T16:06:40.648Z', endsAt: '2026-11-20T17:06:40.000Z',
    createdBy: 'oncall', comment: 'known issue',
  });
  assert.equal(source.requests[0]?.path, '/alertmanager/api/v2/silence/..%2Fx');
  assert.equal(await alertmanager.silence('gone'), null);
});

test('Alertmanager.silence() keeps the beginning of long words', async (t) => {
  const long = 'x'.repeat(100_000);
  const body = JSON.stringify({ id: long, createdBy: long, comment: long });
  const { alertmanager } = await fakeAlertmanager(t, answering(body));
  const { id, createdBy, comment } = (await alertmanager.silence('1')) ?? {};
  assert.deepEqual([id?.length, createdBy?.length, comment?.length], [200, 200, 2000]);
});

test("Alertmanager passes on the server's message about a refused filter", async (t) => {
  const { alertmanager } = await fakeAlertmanager(t, given('am-alerts-bad-filter', 400));
  await assert.rejects(alertmanager.alerts([]), {
    name: 'SourceFailure', reason: 'bad_query',
    detail: 'it answered 400: bad matcher format: bad',
  });
});

test('Alertmanager refuses the answer of another service', async (t) => {
  const { alertmanager } = await fakeAlertmanager(t, given('prom-alerts'));
  for (const ask of [
    () => alertmanager.alerts([]), () => alertmanager.groups('r', []),
    () => alertmanager.silence('1'),
  ]) {
    await assert.rejects(ask, { name: 'SourceFailure', reason: 'unexpected' });
  }
  assert.equal(alertmanagerIdentity.prefix, 'ALERTMANAGER');
});
