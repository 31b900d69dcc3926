/** Pages that are open while what they tell of changes, in a browser. */
import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import { sampleNotification } from '../../scripts/samples.ts';
import { fingerprintOf } from '../../src/alert/fingerprint.ts';
import type { BrowserPage, PageOptions } from '../support/browser-page.ts';
import { startChromium, type Chromium } from '../support/chromium.ts';
import { faults, startFakeSource } from '../support/fake-source.ts';
import { freePort, temporaryDirectory } from '../support/programs.ts';
import { startAnalyst, unlimited } from '../support/running-analyst.ts';
import { assertQuiet, visit } from '../support/visits.ts';

const undo: (() => Promise<void> | void)[] = [];
let chromium: Chromium;
/** A service whose Prometheus never answers: every analysis takes as long as it may. */
let slowUrl: string;
let quickUrl: string;

before(async () => {
  const cleanup = { after: (step: () => Promise<void> | void) => void undo.unshift(step) };
  chromium = await startChromium(cleanup);
  const source = await startFakeSource(cleanup, faults.silent);
  const start = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const dataDirectory = temporaryDirectory(cleanup, 'data');
    const analyst = await startAnalyst({ dataDirectory, env: { ...unlimited, ...env } });
    cleanup.after(() => analyst.program.stop());
    return analyst.url;
  };
  slowUrl = await start({ PROMETHEUS_URL: source.url });
  quickUrl = await start({});
});

after(async () => {
  for (const step of undo) await step();
});

interface Change {
  readonly name: string;
  readonly status?: 'firing' | 'resolved';
}

/** Posts one alert; its name is all that tells it from others. */
async function post(url: string, { name, status = 'firing' }: Change): Promise<string> {
  const labels = { alertname: name, severity: 'warning' };
  const now = Date.now();
  const endsAt = status === 'resolved' ? { endsAt: new Date(now).toISOString() } : {};
  const response = await fetch(`${url}/webhook`, {
    method: 'POST',
    body: JSON.stringify({
      version: '4', status,
      alerts: [{
        status, labels, annotations: { summary: `${name} is there` },
        startsAt: new Date(now - 60_000).toISOString(), ...endsAt,
      }],
    }),
  });
  assert.equal(response.status, 200);
  return pathOf(name);
}

function pathOf(name: string): string {
  return `/report/${fingerprintOf({ alertname: name, severity: 'warning' })}`;
}

/** Opens a page and marks it, so that another page in its place would be told from it. */
async function openMarked(
  t: TestContext,
  url: string,
  options: PageOptions = {},
): Promise<BrowserPage> {
  const page = await visit({ chromium, cleanup: t }, url, options);
  await page.evaluate('window.__marked = true');
  return page;
}

async function assertSamePage(page: BrowserPage): Promise<void> {
  assert.equal(await page.evaluate('window.__marked'), true, 'the page was not loaded again');
  await assertQuiet(page);
}

/** What can be read of the report, but for times that pass. */
async function readMain(page: BrowserPage): Promise<string[]> {
  const text = await page.evaluate<string>('document.querySelector("main").innerText');
  return text.split('\n').map((line) => line.replace(/\d+ (s|min)( \d+ s)?\b/g, 'a while').trim())
    .filter((line) => line !== '');
}

test('a report that is being made becomes the finished one by itself', async (t) => {
  const url = slowUrl + await post(slowUrl, { name: 'Slow' });
  const page = await openMarked(t, url);
  assert.match(await page.evaluate<string>('document.body.innerText'), /analys/i);
  await page.until('the report', 'document.querySelector("main progress") === null');
  await assertSamePage(page);
  const again = await visit({ chromium, cleanup: t }, url);
  assert.deepEqual(await readMain(page), await readMain(again));
});

test('a page that waits for an alert becomes its report', async (t) => {
  const page = await openMarked(t, quickUrl + pathOf('Awaited'));
  assert.match(await page.evaluate<string>('document.title'), /^Waiting/);
  await post(quickUrl, { name: 'Awaited' });
  await page.until('the report', 'document.querySelector("h1")?.textContent.includes("Awaited")');
  await assertSamePage(page);
});

test('a page that waits becomes its report without scripts, too', async (t) => {
  const address = quickUrl + pathOf('Plain');
  const page = await visit({ chromium, cleanup: t }, address, { script: false });
  await post(quickUrl, { name: 'Plain' });
  await page.until('the report', 'document.querySelector("h1")?.textContent.includes("Plain")');
});

test('an open report says that its alert has ended, and leaves the reader in peace', async (t) => {
  const url = quickUrl + await post(quickUrl, { name: 'Ended' });
  const page = await openMarked(t, url);
  await page.until('the report', 'document.querySelector("main progress") === null');
  await page.evaluate('scrollTo(0, 300), [...document.links].at(-1).focus({preventScroll:true})');
  const focused = 'document.activeElement.getAttribute("href")';
  const [top, link] = [await page.evaluate<number>('scrollY'), await page.evaluate(focused)];
  await post(quickUrl, { name: 'Ended', status: 'resolved' });
  await page.until('the end', '/resolved/i.test(document.querySelector("main header").innerText)');
  assert.equal(await page.evaluate(focused), link);
  const moved = Math.abs((await page.evaluate<number>('scrollY')) - top);
  assert.ok(moved < 300, `the window moved by ${moved} pixels`);
  await assertSamePage(page);
});

test('the list shows an alert that comes while it is open', async (t) => {
  await post(quickUrl, { name: 'EarlierThanTheList' });
  const page = await openMarked(t, `${quickUrl}/`);
  await post(quickUrl, { name: 'LaterThanTheList' });
  await page.until('the alert', 'document.body.innerText.includes("LaterThanTheList")');
  await assertSamePage(page);
});

test('the first alert takes the place of the first steps', async (t) => {
  const analyst = await startAnalyst({ dataDirectory: temporaryDirectory(t, 'data') });
  t.after(() => analyst.program.stop());
  const page = await openMarked(t, `${analyst.url}/`);
  const body = JSON.stringify(sampleNotification('firing', 1, Date.now()));
  await fetch(`${analyst.url}/webhook`, { method: 'POST', body });
  await page.until('the alert', 'document.body.innerText.includes("CheckoutLatencyHigh")');
});

test('an open page says that the service is away, and goes on when it is back', async (t) => {
  const options = {
    dataDirectory: temporaryDirectory(t, 'data'), port: await freePort(), env: unlimited,
  };
  const first = await startAnalyst(options);
  const path = await post(first.url, { name: 'Outlives' });
  const page = await openMarked(t, first.url + path);
  await page.until('the report', 'document.querySelector("main progress") === null');
  await first.program.stop();
  await page.until('the word of it', '/connection lost/i.test(document.body.innerText)');
  const second = await startAnalyst(options);
  t.after(() => second.program.stop());
  await post(second.url, { name: 'Outlives', status: 'resolved' });
  await page.until('the end', '/resolved/i.test(document.querySelector("main header").innerText)');
  await page.until('the word to go', '!/connection lost/i.test(document.body.innerText)');
  assert.equal(await page.evaluate('window.__marked'), true, 'the page was not loaded again');
});
