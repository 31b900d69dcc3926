import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expiredEpisodes } from '../../src/episodes/retention.ts';
import { bookStart, filledBook, type Told } from '../support/samples/filled-book.ts';

const day = 86_400_000;

/** The names that are kept in a book in which what has ended was analysed once more. */
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

test('expiredEpisodes() takes the longer open alerts beyond the bytes, none to be analysed', () => {
  const book = filledBook([20, 2_000, 20, 2_000, 2_000, 20].map((length, index) => ({
    labels: { alertname: `${index}`, text: 'x'.repeat(length) }, began: index,
    ...(index === 1 && { conclusion: null }),
  })));
  const namesBeyond = (openBytes: number): string[] => expiredEpisodes(
    book, { ageMs: 0, episodesMax: 6, openBytes }, bookStart,
  ).map(({ name }) => name);
  const all = book.open.weight;
  assert.ok(all > 4_000 && all < 5_000, 'what waits is counted elsewhere');
  assert.deepEqual(namesBeyond(all), []);
  assert.deepEqual(namesBeyond(all - 1), ['3']);
  assert.deepEqual(namesBeyond(all - 2_100), ['3', '4']);
  assert.deepEqual(namesBeyond(0), ['3', '4'], 'the others once these are gone');
});

test('expiredEpisodes() takes open alerts of one length beyond the bytes, oldest first', () => {
  const book = filledBook([0, 1, 2].map((index) => ({
    labels: { alertname: `${index}` }, began: index,
  })));
  const limits = { ageMs: 0, episodesMax: 9, openBytes: book.open.weight * 0.5 };
  assert.deepEqual(expiredEpisodes(book, limits, bookStart).map(({ name }) => name), ['0', '1']);
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
