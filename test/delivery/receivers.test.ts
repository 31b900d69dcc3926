import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import { startReceivers, type Receivers } from '../../src/delivery/receivers.ts';
import { EpisodeBook } from '../../src/episodes/book/episode-book.ts';
import { caseFileOf } from '../../src/episodes/case-file-of.ts';
import type { Conclusion } from '../../src/episodes/conclusion.ts';
import type { Episode } from '../../src/episodes/episode.ts';
import { newReport } from '../../src/report/new-report.ts';
import type { Report } from '../../src/report/report.ts';
import { createLogger } from '../../src/telemetry/log.ts';
import { Registry } from '../../src/telemetry/metrics.ts';
import { createServiceMetrics } from '../../src/telemetry/service-metrics.ts';
import { listenLocally } from '../support/http/local-server.ts';
import { openReports } from '../support/kept-reports.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { eventually } from '../support/programs/programs.ts';
import { aKey } from '../support/samples/alerts.ts';
import { bookStart, filledBook, type Told } from '../support/samples/filled-book.ts';

interface Delivered {
  readonly clock: ManualClock;
  /** The responses to the posts, which the test ends; in order. */
  readonly held: ServerResponse[];
  readonly registry: Registry;
  readonly logged: readonly string[];
  /** The times at which the report was read in order to be posted. */
  readonly readAt: readonly number[];
  readonly receivers: Receivers;
}

/** Offers one report to a receiver whose answers are given by the test. */
async function deliver(t: TestContext): Promise<Delivered> {
  const held: ServerResponse[] = [];
  const receiver = createServer((_request, response) => held.push(response));
  const url = `${await listenLocally(t, receiver)}/reports`;
  const kept = await openReports();
  const reports = kept.store;
  await kept.write(aKey('a'), '{}');
  const registry = new Registry();
  const clock = new ManualClock(0);
  const logged: string[] = [];
  const log = createLogger({
    level: 'info', format: 'json', now: () => clock.now(), write: (line) => logged.push(line),
  });
  const readAt: number[] = [];
  const read = reports.read.bind(reports);
  reports.read = (key) => {
    readAt.push(clock.now());
    return read(key);
  };
  const receivers = startReceivers({
    addresses: { webhook: { setting: 'DELIVER_WEBHOOK_URL', url: () => url }, slack: null },
    clock, log,
    metrics: createServiceMetrics(registry, { version: '1', nodeVersion: '20', model: null }),
    book: new EpisodeBook(), reports, reportBase: 'http://localhost',
  });
  t.after(() => receivers.stop());
  receivers.offer(aKey('a'));
  return { clock, held, registry, logged, readAt, receivers };
}

test('startReceivers() waits for a receiver that takes half a minute to answer', async (t) => {
  const { clock, held, registry } = await deliver(t);
  const answer = await eventually('the post', () => held[0] ?? null);
  await clock.advance(29_000);
  answer.end();
  await eventually('the delivery', () => {
    return /\{to="webhook",outcome="delivered"\} 1/.test(registry.render()) || null;
  });
  assert.equal(held.length, 1);
});

test('startReceivers() tells how many reports wait for which receiver', async (t) => {
  const { held, registry, receivers } = await deliver(t);
  await eventually('the post', () => held[0] ?? null);
  receivers.offer(aKey('b'));
  receivers.measure();
  assert.match(registry.render(), /^service_deliveries_waiting\{to="webhook"\} 1$/m);
  assert.match(registry.render(), /^service_deliveries_waiting\{to="slack"\} 0$/m);
});

const retryAfter = [['seconds', '30'], ['a date', 'Thu, 01 Jan 1970 00:00:30 GMT']] as const;
for (const [form, header] of retryAfter) {
  test(`startReceivers() waits as long as a receiver asks in ${form}`, async (t) => {
    const { clock, held, logged, readAt } = await deliver(t);
    const refused = await eventually('the post', () => held[0] ?? null);
    refused.writeHead(429, { 'retry-after': header }).end();
    await eventually('the refusal', () => /Cannot deliver/.test(logged.join()) || null);
    await clock.advance(30_000);
    await eventually('the second post', () => held[1] ?? null);
    assert.deepEqual(readAt, [0, 30_000]);
  });
}

test('startReceivers() tells a chat of what it refused after a milder alert', async (t) => {
  const onNode = { namespace: 'shop', node: 'n1' };
  const { posts, clock, deliverAll } = await startChat(t, 6);
  await deliverAll(filledBook([
    ...Array.from({ length: 5 }, (_, index) => ({
      labels: { alertname: `Lone${index}`, instance: `db-${index}`, severity: 'critical' },
      began: -7200 * (index + 1),
    })),
    { labels: { ...onNode, alertname: 'Mild', pod: 'a', severity: 'warning' }, began: 0 },
    { labels: { ...onNode, alertname: 'Worst', pod: 'b', severity: 'critical' }, began: 1 },
  ]));
  await eventually('what was refused', async () => {
    await clock.advance(500);
    return posts.length > 7 || null;
  });
  assert.match(posts[5] ?? '', /Worst/);
  assert.match(posts[6] ?? '', /Mild/);
  assert.match(posts[7] ?? '', /Worst/);
});

test('startReceivers() tells a chat of the likely origin of a storm, with its size', async (t) => {
  const { posts, clock, deliverAll } = await startChat(t);
  const node = { alertname: 'KubeNodeNotReady', node: 'n1', severity: 'warning' };
  const pods = Array.from({ length: 12 }, (_, index) => ({
    labels: { alertname: 'ApiErrors', pod: `p${index}`, node: 'n1', severity: 'critical' },
    began: 0,
  }));
  const isPod = ({ name }: Episode): boolean => name === 'ApiErrors';
  await deliverAll(filledBook([...pods, { labels: node, began: 50 }]), isPod);
  await eventually('both', async () => {
    await clock.advance(500);
    return posts.length > 1 || null;
  });
  await clock.advance(60_000);
  assert.equal(posts.length, 2);
  assert.match(posts[0] ?? '', /ApiErrors[^]*\nPart of <[^>]+> of 13 alerts/);
  assert.match(posts[1] ?? '', /▲ .*KubeNodeNotReady/);
  assert.match(posts[1] ?? '', /\nThe likely origin of <[^>]+> of 13 alerts/);
});

test('startReceivers() tells of a likely origin that was open before a restart', async (t) => {
  const node = { alertname: 'KubeNodeNotReady', node: 'n1', severity: 'warning' };
  const pods = (count: number): Told[] => Array.from({ length: count }, (_, index) => ({
    labels: { alertname: 'ApiErrors', pod: `p${index}`, node: 'n1', severity: 'critical' },
    began: index,
  }));
  const firsts = [{ labels: node, began: 0 }, ...pods(4)];
  for (const [kind, before] of [['single', firsts], ['storm', [...firsts, ...pods(12).slice(4)]]]) {
    const { posts, clock, deliverAll } = await startChat(t, 0, filledBook(before as Told[]));
    const last = { labels: { alertname: 'Last', namespace: 'z', severity: 'info' }, began: -9000 };
    await deliverAll(filledBook([...firsts, ...pods(13).slice(4), last]));
    await eventually('the last', async () => {
      await clock.advance(500);
      return posts.some((post) => post.includes('|Last>')) || null;
    });
    const told = posts.flatMap((post) =>
      /\nThe likely origin of <[^>]+> of (\d+)/.exec(post)?.[1] ?? []);
    assert.deepEqual(told, kind === 'single' ? ['14'] : [], `${kind}: ${posts.join()}`);
  }
});

test('startReceivers() tells a chat of an end by the explained alert', async (t) => {
  const { posts, clock, deliverAll } = await startChat(t);
  const of = (kind: string, conclusions: readonly Partial<Conclusion>[]): Told[] =>
    conclusions.map((conclusion, index) => ({
      labels: { alertname: `${kind}${index}`, namespace: kind, node: kind, severity: 'warning' },
      began: 0, ended: 60 + index, conclusion,
    }));
  const node = {
    labels: { alertname: 'KubeNodeNotReady', node: 'n1', severity: 'warning' }, began: 0, ended: 70,
  };
  const pod = { alertname: 'ApiErrors', pod: 'p', node: 'n1', severity: 'critical' };
  const filled = filledBook([
    ...of('Queue', [{}, { cause: 'The disk is full' }, {}]), ...of('Cache', [{}, {}]),
    node, { labels: pod, began: 0, ended: 90 },
  ]);
  await deliverAll(filled, ({ name }) => ['Queue2', 'Cache1', 'ApiErrors'].includes(name),
    (report) => {
      const isOrigin = report.alert.name === 'KubeNodeNotReady';
      const gist = isOrigin ? '4 % and falling.' : 'It was 4 %.';
      const episode = { ...report.episode, ...(isOrigin && { ends_at: null }) };
      return { ...report, episode, verdict: { ...report.verdict, gist } };
    });
  await eventually('all three', async () => {
    await clock.advance(500);
    return posts.length > 2 || null;
  });
  const end = /\|(\w+)>\* ended after (.+?)(?= ·|\n|$)/;
  const ends = posts.map((post) => end.exec(post)?.slice(1));
  assert.deepEqual(ends.sort(), [
    ['Cache1', '1 min 1 s'], ['KubeNodeNotReady', '1 min 10 s'], ['Queue1', '1 min 1 s'],
  ]);
  assert.equal(posts.filter((post) => post.includes('It was 4 %.')).length, 2);
  assert.ok(!posts.some((post) => post.includes('falling')), 'told before the end');
});

interface Chat {
  readonly posts: readonly string[];
  readonly clock: ManualClock;
  /** Stores a report on each alert of the book as if it was alone, and offers those chosen. */
  deliverAll(
    filled: EpisodeBook,
    isOffered?: (episode: Episode) => boolean,
    written?: (report: Report) => Report,
  ): Promise<void>;
}

/** A chat that refuses one message, counted from 1; `before` is what a restart finds. */
async function startChat(
  t: TestContext,
  refused = 0,
  before = new EpisodeBook(),
): Promise<Chat> {
  const posts: string[] = [];
  const receiver = createServer((request, response) => {
    void text(request).then((body) => {
      posts.push((JSON.parse(body) as { text: string }).text);
      response.writeHead(posts.length === refused ? 429 : 200).end();
    });
  });
  const url = await listenLocally(t, receiver);
  const kept = await openReports();
  const reports = kept.store;
  const clock = new ManualClock(bookStart);
  const book = new EpisodeBook();
  for (const record of before.records()) book.restore(record);
  book.finishReplay();
  const { offer, stop } = startReceivers({
    addresses: { webhook: null, slack: { setting: 'DELIVER_SLACK_URL', url: () => url } },
    clock, reportBase: 'http://localhost', book, reports,
    log: createLogger({ level: 'error', format: 'json', now: () => 0, write() {} }),
    metrics: createServiceMetrics(new Registry(), { version: '1', nodeVersion: '20', model: null }),
  });
  t.after(stop);
  return {
    posts, clock,
    async deliverAll(filled, isOffered = () => true, written = (report) => report) {
      for (const record of filled.records()) book.restore(record);
      book.finishReplay();
      const options = { reportBase: 'http://localhost', now: bookStart };
      for (const episode of book.all()) {
        const caseFile = { ...caseFileOf(book, episode, options), incident: null };
        const report = newReport(caseFile, { status: 'ready', now: bookStart, version: '1' });
        await kept.write(episode, JSON.stringify(written(report)));
      }
      for (const episode of book.all()) if (isOffered(episode)) offer(episode);
    },
  };
}
