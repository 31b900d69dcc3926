import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EpisodeBook } from '../../src/episodes/book/episode-book.ts';
import { caseFileOf } from '../../src/episodes/case-file-of.ts';
import type { Episode } from '../../src/episodes/episode.ts';
import { historyFacts } from '../../src/evidence/history-facts.ts';
import type { CaseFile } from '../../src/report/case-file.ts';
import { listedHistory } from '../../src/report/new-report.ts';
import { anAlert, fingerprint } from '../support/samples/alerts.ts';
import { bookStart, filledBook } from '../support/samples/filled-book.ts';

/** A fingerprint that has fired so many times, and fires. */
function flapping(times: number): EpisodeBook {
  const book = new EpisodeBook();
  const alert = anAlert({ fingerprint: fingerprint('a') });
  const ended = { ...alert, status: 'resolved', endsAt: '2026-11-20T10:01:00Z' } as const;
  for (let number = 1; number <= times; number++) {
    for (const [kind, told] of [['opened', alert], ['resolved', ended]] as const) {
      if (kind === 'resolved' && number === times) break;
      book.applyNotification(2 * number + (kind === 'opened' ? 0 : 1), {
        receivedAt: 0, text: JSON.stringify({ alerts: [told] }),
        accepted: [{ fingerprint: told.fingerprint, kind, number, index: 0, alert: told }],
      });
    }
  }
  return book;
}

test('caseFileOf() lists the episodes before the given one, the latest first', () => {
  const book = flapping(1_000);
  const earlierOf = (number: number): number[] => {
    const episode = book.find('a', number);
    assert.ok(episode !== null);
    const { earlier } = caseFileOf(book, episode, { reportBase: '', now: 0 });
    return earlier.map((each) => each.number);
  };
  assert.deepEqual(earlierOf(1), []);
  assert.deepEqual(earlierOf(3), [2, 1]);
  const latest = earlierOf(1_000);
  assert.deepEqual([latest.length, latest[0], latest.at(-1)], [720, 999, 280]);
});

test('caseFileOf() counts the others of its name that fire, not the episode itself', () => {
  const book = flapping(2);
  const others = (number: number): number => {
    const episode = book.find('a', number);
    assert.ok(episode !== null);
    return caseFileOf(book, episode, { reportBase: '', now: 0 }).sameNameOpen;
  };
  assert.deepEqual([others(1), others(2)], [1, 0]);
});

test('caseFileOf() counts no others of an alert without a name', () => {
  const othersOf = (...names: (string | null)[]): number => {
    const book = filledBook(names.map((alertname, index) => (
      { labels: { service: `s${index}`, ...alertname !== null && { alertname } }, began: 0 })));
    const [episode] = [...book.open.beganNear(bookStart, 0)];
    assert.ok(episode !== undefined);
    return caseFileOf(book, episode, { reportBase: '', now: 0 }).sameNameOpen;
  };
  assert.deepEqual([othersOf('A', 'A'), othersOf(null, null)], [1, 0]);
});

test('caseFileOf() does not look at every episode of an alert that flaps', () => {
  const book = flapping(1_000);
  const [oldest] = book.episodesOf('a');
  const newest = book.find('a', null);
  assert.ok(oldest !== undefined && newest !== null);
  let asked = 0;
  Object.defineProperty(oldest satisfies Episode, 'number', {
    get() {
      asked += 1;
      return 1;
    },
  });
  assert.equal(caseFileOf(book, newest, { reportBase: '', now: 0 }).earlier.length, 720);
  assert.equal(asked, 0);
});

test('caseFileOf() counts the episodes that it does not list', () => {
  const minute = 60_000;
  const now = Date.parse('2026-11-20T10:00:00Z');
  const book = new EpisodeBook();
  const times = 9 * 144; // Nine days, every ten minutes.
  for (let number = 1; number <= times; number++) {
    const startMs = now - (times - number) * 10 * minute - minute;
    const alert = anAlert({
      status: 'resolved', startsAt: new Date(startMs).toISOString(),
      endsAt: new Date(startMs + 4 * minute).toISOString(), fingerprint: fingerprint('a'),
    });
    book.applyNotification(number, {
      receivedAt: startMs, text: JSON.stringify({ alerts: [alert] }),
      accepted: [{
        fingerprint: alert.fingerprint, kind: 'arrived_resolved', number, index: 0, alert,
      }],
    });
  }
  const caseFile = (number: number): CaseFile => {
    const episode = book.find('a', number);
    assert.ok(episode !== null);
    return caseFileOf(book, episode, { reportBase: '', now });
  };
  assert.equal(caseFile(721).unlisted, null);
  assert.deepEqual(caseFile(times).unlisted, {
    count: times - 721, last24h: 0, last7d: 7 * 144 - 721, last30d: times - 721,
  });
  const { recurrence } = historyFacts(caseFile(times), null, now);
  assert.deepEqual([recurrence.last24h, recurrence.last7d, recurrence.last30d],
    [144, 7 * 144, times]);
  const { last_7d: week, last_30d: month } = listedHistory(caseFile(times), now);
  assert.deepEqual([week, month], [7 * 144, times]);
});
