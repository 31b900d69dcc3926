import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpisodeKey } from '../../src/alert/episode-key.ts';
import type { Episode } from '../../src/episodes/episode.ts';
import { pendingNarrations } from '../../src/narration/pending-narrations.ts';
import { anEpisode, aReport, present } from '../support/narrations-setup.ts';

const awaiting = JSON.stringify(aReport());

async function foundIn(
  episodes: readonly (string | Episode)[],
  read: (fingerprint: string) => Promise<string | null>,
): Promise<string[]> {
  const book = {
    open: episodes.map((each) => (typeof each === 'string' ? anEpisode(each) : each)),
  };
  const found: string[] = [];
  const reports = { read: (key: EpisodeKey) => read(key.fingerprint) };
  for await (const { fingerprint } of pendingNarrations(book, reports)) found.push(fingerprint);
  return found;
}

test('pendingNarrations() finds what awaits a narrative, the newest first', async () => {
  const stored: Readonly<Record<string, string>> = {
    a: awaiting, b: JSON.stringify(aReport({ narrative: present })), d: awaiting,
  };
  const queued: Episode = { ...anEpisode('e'), analysis: 'queued' };
  const found = await foundIn(['a', 'b', 'c', 'd', queued], async (name) => {
    return name === 'e' ? awaiting : stored[name] ?? null;
  });
  assert.deepEqual(found, ['d', 'a']);
});

test('pendingNarrations() skips a report that cannot be read', async () => {
  const found = await foundIn(['a', 'b', 'c'], async (name) => {
    if (name === 'b') throw new Error('EIO');
    return awaiting;
  });
  assert.deepEqual(found, ['c', 'a']);
});

test('pendingNarrations() reads the most severe ones where there are too many', async () => {
  const warnings = Array.from({ length: 1_100 }, (_, n) => anEpisode(`w${n}`, 'warning'));
  const found = await foundIn(['c', ...warnings], () => Promise.resolve(awaiting));
  assert.deepEqual(found.slice(0, 2), ['c', 'w1099']);
  assert.equal(found.length, 1_000);
});
