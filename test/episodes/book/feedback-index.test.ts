import assert from 'node:assert/strict';
import { test } from 'node:test';
import { latestFeedback, FeedbackIndex } from '../../../src/episodes/book/feedback-index.ts';
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
    const times = [...kept].filter((each) => each !== episode)
      .map(({ feedback }) => feedback.at(-1)?.at ?? '');
    const found = latestFeedback(index.ofName(episode.name), 5, (each) => each !== episode);
    const expected = times.sort().reverse().slice(0, 5);
    assert.deepEqual(found.map(({ feedback }) => feedback.at), expected, `step ${step}`);
  }
  for (const episode of kept) index.remove(episode);
  assert.equal(index.weight, 0);
});

test('latestFeedback() finds the latest of 80 000 without sorting them', () => {
  const random = seededRandom(5);
  const all = Array.from({ length: 80_000 }, (_, each) => {
    return { ...anEpisode(`a${each}`), feedback: [saidAt(random() % 1_000_000_000)] };
  });
  const times = all.map(({ feedback }) => feedback[0]?.at ?? '').sort().reverse();
  const startedAt = process.cpuUsage();
  for (let round = 0; round < 100; round++) {
    const found = latestFeedback(all, 5).map(({ feedback }) => feedback.at);
    assert.deepEqual(found, times.slice(0, 5));
  }
  const { user } = process.cpuUsage(startedAt);
  assert.ok(user < 3_000_000, `${user / 1000} ms for what sorting takes 5 s and more`);
});
