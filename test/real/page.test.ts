/** Every kind of page in a real browser: on a phone and on a desk, by day and by night. */
import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import { viewports, type BrowserPage, type PageOptions } from '../support/browser-page.ts';
import { startChromium, type Chromium } from '../support/chromium.ts';
import { pageProblems } from '../support/page-checks.ts';
import { keyboardProblems } from '../support/page-keyboard.ts';
import { takeSnapshot } from '../support/page-snapshot.ts';
import { assertInOrder, unfold, visit } from '../support/visits.ts';
import { startKnownPages, type KnownPages } from '../support/served-pages.ts';

const kinds = ['report', 'resolved', 'list', 'incident', 'waiting', 'lost'] as const;
const bytesMax = 150_000;
const sheetsMax = 3;

const undo: (() => Promise<void> | void)[] = [];
let chromium: Chromium;
let url: string;
let pages: KnownPages;

before(async () => {
  const cleanup = { after: (step: () => Promise<void> | void) => void undo.unshift(step) };
  chromium = await startChromium(cleanup);
  ({ url, pages } = await startKnownPages(cleanup));
});

after(async () => {
  for (const step of undo) await step();
});

async function open(t: TestContext, path: string, options: PageOptions = {}): Promise<BrowserPage> {
  return visit({ chromium, cleanup: t }, url + path, options);
}

for (const kind of kinds) {
  test(`the ${kind} page is in order in every window, by day and by night`, async (t) => {
    const page = await open(t, pages[kind]);
    for (const viewport of Object.values(viewports)) {
      await page.show({ viewport });
      await page.goto(url + pages[kind]);
      await assertInOrder(page);
    }
  });

  test(`the ${kind} page is gone through with the keyboard`, async (t) => {
    assert.deepEqual(await keyboardProblems(await open(t, pages[kind])), []);
  });

  test(`the ${kind} page is small, and without scripts asks for nothing else`, async (t) => {
    const response = await fetch(url + pages[kind], { headers: { accept: 'text/html' } });
    const { byteLength } = await response.arrayBuffer();
    assert.ok(byteLength < bytesMax, `${byteLength} bytes`);
    const { record: { requests } } = await open(t, pages[kind], { script: false });
    assert.deepEqual(requests.filter((each) => !each.startsWith('data:')), [url + pages[kind]]);
  });
}

test('a report is read without scripts as it is with them', async (t) => {
  const text = 'document.body.innerText';
  const [scripted, plain] = await Promise.all([true, false].map(async (script) => {
    const page = await open(t, pages.report, { script });
    await unfold(page);
    // Buttons that do nothing without scripts are not there, either.
    await page.evaluate(
      'document.querySelectorAll(".scripted-only").forEach((each) => each.remove())');
    return page.evaluate<string>(text);
  }));
  for (const line of (scripted ?? '').split('\n')) {
    if (/\d\d:\d\d:\d\d| ago/.test(line)) continue;
    assert.ok(plain?.includes(line.trim()), `without scripts is missing: ${line}`);
  }
});

test('a report is printed on few sheets', async (t) => {
  const page = await open(t, pages.report, { viewport: viewports.phone, scheme: 'dark' });
  const sheets = await page.print();
  assert.ok(sheets >= 1 && sheets <= sheetsMax, `${sheets} sheets`);
});

test('a print is dark on light, whatever the screen', async (t) => {
  const page = await open(t, pages.report, { scheme: 'dark', media: 'print' });
  const problems = pageProblems(await takeSnapshot(page));
  assert.deepEqual(problems.filter((problem) => problem.includes('contrast')), []);
});

test('a citation leads to its evidence and back leads to the citation', async (t) => {
  const page = await open(t, pages.report, { viewport: viewports.phone });
  await page.click('main a[href^="#E"]');
  await page.until('the evidence to be in the window', `(() => {
    const target = document.querySelector(':target');
    const box = target?.getBoundingClientRect();
    return /^E[0-9]+$/.test(target?.id) && box.height > 0 && box.top >= 0 && box.top < innerHeight;
  })()`);
  const evidence = await page.evaluate<number>('scrollY');
  await page.evaluate('history.back()');
  await page.until('the page to be where it was', `scrollY < ${evidence} - innerHeight`);
});

test('nothing moves for those who asked for that', async (t) => {
  const page = await open(t, pages.report, { reducedMotion: true });
  const moving = await page.evaluate<number>(
    'document.getAnimations().filter((each) => each.playState === "running").length');
  assert.equal(moving, 0);
});
