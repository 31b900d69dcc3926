import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expiredEpisodes } from '../../src/episodes/retention.ts';
import { bookStart, filledBook, type Told } from '../support/samples/filled-book.ts';

const day = 86_400_000;

/** Of a book in which what has ended was analysed once more. */
function namesOf(all: readonly Told[], ageMs: number, episodesMax: number): string[] {
  const book = filledBook(all);
  for (const { fingerprint, number, notifications } of [...book.closed.oldestFirst()]) {
    book.applyAttempt(10_000, { fingerprint, number });
    book.applyOutcome(10_001, {
      fingerprint, number, state: 'reported', revision: notifications,
      conclusion: { classification: 'recovered', certainty: 'likely', headline: 'It was slow.' },
    });
  }
  return expiredEpisodes(book, { ageMs, episodesMax }, bookStart + day).map(({ name }) => name);
}

test('expiredEpisodes() takes open alerts beyond the number alone, none to be analysed', () => {
  const all = ['pending', 'second', 'third'].map((alertname, index) => ({
    labels: { alertname }, began: index, ...(index === 0 && { conclusion: null }),
  }));
  assert.deepEqual(namesOf(all, 0, 3), [], 'none for its age');
  assert.deepEqual(namesOf(all, 0, 2), ['second']);
  assert.deepEqual(namesOf(all, 0, 0), ['second', 'third']);
});

test('expiredEpisodes() takes open episodes only if too few have ended', () => {
  const all = [
    { labels: { alertname: 'open' }, began: 0 },
    { labels: { alertname: 'ended' }, began: 1, ended: 2 },
  ];
  assert.deepEqual(namesOf(all, day, 1), ['ended']);
  assert.deepEqual(namesOf(all, day, 0), ['ended', 'open']);
});

test('expiredEpisodes() takes at most 500 at a time', () => {
  const many = (count: number, over: Partial<Told>): Told[] =>
    Array.from({ length: count }, (_, index) => ({
      labels: { alertname: 'A', instance: `${index}${over.ended}` }, began: 0, ...over,
    }));
  assert.equal(namesOf(many(600, { ended: 1 }), 0, 1_000).length, 500);
  assert.equal(namesOf(many(600, {}), day, 0).length, 500);
  const mixed = [...many(300, { ended: 1 }), ...many(300, {})];
  assert.equal(namesOf(mixed, day, 0).length, 500);
});
