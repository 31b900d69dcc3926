/** Buttons that copy, in a browser. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sampleNotification } from '../../scripts/samples.ts';
import { startChromium, type Chromium } from '../support/chromium.ts';
import { startPages, type ServedPages } from '../support/served-pages.ts';
import { assertQuiet, visit } from '../support/visits.ts';

const undo: (() => Promise<void> | void)[] = [];
let chromium: Chromium;
let service: ServedPages;

before(async () => {
  const cleanup = { after: (step: () => Promise<void> | void) => void undo.unshift(step) };
  chromium = await startChromium(cleanup);
  service = await startPages(cleanup);
});

after(async () => {
  for (const step of undo) await step();
});

let lastNumber = 0;

/** The address of the report on an alert that no other test looks at. */
async function freshReport(): Promise<string> {
  lastNumber += 1;
  const [path] = await service.post(sampleNotification('firing', lastNumber, Date.now()));
  return `${service.url}${path}`;
}

test('a copy button copies what it stands beside', async (t) => {
  const clipboardOf = service.url;
  const page = await visit({ chromium, cleanup: t }, await freshReport(), { clipboardOf });
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

test('the whole report is copied for a chat', async (t) => {
  const clipboardOf = service.url;
  const page = await visit({ chromium, cleanup: t }, await freshReport(), { clipboardOf });
  await page.click('button[data-copy-report=md]');
  await page.until('the word of it', '/Copied/.test(document.querySelector("main").innerText)');
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  assert.match(copied, /^# .*CheckoutLatencyHigh/m);
  await assertQuiet(page);
});
