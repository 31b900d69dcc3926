import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatQuantity } from '../../src/lib/quantity.ts';
import { markupText, unbroken } from '../../src/report/html.ts';
import { brokenAnywhere } from '../support/broken-anywhere.ts';
import { cpuTimer } from '../support/cpu-timer.ts';

test('a number stays on one line with its unit, in elements that leave the text as it is', () => {
  for (const [value, unit] of [
    [0.0299, 'seconds'], [4000, 'seconds'], [0.82, 'ratio'], [3.4e9, 'bytes'], [-5.5, 'celsius'],
    [0.25, 'cores'], [1e6, 'bytes_per_second'], [1e7, 'bits_per_second'], [2100, 'per_second'],
  ] as const) {
    const shown = formatQuantity(value, unit);
    const markup = markupText(unbroken(`it fell (${shown}) from ${shown}, then ${shown}.`));
    const bare = markup.replaceAll(/<span class="whole">([^<]*)<\/span>/g, '');
    assert.doesNotMatch(bare, /\d \S/, shown);
    assert.equal(brokenAnywhere(markup), `it fell (${shown}) from ${shown}, then ${shown}.`);
  }
  const others = ['web-1 in shop', '02:14:05', '3 of 7', '40 sessions', '1 had', 'web-1 s', '1'];
  for (const text of others) {
    assert.equal(markupText(unbroken(text)), text);
  }
});

test('unbroken() takes no longer for a text without a space', () => {
  const cpuMs = cpuTimer();
  for (let round = 0; round < 1000; round += 1) unbroken('1'.repeat(2000));
  const took = cpuMs();
  assert.ok(took < 2000, `${took} ms`);
});
