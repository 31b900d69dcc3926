import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forAllTests } from '../support/for-all-tests.ts';
import { listenTo } from '../support/http/event-stream.ts';
import { startTestService } from '../support/programs/running-service.ts';
import { startHeldSource } from '../support/sources/held-source.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const alert = { labels: { alertname: 'DiskFull' }, fingerprint: 'abc.json' };

test('a waiting page gets events for its alert, progress, report and end', async (t) => {
  const source = await startHeldSource(t);
  const service = await startTestService(t, temporaryDirectory(), {
    PROMETHEUS_URL: source.url,
  });
  const stream = await listenTo(t, `${service.url}/report/abc.json/events`);
  const awaited = await stream.next();
  assert.deepEqual(awaited?.data, { revision: 'absent', episode: null, status: null });

  await service.post([alert]);
  const progress = await stream.until(({ data }) => data['of'] === 5);
  assert.equal(progress.event, 'progress');
  assert.equal(progress.data['status'], 'analysing');
  assert.equal(typeof progress.data['step'], 'string');
  source.release();
  const ready = await stream.until(({ data }) => data['status'] === 'ready');
  assert.equal(ready.event, 'changed');
  assert.equal(ready.data['episode'], 1);
  assert.equal(ready.id, ready.data['revision']);

  await service.post([{ ...alert, status: 'resolved', endsAt: new Date().toISOString() }]);
  await stream.until(({ data }) => data['status'] === 'final');
});

test('a page and its first event have the same revision, even after a restart', async (t) => {
  const directory = temporaryDirectory();
  const first = await startTestService(t, directory);
  await first.post([alert]);
  await first.finished('abc.json');
  const shown = async (url: string): Promise<string> => {
    const page = await (await fetch(`${url}/report/abc.json`, {
      headers: { Accept: 'text/html' },
    })).text();
    return /<body[^>]* data-live="([^"]+)" data-episode="1"/.exec(page)?.[1] ?? 'none';
  };
  const revision = await shown(first.url);
  const told = await (await listenTo(t, `${first.url}/report/abc.json/events`)).next();
  assert.equal(told?.id, revision);
  await first.service.stop();

  const second = await startTestService(t, directory);
  assert.equal(await shown(second.url), revision);
});

const running = forAllTests((cleanup) => startTestService(cleanup, temporaryDirectory()));

test('the list and an incident get events for alerts that join them', async (t) => {
  const { url, post, report, finished } = running();
  const list = await listenTo(t, `${url}/events`);
  const before = (await list.next())?.id;
  await post([alert, { ...alert, fingerprint: 'other' }], { groupKey: 'one' });
  await list.until(({ event, id }) => event === 'changed' && id !== before);
  await finished('abc.json');
  const { incident } = await report('abc.json');
  const stream = await listenTo(t, `${url}/incident/${incident?.id}/events`);
  const two = (await stream.next())?.id;
  await post([{ ...alert, fingerprint: 'third' }], { groupKey: 'one' });
  await stream.until(({ event, id }) => event === 'changed' && id !== two);
});

test('the page of the latest episode gets an event for a new one', async (t) => {
  const { url, post, finished } = running();
  const again = { labels: { alertname: 'DiskSlow' }, fingerprint: 'again' };
  const times = [Date.now() - 3_600_000, Date.now() - 1_800_000].map((at) => new Date(at));
  await post([{ ...again, status: 'resolved', startsAt: times[0], endsAt: times[1] }]);
  await finished('again');
  const stream = await listenTo(t, `${url}/report/again/events`);
  await stream.until(({ data }) => data['episode'] === 1);
  await post([{ ...again, startsAt: new Date() }]);
  await stream.until(({ data }) => data['episode'] === 2);
});

test('listeners are counted, and stopping the service ends them at once', async (t) => {
  const { url, service } = await startTestService(t, temporaryDirectory());
  const stream = await listenTo(t, `${url}/report/abc/events`);
  await stream.next();
  const metrics = await (await fetch(`${url}/metrics`)).text();
  assert.match(metrics, /^service_listeners 1$/m);
  assert.match(metrics, /^service_connections [2-9]$/m);
  assert.match(metrics, /^service_http_requests_total\{route="events",code_class="2xx"\} 1$/m);
  const began = performance.now();
  void service.stop(); // Awaited when the test is over.
  assert.equal(await stream.next(), null);
  assert.ok(performance.now() - began < 4_500, 'it ended only with the drain');
});

test('every open page of a report gets an event for feedback', async (t) => {
  const { url, post, finished } = running();
  await post([{ labels: { alertname: 'DiskGone' }, fingerprint: 'judged' }]);
  await finished('judged');
  const stream = await listenTo(t, `${url}/report/judged/events`);
  const before = (await stream.until(({ data }) => data['status'] === 'ready')).id;
  const said = await fetch(`${url}/report/judged/1/feedback`, {
    method: 'POST', body: JSON.stringify({ verdict: 'right' }),
    headers: { 'Content-Type': 'application/json' },
  });
  assert.ok(said.ok);
  assert.notEqual((await stream.next())?.id, before);
});
