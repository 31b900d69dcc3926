import assert from 'node:assert/strict';
import { test } from 'node:test';
import { episodeIn, newHistory, putEpisode, takeEpisode, type AlertHistory } from
  '../../../src/episodes/book/alert-history.ts';
import { EpisodeBook } from '../../../src/episodes/book/episode-book.ts';
import { newEpisode } from '../../../src/episodes/book/new-episode.ts';
import type { Episode } from '../../../src/episodes/episode.ts';
import { cpuTimer } from '../../support/cpu-timer.ts';
import { fingerprint } from '../../support/samples/alerts.ts';

const at = Date.parse('2026-11-20T10:00:00Z');

function anEpisode(number: number, name = 'a'): Episode {
  const ended = { status: 'resolved', severity: 'warning', startsAt: null, endsAt: null } as const;
  const accepted = {
    fingerprint: fingerprint(name), number, index: 0, kind: 'arrived_resolved',
  } as const;
  const labels = { alertname: 'A' };
  const episode = newEpisode(accepted, { labels, change: ended, at: at + number * 60_000 });
  return { ...episode, analysis: 'reported' };
}

function aChapter(...numbers: number[]): AlertHistory {
  const chapter = newHistory({ status: 'firing', at });
  for (const number of numbers) assert.equal(putEpisode(chapter, anEpisode(number)), null);
  return chapter;
}

function numbersIn({ episodes }: AlertHistory): number[] {
  return episodes.map(({ number }) => number);
}

test('a chapter sorts its episodes by number, however they are added', () => {
  const chapter = aChapter(7, 3, 9, 4, 12);
  assert.deepEqual(numbersIn(chapter), [3, 4, 7, 9, 12]);
  assert.equal(episodeIn(chapter, null)?.number, 12);
  for (const number of [3, 4, 7, 9, 12]) assert.equal(episodeIn(chapter, number)?.number, number);
  for (const number of [0, 2, 5, 8, 13, -1, 3.5, NaN]) {
    assert.equal(episodeIn(chapter, number), null, `${number}`);
    assert.equal(takeEpisode(chapter, number), null, `${number}`);
  }
  const seventh = episodeIn(chapter, 7);
  const next = anEpisode(7);
  assert.equal(putEpisode(chapter, next), seventh);
  assert.equal(takeEpisode(chapter, 7), next);
  assert.deepEqual(numbersIn(chapter), [3, 4, 9, 12]);
  assert.equal(episodeIn(aChapter(), null), null);
  assert.equal(takeEpisode(aChapter(), 1), null);
});

/** Processor time of a start from a snapshot that tells all of these twice. */
function restoringMs(episodes: readonly Episode[]): number {
  const takenMs = cpuTimer();
  const book = new EpisodeBook();
  for (let told = 1; told <= 2; told += 1) {
    for (const episode of episodes) {
      book.restore({ episode: { ...episode }, sequence: told, acceptance: null });
    }
  }
  book.finishReplay();
  const ms = takenMs();
  assert.deepEqual([book.total, book.closed.size], [episodes.length, episodes.length]);
  return ms;
}

test('restoring an alert that flapped does not take far longer than many alerts', () => {
  const numbers = Array.from({ length: 20_000 }, (_, index) => index + 1);
  restoringMs(numbers.map((number) => anEpisode(number)));
  const many = restoringMs(numbers.map((number) => anEpisode(1, `f${number}`)));
  const one = restoringMs(numbers.map((number) => anEpisode(number)));
  assert.ok(one < 10 * many, `${one} ms for one alert, ${many} ms for as many alerts`);
});
