import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IncidentView } from '../../src/report/incident.ts';
import type { ReportList } from '../../src/report/report-list.ts';
import { startTestService } from '../support/programs/running-service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const alert = (name: string, over: object = {}, labels: object = {}): object => ({
  status: 'firing', startsAt: '2026-11-20T10:00:00Z', fingerprint: name,
  labels: { alertname: name, host: name, ...labels }, ...over,
});

const ended = { status: 'resolved', endsAt: '2026-11-20T10:05:00Z' };

test('the list is filtered by its query, for browsers and for programs', async (t) => {
  const { url, post, finished } = await startTestService(t, temporaryDirectory());
  const get = (query: string, accept: string): Promise<Response> =>
    fetch(`${url}/${query}`, { headers: { accept } });
  const listed = async (query: string): Promise<ReportList> =>
    (await (await get(query, 'application/json')).json()) as ReportList;
  const shown = ({ open, ended: over }: ReportList): string[] =>
    [...open, ...over].map(({ name }) => name);

  assert.match(await (await get('', 'text/html')).text(), /No alert has arrived yet/);
  assert.equal((await post([
    alert('Disk', {}, { severity: 'critical', namespace: 'shop', mountpoint: '/var' }),
    alert('Slow', {}, { severity: 'warning', namespace: 'web' }),
    alert('Over', ended),
  ])).status, 200);
  for (const name of ['Disk/1', 'Slow/1', 'Over/1']) await finished(name);

  assert.deepEqual(shown(await listed('')), ['Disk', 'Slow', 'Over']);
  assert.deepEqual(shown(await listed('?state=open&severity=critical')), ['Disk']);
  assert.deepEqual(shown(await listed('?state=ended')), ['Over']);
  assert.deepEqual(shown(await listed('?namespace=web')), ['Slow']);
  assert.deepEqual(shown(await listed('?text=%2Fvar')), ['Disk']);
  assert.deepEqual(shown(await listed('?to=2026-11-20T09:00Z')), []);

  const list = await listed('reports.json?severity=nonsense&state=open');
  assert.deepEqual(shown(list), ['Disk', 'Slow']);
  assert.equal(list.query, 'state=open');
  assert.deepEqual(list.total, { open: 2, ended: 1 });
  assert.match(list.ignored[0] ?? '', /^severity is ignored/);
  assert.equal(list.next, null);

  const page = await get('?state=%zz&severity=critical&after=banana', 'text/html');
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-security-policy') ?? '', /form-action 'self'/);
  const text = await page.text();
  assert.match(text, /state is ignored/);
  assert.match(text, /after is ignored/);
  assert.match(text, new RegExp(`<a href="${url}/report/Disk/1"`));
  assert.doesNotMatch(text, /report\/Slow/);
  assert.match(text, /data-row/);
});

test('the instructions on an empty list name the token without showing it', async (t) => {
  const token = 'a-token-nobody-may-see';
  const settings = { ACCESS_TOKEN: token, REPORT_BASE_URL: 'https://a.example/x' };
  const { url } = await startTestService(t, temporaryDirectory(), settings);
  const text = await (await fetch(`${url}/`, { headers: { accept: 'text/html' } })).text();
  assert.match(text, /- url: https:\/\/a\.example\/x\/webhook\n/);
  assert.match(text, /credentials: &lt;ACCESS_TOKEN&gt;/);
  assert.doesNotMatch(text, new RegExp(token));
});

test('an incident has its scope and its timeline', async (t) => {
  const { url, post, finished } = await startTestService(t, temporaryDirectory());
  const node = { startsAt: '2026-11-20T09:59:00Z' };
  const labels = { alertname: 'PodSlow', namespace: 'shop', node: 'n1' };
  assert.equal((await post([
    alert('Node', node, { alertname: 'KubeNodeNotReady', node: 'n1', severity: 'critical' }),
    alert('A', {}, { ...labels, pod: 'a' }), alert('B', {}, { ...labels, pod: 'b' }),
  ])).status, 200);
  const { incident } = await finished('A/1');
  for (const name of ['Node/1', 'B/1']) await finished(name);
  assert.equal((await post([alert('B', ended, { ...labels, pod: 'b' })])).status, 200);
  const view = (await (await fetch(`${incident?.url}.json`)).json()) as IncidentView;
  assert.equal(view.likely_origin, 'Node');
  assert.deepEqual(view.members.map(({ fingerprint }) => fingerprint), ['Node', 'A', 'B']);
  assert.equal(view.opened_at, node.startsAt);
  assert.equal(view.ended_at, null);
  assert.deepEqual(view.scope.namespaces,
    [{ name: 'shop', alerts: 2 }, { name: 'no namespace', alerts: 1 }]);
  assert.deepEqual(view.timeline.map(({ kind, name, alerts }) => `${kind} ${name} ${alerts}`),
    ['began KubeNodeNotReady 1', 'began PodSlow 2', 'ended PodSlow 1']);
  assert.match(view.origin_reasons.join(' '),
    /It watches a machine; PodSlow watches a pod.*1 min before/s);
  const [row, ...others] = ((await (await fetch(`${url}/reports.json`)).json()) as ReportList).open;
  assert.deepEqual(others, []);
  assert.ok(row?.kind === 'incident');
  assert.deepEqual([row.name, row.members, row.open], ['KubeNodeNotReady', 3, 2]);
});
