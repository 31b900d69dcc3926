import assert from 'node:assert/strict';
import { test } from 'node:test';
import { latestSaid, FeedbackIndex } from '../../../src/episodes/book/feedback-index.ts';
import { newEpisode } from '../../../src/episodes/book/new-episode.ts';
import { ReceivedAlert } from '../../../src/episodes/received-alert.ts';
import { changeOf } from '../../../src/episodes/records.ts';
import type { Feedback } from '../../../src/report/report.ts';
import { seededRandom } from '../../support/random.ts';
import { aGroup, anAlert, fingerprint } from '../../support/samples/alerts.ts';

type AnEpisode = Parameters<FeedbackIndex['take']>[0];

function anEpisode(name: string): AnEpisode {
  const alert = anAlert({ fingerprint: fingerprint(name) });
  const key = { fingerprint: alert.fingerprint, number: 1, kind: 'opened', index: 0 } as const;
  const { labels } = ReceivedAlert.of({ alert, group: aGroup }, 0);
  return newEpisode(key, { labels, change: changeOf(alert), at: 0 });
}

function saidAt(ms: number): Feedback {
  const at = new Date(ms).toISOString();
  return { at, verdict: 'wrong', cause: null, note: null, noisy: false };
}

const ofAny = (): boolean => true;

test('FeedbackIndex returns the latest feedback, also after changes', () => {
  const random = seededRandom(3);
  const below = (count: number): number => random() % count;
  const index = new FeedbackIndex();
  const all = Array.from({ length: 300 }, (_, each) => anEpisode(`a${each}`));
  const kept = new Set<AnEpisode>();
  for (let step = 0; step < 3_000; step++) {
    const episode = all[below(all.length)];
    assert.ok(episode !== undefined);
    if (below(3) === 0) {
      index.remove(episode);
      episode.feedback = [];
      kept.delete(episode);
    } else {
      // Nearly always later than before; sometimes the clock was set back. Never the same.
      index.take(episode, saidAt(step * 1_000 - (below(50) === 0 ? below(900) * 1_000 + 500 : 0)));
      kept.add(episode);
    }
    if (step % 50 !== 0) continue;
    const isWanted = (each: object): boolean => each !== episode;
    const expected = latestSaid([...kept].filter(isWanted), 5).map(({ said }) => said.at);
    const found = index.latestOfName(episode.name, isWanted, 5).map(({ said }) => said.at);
    assert.deepEqual(found, expected, `step ${step}`);
  }
  for (const episode of kept) index.remove(episode);
  assert.equal(index.weight, 0);
});

test('FeedbackIndex finds the latest of 80 000 without looking at all of them', () => {
  const index = new FeedbackIndex();
  const all = Array.from({ length: 80_000 }, (_, each) => anEpisode(`a${each}`));
  const random = seededRandom(5);
  for (const episode of all) {
    episode.feedback = [saidAt(random() % 1_000_000_000)];
    index.add(episode);
  }
  const name = all[0]?.name ?? '';
  const [first] = index.latestOfName(name, ofAny, 5);
  assert.ok(first !== undefined);
  let looked = 0;
  const counted = (): boolean => ++looked > 0;
  const startedAt = process.cpuUsage();
  for (let round = 0; round < 100; round++) {
    assert.equal(index.latestOfName(name, counted, 5)[0], first);
  }
  assert.equal(looked, 500);
  const { user } = process.cpuUsage(startedAt);
  assert.ok(user < 1_000_000, `${user / 1000} ms for what sorting takes 5 s and more`);
});
