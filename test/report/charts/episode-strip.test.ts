import assert from 'node:assert/strict';
import { test } from 'node:test';
import { episodeStrip, type StripEpisode } from '../../../src/report/charts/episode-strip.ts';
import { markupText } from '../../../src/report/html.ts';

const now = Date.parse('2026-11-20T00:00:00Z');
const hour = 3_600_000;
const day = 24 * hour;

function episode(number: number, daysAgo: number, over: Partial<StripEpisode> = {}): StripEpisode {
  const fromMs = now - daysAgo * day;
  return { number, fromMs, toMs: fromMs + hour, isThis: false, ...over };
}

const strip = (...episodes: StripEpisode[]): string =>
  markupText(episodeStrip(episodes, { now, total: 0 }));

test('episodeStrip() draws a bar for each episode and marks this one', () => {
  const markup = strip(
    episode(3, 0.5, { toMs: null, isThis: true }), episode(2, 15, { toMs: now - 12 * day }),
    episode(1, 45),
  );
  assert.match(markup, /class="bar" d="M500 0V24H600V0Z"/u);
  assert.match(markup, /class="bar this" d="M983\.3 0V24H1000V0Z"/u);
  assert.match(markup, />this one<\/text>/u);
  assert.match(markup, />2 episodes in the 30 days before this report\.</u);
  assert.match(markup, /The first began on 2026-11-05, the last on 2026-11-19\./u);
  assert.match(markup, /The longest lasted 3 d; together they lasted 3 d 12 h\./u);
});

test('episodeStrip() shows the shortest episode, and one that began before the 30 days', () => {
  const markup = strip(
    episode(2, 0, { toMs: now, isThis: true }), episode(1, 40, { toMs: now - 29 * day }),
  );
  assert.match(markup, /class="bar this" d="M996 0V24H1000V0Z"/u);
  assert.match(markup, /class="bar" d="M0 0V24H33\.3V0Z"/u);
});

test('episodeStrip() is empty for one episode, or for none in 30 days', () => {
  assert.equal(strip(), '');
  assert.equal(strip(episode(1, 1)), '');
  assert.equal(strip(episode(1, 99), episode(2, 50)), '');
});

test('episodeStrip() stays small with many episodes', () => {
  const many = Array.from({ length: 5000 }, (_, index) => episode(index, (index % 300) / 10));
  const markup = strip(...many);
  assert.ok(markup.length < 5000, `${markup.length}`);
  assert.doesNotMatch(markup, /NaN|Infinity|undefined/u);
});

test('episodeStrip() says when there were more episodes than it draws', () => {
  const markup = markupText(episodeStrip([episode(8, 2), episode(9, 1)], { now, total: 40 }));
  assert.match(markup, />The latest 2 of 40 episodes in the 30 days before this report\.</u);
});
