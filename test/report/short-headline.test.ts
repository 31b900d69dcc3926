import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortHeadline } from '../../src/report/short-headline.ts';
import { shopReport } from '../support/samples/shop-report.ts';

const beside = { name: 'HighLatency', place: 'web in shop' };

/** What is left of a headline whose name and place stand beside it. */
const headlines: readonly (readonly [headline: string, short: string])[] = [
  ['HighLatency on web in shop: 1.9 s, over its threshold of 500 ms. Firing since 02:14 UTC.',
    '1.9 s, over its threshold of 500 ms.'],
  ['HighLatency on web in shop: 1.9 s. Firing since 19 Nov 2025 02:14 UTC.', '1.9 s.'],
  ['HighLatency on web in shop. Firing since 02:14 UTC.', ''],
  ['HighLatency on web in shop. Firing since 02:14 UTC, flapping: 4 times in 24 h.',
    'Flapping: 4 times in 24 h.'],
  ['HighLatency on web in shop: back to 1 s after a peak of 2 s. Recovered 10:20 UTC after 1 min.',
    'Back to 1 s after a peak of 2 s.'],
  ['HighLatency on web in shop: 2. Recovered 10:20 UTC after 1.5 h.', '2.'],
  ['HighLatency on web in shop: 2. Resolved 10:20 UTC after 1.5 h.', '2.'],
  ['web in shop: Requests are slow. Firing since 02:14 UTC.', 'Requests are slow.'],
  ['Requests are slow. Firing since 19 Nov 02:14 UTC. Its analysis failed: memory.',
    'Requests are slow. Its analysis failed: memory.'],
  ['HighLatencyOfAll on web in shop: 1', 'HighLatencyOfAll on web in shop: 1'],
  ['It stopped 02:14 UTC after 3 d.', 'It stopped 02:14 UTC after 3 d.'],
];

for (const [headline, short] of headlines) {
  test(`shortHeadline() leaves "${short}" of "${headline}"`, () => {
    assert.equal(shortHeadline(headline, beside), short);
  });
}

test('shortHeadline() removes only what is shown next to it', () => {
  const headline = 'HighLatency on web in shop: 1.9 s.';
  assert.equal(shortHeadline(headline, { name: 'Other', place: '' }), headline);
  assert.equal(shortHeadline('Down in shop: 0.', { name: 'Down', place: 'in shop' }), '0.');
  assert.equal(shortHeadline('Down: 0.', { name: 'Down', place: '' }), '0.');
});

test('shortHeadline() of a report is the value alone', async () => {
  const { verdict } = await shopReport();
  assert.equal(shortHeadline(verdict.headline, beside), '1.01 s, 2× its threshold of 500 ms.');
});
