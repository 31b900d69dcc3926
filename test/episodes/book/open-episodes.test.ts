import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newEpisode } from '../../../src/episodes/book/new-episode.ts';
import { OpenEpisodes } from '../../../src/episodes/book/open-episodes.ts';
import type { Episode } from '../../../src/episodes/episode.ts';
import { changeOf } from '../../../src/episodes/records.ts';
import { cpuTimer } from '../../support/cpu-timer.ts';
import { seededRandom } from '../../support/random.ts';
import { anAlert, fingerprint } from '../../support/samples/alerts.ts';

const minuteMs = 60_000;
const start = Date.parse('2026-11-20T10:00:00Z');

function anEpisode(name: string, ms: number): Episode {
  const startsAt = new Date(ms).toISOString();
  const alert = anAlert({ fingerprint: fingerprint(name), startsAt });
  const key = { fingerprint: alert.fingerprint, number: 1, kind: 'opened', index: 0 } as const;
  const episode = newEpisode(key, { labels: alert.labels, change: changeOf(alert), at: ms });
  return { ...episode, identity: { labels: alert.labels, groupKey: name, windowMs: 0 } };
}

test('OpenEpisodes.near() lists the first 100 within 15 minutes, in order of opening', () => {
  const random = seededRandom(11);
  const open = new OpenEpisodes();
  const all = Array.from({ length: 2_000 }, (_, index) => (
    anEpisode(`a${index}`, start + (random() % (120 * minuteMs)))));
  for (const episode of all) open.add(episode);
  const firing = all.filter((episode) => random() % 3 > 0 || (open.remove(episode), false));
  assert.equal(open.size, firing.length);
  for (const asked of [...all.slice(0, 50), anEpisode('long ago', start - 60 * minuteMs)]) {
    const at = Date.parse(asked.startsAt);
    const expected = firing.filter((other) => (
      other !== asked && Math.abs(Date.parse(other.startsAt) - at) <= 15 * minuteMs));
    assert.deepEqual(
      open.near(asked).map((near) => near.fingerprint),
      expected.slice(0, 100).map((near) => near.fingerprint),
    );
  }
});

test('OpenEpisodes.near() does not look at 100 000 that began long before', () => {
  const open = new OpenEpisodes();
  const old = anEpisode('old', start);
  for (let index = 0; index < 100_000; index++) open.add({ ...old });
  const asked = anEpisode('asked', start + 60 * minuteMs);
  const twin = anEpisode('twin', start + 59 * minuteMs);
  open.add(asked);
  open.add(twin);
  const cpuMs = cpuTimer();
  for (let round = 0; round < 1_000; round++) {
    assert.deepEqual(open.near(asked).map((near) => near.fingerprint), ['twin']);
  }
  const ms = cpuMs();
  assert.ok(ms < 1_000, `${ms} ms, where looking at all of them takes 2 s`);
});

test('OpenEpisodes.near() finds an episode by its corrected start', () => {
  const open = new OpenEpisodes();
  const asked = anEpisode('asked', start + 60 * minuteMs);
  const told = { ...anEpisode('told', start) };
  open.add(told);
  open.add(asked);
  assert.deepEqual(open.near(asked), []);
  told.startsAt = asked.startsAt;
  open.moved(told);
  assert.deepEqual(open.near(asked).map(({ fingerprint }) => fingerprint), ['told']);
  const close = { ...anEpisode('close', start + 55 * minuteMs) };
  open.add(close);
  close.startsAt = asked.startsAt;
  open.moved(close);
  assert.equal(open.near(asked).length, 2, 'each once');
  open.remove(close);
  open.remove(told);
  open.moved(told);
  assert.deepEqual(open.near(asked), []);
});

test('OpenEpisodes.near() leaves out what its report calls noise', () => {
  const open = new OpenEpisodes();
  const said = { certainty: 'inconclusive', headline: 'x' } as const;
  const noise = { ...anEpisode('noise', start),
    conclusion: { ...said, classification: 'noisy' as const } };
  const real = { ...anEpisode('real', start),
    conclusion: { ...said, classification: 'actionable' as const } };
  for (const episode of [noise, real]) open.add(episode);
  assert.deepEqual(open.near(anEpisode('asked', start)).map((each) => each.fingerprint), ['real']);
});
