/** The list of alerts in a browser: search, filters and keyboard. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleNotification } from '../../scripts/samples.ts';
import { viewports, type BrowserPage } from '../support/browser/browser-page.ts';
import { startPages } from '../support/browser/served-pages.ts';
import { assertInOrder, assertQuiet } from '../support/browser/visits.ts';
import { watchPages } from '../support/browser/watched-pages.ts';

const { open } = watchPages(async (cleanup) => {
  const service = await startPages(cleanup);
  for (const name of ['group', 'unicode', 'firing'] as const) {
    await service.post(sampleNotification(name, 1, Date.now()));
  }
  await service.post(sampleNotification('firing', 2, Date.now()));
  await service.post(sampleNotification('resolved', 2, Date.now()));
  return service;
});

/** The names of the rows, in order. */
function rowsOf(page: BrowserPage): Promise<string[]> {
  return page.evaluate('[...document.querySelectorAll("[data-row] h3")].map((h) => h.innerText)');
}

/** The row whose link has the focus; -1 for none. */
function selectedRow(page: BrowserPage): Promise<number> {
  return page.evaluate(`[...document.querySelectorAll('[data-row]')]
    .findIndex((row) => row.contains(document.activeElement))`);
}

test('a search filters the list, is part of the address, and can be cleared', async (t) => {
  const page = await open(t, '/');
  const all = await rowsOf(page);
  assert.ok(all.length >= 3, all.join());
  await page.press('/');
  await page.type('checkout');
  await page.press('Enter');
  await page.untilLoaded('what was found', 'location.search.startsWith("?text=checkout")');
  const found = await rowsOf(page);
  assert.ok(found.length > 0 && found.length < all.length, found.join());
  for (const name of found) assert.match(name, /Checkout/);
  await assertInOrder(page);
  await page.click('.actions a');
  await page.untilLoaded('everything', 'location.search === ""');
  assert.deepEqual(await rowsOf(page), all);
});

for (const [way, leave] of [
  ['Escape', (page: BrowserPage) => page.press('Escape')],
  ['a click elsewhere', (page: BrowserPage) => page.click('h1')],
] as const) {
  test(`${way} does not submit a search`, async (t) => {
    const page = await open(t, '/');
    await page.evaluate('void (window.isSame = true)');
    await page.press('/');
    await page.type('checkout');
    await leave(page);
    await page.evaluate('new Promise((done) => setTimeout(done, 300))');
    assert.equal(await page.evaluate('window.isSame && location.search'), '');
  });
}

test('a chosen filter applies at once, and the address contains nothing else', async (t) => {
  const page = await open(t, '/');
  await page.click('#filter summary');
  await page.evaluate(`(() => {
    const field = document.querySelector('select[name=severity]');
    field.value = 'critical';
    field.dispatchEvent(new Event('change', { bubbles: true }));
  })()`);
  await page.untilLoaded('the address', 'location.search === "?severity=critical"');
  await assertQuiet(page);
});

test('rows are aligned with their heading', async (t) => {
  for (const viewport of Object.values(viewports)) {
    const page = await open(t, '/', { viewport });
    const [heading, row] = await page.evaluate<number[]>(`['#open h2', '[data-row] .cell'].map(
      (each) => document.querySelector(each).getBoundingClientRect().left)`);
    assert.equal(row, heading, `${viewport.width}`);
  }
});

test('a desk shows thirty alerts, each on a line', async (t) => {
  const page = await open(t, '/', { viewport: viewports.desk });
  const fitting = await page.evaluate<number>(`(() => {
    const list = document.querySelector('#open .list');
    const row = list.querySelector('.row:not(:has(details))');
    list.replaceChildren(...Array.from({ length: 40 }, () => row.cloneNode(true)));
    return [...list.children].filter((each) =>
      each.getBoundingClientRect().bottom <= innerHeight).length;
  })()`);
  assert.ok(fitting >= 30, `${fitting}`);
});

test('the list marks what is new since the reader looked, and counts it', async (t) => {
  const page = await open(t, '/');
  assert.equal(await page.evaluate('document.querySelector("#since-seen")'), null);
  // After the script, which sets it to the present.
  await page.evaluate(`['pagehide', 'visibilitychange'].forEach((type) =>
    addEventListener(type, () => localStorage.setItem('alerts-seen', '1000')))`);
  await page.evaluate('void location.reload()');
  await page.until('the count', '/[1-9] new since/.test(document.body.innerText)');
  const rows = await page.evaluate<number>('document.querySelectorAll("[data-row]").length');
  assert.equal(await page.evaluate('document.querySelectorAll(".row .new").length'), rows);
});

test('a filter works by address and without scripts', async (t) => {
  const scripted = await open(t, '/?state=ended');
  const plain = await open(t, '/?state=ended', { script: false });
  const rows = await rowsOf(scripted);
  assert.deepEqual(rows.map((name) => name.trim()), ['CheckoutLatencyHigh']);
  assert.deepEqual(await rowsOf(plain), rows);
});

test('a filter that matches nothing says so and links back', async (t) => {
  const page = await open(t, '/?text=thereisnosuchthing', { viewport: viewports.narrow });
  assert.match(await page.evaluate<string>('document.body.innerText'), /no .*matches this filter/i);
  await assertInOrder(page);
});

test('keys move from alert to alert and open one', async (t) => {
  const page = await open(t, '/');
  await page.press('j');
  assert.equal(await selectedRow(page), 0);
  await page.press('j');
  assert.equal(await selectedRow(page), 1);
  await page.press('k');
  assert.equal(await selectedRow(page), 0);
  await page.press('k');
  assert.equal(await selectedRow(page), 0);
  const address = await page.evaluate<string>('document.activeElement.href');
  await page.press('Enter');
  await page.untilLoaded('the page of it', `location.href === ${JSON.stringify(address)}`);
  await assertQuiet(page);
});

test('keys typed into a field are only text', async (t) => {
  const page = await open(t, '/');
  await page.press('/');
  await page.type('jk?o');
  const value = 'document.querySelector("input[name=text]").value';
  assert.equal(await page.evaluate(value), 'jk?o');
});

test('the help on keys opens, blocks other keys, and closes', async (t) => {
  const page = await open(t, '/', { viewport: viewports.phone });
  await page.press('?');
  await page.until('the keys', 'document.querySelector("dialog[open]") !== null');
  await page.press('j');
  await page.press('Escape');
  await page.until('the keys to go', 'document.querySelector("dialog[open]") === null');
  assert.equal(await selectedRow(page), -1);
  await assertQuiet(page);
});
