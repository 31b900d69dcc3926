import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChatNews, type News } from '../../src/delivery/chat-news.ts';
import type { ReportKey } from '../../src/delivery/deliveries.ts';
import type { Report } from '../../src/report/report.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { sampleReport } from '../support/samples/sample-report.ts';

const startedAt = Date.parse('2026-11-20T01:00:00Z');
const hourMs = 3_600_000;

interface Chat {
  readonly clock: ManualClock;
  /** What the chat is told of the report, and is remembered to have been told. */
  tell(fingerprint: string, report?: Report): News | null;
}

function chat({ known = [], incident = {}, stillFiring = () => 0 }: {
  readonly known?: readonly string[];
  /** By fingerprint. */
  readonly incident?: Readonly<Record<string, string>>;
  /** Alerts of each incident. */
  readonly stillFiring?: () => number;
} = {}): Chat {
  const clock = new ManualClock(startedAt);
  const keyOf = (fingerprint: string): ReportKey => ({ fingerprint, number: 1 });
  const news = new ChatNews({
    clock,
    incidentOf: ({ fingerprint }) => incident[fingerprint] ?? null,
    firingIn: stillFiring,
    known: known.map(keyOf),
  });
  return {
    clock,
    tell(fingerprint, report = firing()) {
      const told = news.newsIn(keyOf(fingerprint), report);
      if (told === null) return null;
      const firing = incident[fingerprint] === undefined ? 0 : stillFiring();
      news.tell(keyOf(fingerprint), report, { news: told, firing });
      return told;
    },
  };
}

function firing(severity = 'warning'): Report {
  const { alert, ...rest } = sampleReport();
  return { ...rest, alert: { ...alert, labels: { ...alert.labels, severity } } };
}

function ended(endsAt = '2026-11-20T01:30:00Z', severity = 'warning'): Report {
  const report = firing(severity);
  return { ...report, episode: { ...report.episode, state: 'resolved', ends_at: endsAt } };
}

test('ChatNews are the first report of an episode and its end, each once', () => {
  const { tell } = chat();
  const told = [firing(), firing(), ended(), ended()].map((report) => tell('a', report));
  assert.deepEqual(told, ['report', null, 'end', null]);
});

test('ChatNews are the end alone where nothing was told before', () => {
  const { tell } = chat();
  assert.deepEqual([ended(), ended()].map((report) => tell('a', report)), ['end', null]);
});

test('ChatNews repeat nothing that the last process may have told', () => {
  const { tell } = chat({ known: ['a'] });
  assert.equal(tell('a'), null);
  assert.equal(tell('a', ended()), 'end');
  assert.equal(tell('b', ended('2026-11-20T00:59:59Z')), null);
});

test('ChatNews are an end that the last process was not told of in time', () => {
  const { tell } = chat({ known: ['a'] });
  assert.equal(tell('a', ended('2026-11-20T00:59:59Z')), 'end');
});

test('ChatNews of an incident that the last process told of are the end of its last alert', () => {
  let firing = 3;
  const names = ['a', 'b', 'c', 'd'];
  const incident = Object.fromEntries(names.map((name) => [name, 'i']));
  const { tell } = chat({ known: names, incident, stillFiring: () => firing });
  assert.equal(tell('a', ended()), null);
  firing = 0;
  assert.deepEqual(names.slice(1).map((name) => tell(name, ended())), ['end', null, null]);
});

test('ChatNews of an incident are the end of its last alert, though that was not told of', () => {
  let firing = 3;
  const incident = { a: 'i', b: 'i', c: 'i' };
  const { tell, clock } = chat({ incident, stillFiring: () => firing });
  assert.deepEqual(['a', 'b', 'c'].map((name) => tell(name)), ['report', null, null]);
  void clock.advance(hourMs);
  firing = 2;
  assert.equal(tell('a', ended()), 'end');
  firing = 1;
  assert.equal(tell('b', ended()), null);
  firing = 0;
  assert.deepEqual([tell('c', ended()), tell('c', ended()), tell('b', ended())],
    ['end', null, null]);
});

test('ChatNews of an incident that ends at once are the end of what was told of', () => {
  const { tell } = chat({ incident: { a: 'i', b: 'i' } });
  assert.deepEqual([tell('a'), tell('b')], ['report', null]);
  assert.deepEqual(['b', 'a', 'b'].map((name) => tell(name, ended())), [null, 'end', null]);
});

test('ChatNews leave alerts of severity none alone', () => {
  const { tell } = chat();
  assert.equal(tell('a', firing('none')), null);
  assert.equal(tell('a', ended(undefined, 'none')), null);
});

test('ChatNews of an incident are its first alert, worse ones, and their ends', () => {
  const { tell } = chat({ incident: { a: 'i', b: 'i', c: 'i', d: 'i' } });
  assert.equal(tell('a'), 'report');
  assert.equal(tell('b'), null);
  assert.equal(tell('c', firing('critical')), 'report');
  assert.equal(tell('d', firing('critical')), null);
  assert.deepEqual(['a', 'b', 'c', 'd'].map((name) => tell(name, ended())),
    ['end', null, 'end', null]);
});

test('ChatNews of an incident begin anew after an hour', () => {
  const { tell, clock } = chat({ incident: { a: 'i', b: 'i', c: 'i', d: 'i' } });
  tell('a');
  void clock.advance(hourMs - 1);
  assert.equal(tell('b'), null);
  void clock.advance(1);
  assert.equal(tell('c'), 'report');
  assert.equal(tell('d'), null);
});

test('ChatNews of an incident are its first alert that fires, whatever ended before', () => {
  const { tell } = chat({ incident: { a: 'i', b: 'i', c: 'i', d: 'i' } });
  assert.equal(tell('a', ended()), 'end');
  assert.equal(tell('b', ended()), null);
  assert.equal(tell('c'), 'report');
  assert.equal(tell('d'), null);
});
