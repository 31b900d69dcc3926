import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EpisodeBook } from '../../src/episodes/book/episode-book.ts';
import { caseFileOf } from '../../src/episodes/case-file-of.ts';
import type { Episode } from '../../src/episodes/episode.ts';
import { anAlert, fingerprint } from '../support/samples/alerts.ts';

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
    return caseFileOf(book, episode, '').earlier.map((earlier) => earlier.number);
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
    return caseFileOf(book, episode, '').sameNameOpen;
  };
  assert.deepEqual([others(1), others(2)], [1, 0]);
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
  assert.equal(caseFileOf(book, newest, '').earlier.length, 720);
  assert.equal(asked, 0);
});
