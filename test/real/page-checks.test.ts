/** The checks of pages find the problems that they are meant to find. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { viewports } from '../support/browser/browser-page.ts';
import { startChromium } from '../support/browser/chromium.ts';
import { pageProblems } from '../support/browser/page-checks.ts';
import { keyboardProblems } from '../support/browser/page-keyboard.ts';
import { takeSnapshot } from '../support/browser/page-snapshot.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { eventually } from '../support/programs/programs.ts';

const blank = forAllTests(async (cleanup) => {
  const chromium = await startChromium(cleanup);
  return chromium.open(cleanup, { viewport: viewports.phone });
});

const wide = '<p style="width:600px">x</p>';

/** The content of the page, and the problem found in it. */
const faults: readonly (readonly [body: string, problem: RegExp])[] = [
  ['<h1>a second</h1>', /^2 headings of the first level$/],
  ['<h3>c</h3>', /^<h3 "c"> follows a heading of level 1$/],
  ['<main>b</main>', /^2 landmarks of the role main$/],
  ['<nav>a</nav><nav>b</nav>', /^landmarks of the role navigation cannot be told apart/],
  ['<a href="http://x.example"><svg width="30" height="30"></svg></a>', /^<a> has no name$/],
  ['<button><span aria-hidden="true">×</span></button>', /^<button> has no name$/],
  ['<input type="search">', /^<input> has no name$/],
  ['<svg role="img" width="9" height="9"></svg>', /^<svg> has no name$/],
  ['<p aria-hidden="true"><a href="#a">a</a></p>', /^<a> is hidden, yet interactive$/],
  ['<a href="#a" tabindex="2">a</a>', /^<a "a"> jumps the tab order$/],
  ['<p id="a">again</p>', /^two elements have the id a$/],
  ['<a href="#b">b</a>', /^<a "b"> leads to #b, which is not on the page$/],
  ['<ul aria-labelledby="c"></ul>', /^<ul>: aria-labelledby names no c$/],
  ['<p style="color:#999">faint</p>', /^<p> has a contrast of 2.85, not 4.5: /],
  ['<p style="color:#949494;font-size:24px">large</p>', /^0 problems$/],
  ['<p style="opacity:.4">faded</p>', /^<p> has a contrast of 2.85, not 4.5: /],
  ['<div style="background:#888"><p style="background:#fff8">a</p></div>', /^0 problems$/],
  ['<svg width="99" height="30"><text y="20" fill="#ccc">a</text></svg>', /has a contrast of 1.61/],
  [wide, /^600 pixels wide in a window of 390$/],
  [`<div style="overflow:auto">${wide}</div>`, /^0 problems$/],
  ['<p style="width:3em;overflow:hidden;white-space:nowrap">cut off on the right</p>',
    /^<p> shows 48×\d+ of its \d+×\d+ pixels$/],
  [`<details><summary>a</summary>${wide}</details>`, /^0 problems$/],
  [`<details open><summary>a</summary>${wide}</details>`, /^600 pixels wide/],
  ['<p>one over</p><p style="position:relative;top:-2em">another</p>', /^<p> and <p> overlap: /],
  ['<p><button style="font-size:6px">a</button><button style="font-size:6px">b</button></p>',
    /^<button "a"> is \d+×\d+ pixels, with another close$/],
];

function pageOf(body: string): string {
  const page = `<!doctype html><html lang="en"><title>Test</title>
    <meta name="viewport" content="width=device-width"><body style="font:16px/1.5 serif;margin:0">
    <main><h1 id="a">Test</h1>${body}</main><footer>End</footer></html>`;
  return `data:text/html;charset=utf-8,${encodeURIComponent(page)}`;
}

for (const [body, problem] of faults) {
  test(`pageProblems finds ${problem.source} in ${body}`, async () => {
    const page = blank();
    await page.goto(pageOf(body));
    const problems = pageProblems(await takeSnapshot(page));
    if (problems.length === 0) problems.push('0 problems');
    assert.ok(problems.some((each) => problem.test(each)), problems.join('\n'));
  });
}

test('pageProblems finds that an empty page has no language, title and viewport', async () => {
  const page = blank();
  await page.goto('data:text/html,nothing');
  assert.deepEqual(pageProblems(await takeSnapshot(page)).slice(0, 3), [
    'the document names no language', 'the document has no title',
    'the page is not made for a phone',
  ]);
});

const ways: readonly (readonly [body: string, problem: RegExp])[] = [
  ['<a href="#a" style="outline:none">a</a>', /^the focus is not visible on <a href/],
  ['<a href="#a" tabindex="2">a</a><a href="#a" tabindex="1">b</a>', /^the focus goes back to <a/],
  ['<a href="#a" style="position:fixed;left:-99px">a</a>', /^the focus is outside the window on/],
  ['<a href="#a" onblur="this.focus()">a</a><a href="#a">b</a>', /^the focus (stays on|goes back)/],
  ['<p>nothing</p>', /^nothing can be focused$/],
];

for (const [body, problem] of ways) {
  test(`keyboardProblems finds ${problem.source}`, async () => {
    const page = blank();
    await page.goto(pageOf(`<style>:focus{outline:3px solid}</style>${body}`));
    assert.match((await keyboardProblems(page)).join('\n'), new RegExp(problem.source, 'm'));
  });
}

test('a page record holds messages, exceptions, dialogs and requests', async () => {
  const page = blank();
  page.record.clear();
  await page.goto(pageOf(`<script>
    console.warn('careful', 1); setTimeout(() => { throw new Error('thrown') });
    setTimeout(() => alert('a dialog'), 50); new Image().src = 'http://127.0.0.1:49/picture.png';
  </script>`));
  const said = [/^console warning: careful 1$/, /^exception: .*thrown/, /^network .*picture\.png$/];
  const { record } = page;
  await eventually('everything to be said', () => {
    const isSaid = said.every((expected) => record.complaints.some((text) => expected.test(text)));
    return isSaid && record.dialogs.length > 0 ? true : null;
  });
  assert.deepEqual(record.dialogs, ['a dialog']);
  assert.ok(record.requests.includes('http://127.0.0.1:49/picture.png'));
});
