/** The copy buttons, in a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleNotification } from '../../scripts/samples.ts';
import { startPages } from '../support/browser/served-pages.ts';
import { assertQuiet } from '../support/browser/visits.ts';
import { freshReport, watchPages } from '../support/browser/watched-pages.ts';

const { served, open } = watchPages(startPages);

test('a copy button copies the text it belongs to', async (t) => {
  const { path } = await freshReport(served());
  const page = await open(t, path, { clipboardOf: served().url });
  const source = await page.evaluate<string>(`(() => {
    const buttons = [...document.querySelectorAll('button[data-copy-from]')];
    const button = buttons.find((each) => each.checkVisibility());
    return document.getElementById(button.dataset.copyFrom).textContent;
  })()`);
  await page.click('button[data-copy-from]');
  await page.until('the word of it', '/Copied/.test(document.querySelector("main").innerText)');
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), source);
  await assertQuiet(page);
});

test('the whole report can be copied as Markdown', async (t) => {
  const { path } = await freshReport(served());
  const page = await open(t, path, { clipboardOf: served().url });
  await page.click('.more summary');
  await page.click('button[data-copy-report]');
  await page.until('the word of it', '/Copied/.test(document.querySelector("main").innerText)');
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  assert.match(copied, /^# .*CheckoutLatencyHigh/m);
  await assertQuiet(page);
});

test('the copied report is the one shown, even if its alert has a newer episode', async (t) => {
  const { path, number } = await freshReport(served());
  const page = await open(t, path, { clipboardOf: served().url });
  const { post } = served();
  await post(sampleNotification('resolved', number, Date.now()));
  await post(sampleNotification('firing', number, Date.now() + 120_000));
  await page.until('the note on the newer one', 'document.querySelector(".newer") !== null');
  await page.until('the end', '/resolved/i.test(document.querySelector("main header").innerText)');
  await page.click('.more summary');
  await page.click('button[data-copy-report]');
  await page.until('the word of it', '/Copied/.test(document.querySelector("main").innerText)');
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  assert.match(copied, new RegExp(`${path}/1>`));
});
