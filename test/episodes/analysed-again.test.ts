import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EpisodeBook } from '../../src/episodes/book/episode-book.ts';
import { ReceivedAlert } from '../../src/episodes/received-alert.ts';
import { aGroup, anAlert } from '../support/samples/alerts.ts';

const at = Date.parse('2026-11-20T10:00:00Z');
const alert = anAlert();
const key = { fingerprint: alert.fingerprint, number: 1 };
const reported = {
  ...key, state: 'reported', revision: 1,
  conclusion: { classification: 'actionable', certainty: 'possible', headline: 'Slow' },
} as const;

function reportedBook(): EpisodeBook {
  const book = new EpisodeBook();
  book.applyNotification(1, {
    receivedAt: at, text: JSON.stringify({ alerts: [alert] }),
    accepted: [{ ...key, kind: 'opened', index: 0, alert }],
  });
  book.applyAttempt(2, key);
  book.applyOutcome(3, reported);
  return book;
}

test('EpisodeBook keeps a requested analysis queued while a narrative is stored', () => {
  const book = reportedBook();
  book.applyAgain(4, { ...key, told: ReceivedAlert.of({ alert, group: aGroup }, at) });
  const conclusion = { ...reported.conclusion, headline: 'Slow, says the model' };
  book.applyOutcome(5, { ...reported, conclusion });
  const episode = book.find(key.fingerprint, 1);
  assert.equal(episode?.analysis, 'queued');
  assert.equal(episode.conclusion?.headline, 'Slow, says the model');
  assert.deepEqual(episode.latest?.read().alert.labels, alert.labels);
  book.applyAttempt(6, key);
  book.applyOutcome(7, reported);
  assert.deepEqual([episode.analysis, episode.latest], ['reported', null]);
});

test('EpisodeBook takes over the conclusion of a report that replaces another', () => {
  const book = reportedBook();
  book.applyOutcome(4, { ...reported, conclusion: { ...reported.conclusion, headline: 'New' } });
  const episode = book.find(key.fingerprint, 1);
  assert.deepEqual([episode?.analysis, episode?.conclusion?.headline], ['reported', 'New']);
});
