import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Feedback, Report } from '../../src/report/report.ts';
import { brokenAnywhere } from '../support/broken-anywhere.ts';
import { assertCompleteReport } from '../support/complete-report.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { eventually } from '../support/programs/programs.ts';
import { startAnalyst } from '../support/programs/running-analyst.ts';
import { startTestService, type RunningService } from '../support/programs/running-service.ts';
import { rewriteReport } from '../support/rewritten-report.ts';
import { aKey } from '../support/samples/alerts.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const alert = {
  labels: { alertname: 'CheckoutSlow', namespace: 'shop', severity: 'warning', job: 'checkout' },
  annotations: { summary: 'Checkout takes 3 s' },
  fingerprint: 'slow',
};
const cause = 'the connection pool of orders was too small';

function minutesAgo(minutes: number): string {
  return new Date(Date.now() - minutes * 60_000).toISOString();
}

function say(url: string, path: string, said: Partial<Feedback>): Promise<Response> {
  return fetch(`${url}/report/${path}/feedback`, {
    method: 'POST', body: JSON.stringify(said), headers: { 'Content-Type': 'application/json' },
  });
}

/** Makes one resolved episode, and waits for its report. */
async function fireAndEnd(
  { post, finished }: RunningService,
  over: object,
  [from, to]: readonly [number, number],
): Promise<void> {
  const { fingerprint } = { ...alert, ...over };
  await post([{ ...alert, ...over, startsAt: minutesAgo(from) }]);
  await finished(fingerprint);
  await post([{
    ...alert, ...over, status: 'resolved', startsAt: minutesAgo(from), endsAt: minutesAgo(to),
  }]);
  await finished(fingerprint);
}

test('feedback shows in reports on later episodes, and on other alerts of the name', async (t) => {
  const directory = temporaryDirectory();
  const before = await startTestService(t, directory);
  const { url } = before;
  await fireAndEnd(before, {}, [50, 40]);
  const response = await say(url, 'slow/1', { verdict: 'wrong', cause, noisy: false });
  assert.equal(response.status, 201);
  const [said] = (await before.report('slow')).feedback;
  assert.deepEqual({ ...said, at: '' }, {
    at: '', verdict: 'wrong', cause, note: null, noisy: false,
  });
  assert.match(await (await fetch(`${url}/`)).text(), /rated wrong/);
  await before.service.stop();

  const after = await startTestService(t, directory);
  assert.deepEqual((await after.report('slow')).feedback, [said]);
  await after.post([{ ...alert, startsAt: minutesAgo(5) }]);
  const next = await after.finished('slow');
  assertCompleteReport(next);
  assert.equal(next.episode.number, 2);
  assert.deepEqual(next.feedback, []);
  const item = next.evidence.find(({ title }) => title === 'Feedback from people');
  assert.ok(item);
  const finding = next.findings.find(({ text }) => text.startsWith('For episode 1 ('));
  assert.ok(finding);
  assert.ok(finding.text.endsWith(`the on-call gave the cause as "${cause}".`));
  assert.deepEqual(finding.evidence, [item.id]);
  const supported = next.hypotheses.find((each) => each.cause === cause);
  assert.equal(supported?.certainty, 'possible');
  const reasons = next.verdict.reasons.map(({ text }) => text);
  assert.ok(reasons.some((text) => /report on episode 1 .* wrong/.test(text)));

  const labels = { ...alert.labels, instance: 'b:80' };
  await after.post([{ ...alert, fingerprint: 'other', labels }]);
  const other = await after.finished('other');
  assertCompleteReport(other);
  const told = other.findings.find(({ text }) => text.startsWith('For another alert of this name'));
  assert.ok(told?.text.includes(cause));
});

const running = forAllTests((cleanup) => startTestService(cleanup, temporaryDirectory(), {
  DEDUP_WINDOW_SECONDS: '0',
}));

const outcomes: readonly (readonly [string, object, number])[] = [
  ['unknown/1', { verdict: 'right' }, 404], ['slow/2', { verdict: 'right' }, 404],
  ['slow/1', { verdict: 'good' }, 400],
];
test('invalid feedback is refused and not stored', async () => {
  const { url, post, finished, report } = running();
  await post([alert]);
  await finished('slow');
  for (const [path, said, status] of outcomes) {
    assert.equal((await say(url, path, said)).status, status, path);
  }
  assert.deepEqual((await report('slow')).feedback, []);
});

test('an alert called noisy twice is classified as noisy, and its report says why', async () => {
  const { url, post, finished } = running();
  const noisy = { labels: { alertname: 'CacheCold' }, fingerprint: 'noisy' };
  for (const [index, from] of [50, 40].entries()) {
    await fireAndEnd(running(), noisy, [from, from - 5]);
    await say(url, `noisy/${index + 1}`, { verdict: 'right', noisy: true });
  }
  await post([{ ...noisy, startsAt: minutesAgo(1) }]);
  const report = await finished('noisy');
  assert.equal(report.episode.number, 3);
  assert.equal(report.verdict.classification, 'noisy');
  assert.ok(report.findings.some(({ text }) => text.startsWith('The on-call called 2 episodes')));
});

async function analyse(url: string, path: string): Promise<Response> {
  return fetch(`${url}/report/${path}/analyse`, { method: 'POST' });
}

test('a new analysis is refused while the report is less than a minute old', async () => {
  const { url, post, finished } = running();
  assert.equal((await analyse(url, 'young')).status, 404);
  await post([{ labels: { alertname: 'Young' }, fingerprint: 'young' }]);
  await finished('young');
  const refused = await analyse(url, 'young');
  assert.equal(refused.status, 429);
  const wait = Number(refused.headers.get('retry-after'));
  assert.ok(wait > 0 && wait <= 60, `${wait}`);
});

/** Makes the stored report an hour old. Only while no service is running. */
async function makeOld(directory: string, report: Report): Promise<void> {
  const { fingerprint, episode } = report;
  const text = JSON.stringify({ ...report, updated_at: minutesAgo(60) });
  await rewriteReport(join(directory, 'data'), aKey(fingerprint, episode.number), text);
}

test('a report is made again with the feedback since, whether its alert fires', async (t) => {
  const directory = temporaryDirectory();
  const before = await startTestService(t, directory);
  const firing = { labels: { alertname: 'CacheCold' }, fingerprint: 'cold' };
  await before.post([{ ...alert, ...firing, startsAt: minutesAgo(50) }]);
  await fireAndEnd(before, {}, [50, 40]);
  const reports = [await before.finished('slow'), await before.finished('cold')];
  await before.service.stop();
  for (const report of reports) await makeOld(directory, report);

  const after = await startTestService(t, directory);
  for (const first of reports) {
    const { fingerprint } = first;
    await say(after.url, `${fingerprint}/1`, { verdict: 'wrong', cause });
    const response = await analyse(after.url, fingerprint);
    assert.equal(response.status, 202);
    const { report_url: address } = (await response.json()) as { readonly report_url: string };
    assert.equal(address, `${after.url}/report/${fingerprint}/1`);
    const meanwhile = await after.report(fingerprint);
    assert.equal(meanwhile.alert.annotations['summary'], alert.annotations.summary);
    // The report from before is there until the new one takes its place.
    const again = await after.until(fingerprint, ({ progress, provenance: { attempts } }) =>
      progress === null && attempts > first.provenance.attempts);
    assertCompleteReport(again);
    assert.equal(again.status, fingerprint === 'slow' ? 'final' : 'ready');
    assert.deepEqual(again.alert.labels, first.alert.labels);
    assert.deepEqual(again.alert.annotations, first.alert.annotations);
    assert.equal(again.episode.notifications, first.episode.notifications);
    assert.equal(again.provenance.attempts, first.provenance.attempts + 1);
    assert.ok(again.findings.some(({ text }) => text.startsWith('For this episode, the ')));
    assert.equal(again.feedback.length, 1);
    assert.equal((await analyse(after.url, fingerprint)).status, 429);
  }
});

test('acknowledged feedback and an accepted new analysis survive a kill', async (t) => {
  const directory = temporaryDirectory();
  const dataDirectory = join(directory, 'data');
  const before = await startTestService(t, directory);
  await fireAndEnd(before, {}, [50, 40]);
  const report = await before.finished('slow');
  await before.service.stop();
  await makeOld(directory, report);
  const killed = await startAnalyst({ dataDirectory }, t);
  const notes = Array.from({ length: 10 }, (_, index) => `note ${index}`);
  for (const note of notes) {
    assert.equal((await say(killed.url, 'slow/1', { verdict: 'partly', note })).status, 201);
  }
  assert.equal((await analyse(killed.url, 'slow')).status, 202);
  await killed.program.stop('SIGKILL');
  const after = await startAnalyst({ dataDirectory }, t);
  const again = await eventually('the new report', async () => {
    const found = (await (await fetch(`${after.url}/report/slow.json`)).json()) as Report;
    return Date.parse(found.updated_at) > Date.now() - 600_000 && found.status === 'final'
      ? found
      : null;
  });
  assert.deepEqual(again.alert.annotations, report.alert.annotations);
  assert.deepEqual(again.feedback.map(({ note }) => note), notes);
});

const token = { Authorization: 'Bearer of-feedback' };
test('with only a token, the page shows a command instead of a form', async (t) => {
  const { url, finished } = await startTestService(t, temporaryDirectory(), {
    ACCESS_TOKEN: 'of-feedback',
  });
  await fetch(`${url}/webhook`, {
    method: 'POST', headers: token, body: JSON.stringify({ alerts: [alert] }),
  });
  await finished('slow');
  const page = brokenAnywhere(await (await fetch(`${url}/report/slow`)).text());
  assert.doesNotMatch(page, /<form/);
  assert.match(page, /curl -H &quot;Authorization: Bearer \$ACCESS_TOKEN&quot; &#39;http:/);
  const form = new URLSearchParams({ verdict: 'wrong', cause, noisy: 'false' });
  const send = (headers: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(`${url}/report/slow/1/feedback`, { method: 'POST', body: form, headers });
  assert.equal((await send({})).status, 401);
  assert.equal((await send(token)).status, 201, 'as the command sends it');
});

test('with a login, a browser is asked for it and can send the form', async (t) => {
  const { url, post, finished } = await startTestService(t, temporaryDirectory(), {
    READ_USER: 'oncall', READ_PASSWORD: 'pass word:1',
  });
  await post([alert]);
  await finished('slow');
  assert.match(await (await fetch(`${url}/report/slow`)).text(), /action="\/report\/slow\/1\/feed/);
  const send = (headers: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(`${url}/report/slow/1/feedback`, {
      method: 'POST', body: new URLSearchParams({ verdict: 'right' }), redirect: 'manual',
      headers: { Accept: 'text/html', Origin: url, ...headers },
    });
  const asked = await send({});
  assert.equal(asked.status, 401);
  assert.match(asked.headers.get('www-authenticate') ?? '', /^Basic realm=/);
  const login = Buffer.from('oncall:pass word:1').toString('base64');
  assert.equal((await send({ Authorization: `Basic ${login}` })).status, 303);
});
