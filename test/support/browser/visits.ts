import assert from 'node:assert/strict';
import type { Cleanup } from '../cleanup.ts';
import type { BrowserPage, NewPageOptions } from './browser-page.ts';
import type { Chromium } from './chromium.ts';
import { pageProblems } from './page-checks.ts';
import { contrastProblems } from './page-contrast.ts';
import { takeSnapshot } from './page-snapshot.ts';

/** Opens an address in a new page. */
export async function visit(
  { chromium, cleanup }: { readonly chromium: Chromium; readonly cleanup: Cleanup },
  url: string,
  options: NewPageOptions = {},
): Promise<BrowserPage> {
  const page = await chromium.open(cleanup, options);
  await page.goto(url);
  return page;
}

/** Opens every `details` on the page. */
export async function unfold(page: BrowserPage): Promise<void> {
  await page.evaluate('document.querySelectorAll("details").forEach((each) => each.open = true)');
}

/** Asserts that a page has no problems: folded and unfolded, light and dark. */
export async function assertInOrder(page: BrowserPage): Promise<void> {
  const { viewport } = page;
  const assertNone = (problems: Iterable<string>, how: string): void => {
    const where = `${viewport.width} pixels wide, ${how}`;
    assert.deepEqual([...problems].map((problem) => `${where}: ${problem}`), []);
  };
  await page.show({ viewport, scheme: 'light' });
  assertNone(pageProblems(await takeSnapshot(page)), 'as loaded');
  await unfold(page);
  assertNone(pageProblems(await takeSnapshot(page)), 'unfolded');
  await page.show({ viewport, scheme: 'dark' });
  assertNone(contrastProblems(await takeSnapshot(page)), 'dark');
  await assertQuiet(page);
}

/** Asserts that the browser reported no problem, and requested nothing from anywhere else. */
export async function assertQuiet(page: BrowserPage): Promise<void> {
  const address = await page.evaluate<string>('location.href');
  const { origin } = new URL(address);
  // The browser logs the 404 of a page as if a request had failed.
  const isStatus = (text: string): boolean =>
    /^network error: .* status of 404 /.test(text) && text.endsWith(address);
  const { complaints, dialogs, requests } = page.record;
  assert.deepEqual(complaints.filter((text) => !isStatus(text)), []);
  assert.deepEqual(dialogs, []);
  const isOwn = (url: string): boolean => url.startsWith(`${origin}/`) || url.startsWith('data:');
  assert.deepEqual(requests.filter((url) => !isOwn(url)), []);
}
