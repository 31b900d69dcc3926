/** Every kind of page in a real browser: phone and desktop width, light and dark. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { viewports } from '../support/browser/browser-page.ts';
import { pageProblems } from '../support/browser/page-checks.ts';
import { keyboardProblems } from '../support/browser/page-keyboard.ts';
import { takeSnapshot } from '../support/browser/page-snapshot.ts';
import { startKnownPages, type KnownPages } from '../support/browser/served-pages.ts';
import { assertInOrder, unfold } from '../support/browser/visits.ts';
import { watchPages } from '../support/browser/watched-pages.ts';

const kinds = ['report', 'resolved', 'list', 'incident', 'waiting', 'lost'] as const;
const bytesMax = 150_000;
const sheetsMax = 2;
/** On a phone, whose window is 844 pixels high; between runs a few lines come and go. */
const heightMax = 6_500;
const deskHeightMax = 4_000;

const { served, open } = watchPages(startKnownPages);

/** The path and the address of a kind of page. */
function placeOf(kind: keyof KnownPages): { readonly path: string; readonly address: string } {
  const { url, pages } = served();
  return { path: pages[kind], address: url + pages[kind] };
}

for (const kind of kinds) {
  test(`the ${kind} page is in order in every window, light and dark`, async (t) => {
    const page = await open(t, placeOf(kind).path);
    for (const viewport of Object.values(viewports)) {
      await page.show({ viewport });
      await page.goto(placeOf(kind).address);
      await assertInOrder(page);
    }
  });

  test(`the ${kind} page can be used with the keyboard`, async (t) => {
    assert.deepEqual(await keyboardProblems(await open(t, placeOf(kind).path)), []);
  });

  test(`the ${kind} page is small, and without scripts requests nothing else`, async (t) => {
    const response = await fetch(placeOf(kind).address, { headers: { accept: 'text/html' } });
    const { byteLength } = await response.arrayBuffer();
    assert.ok(byteLength < bytesMax, `${byteLength} bytes`);
    const { record: { requests } } = await open(t, placeOf(kind).path, { script: false });
    assert.deepEqual(requests.filter((each) => !each.startsWith('data:')), [placeOf(kind).address]);
  });
}

test('a report has the same text with and without scripts', async (t) => {
  const text = 'document.body.innerText';
  const [scripted, plain] = await Promise.all([true, false].map(async (script) => {
    const page = await open(t, placeOf('report').path, { script });
    await unfold(page);
    // Buttons that need scripts are not shown without them.
    await page.evaluate(
      'document.querySelectorAll(".scripted-only").forEach((each) => each.remove())');
    return page.evaluate<string>(text);
  }));
  for (const line of (scripted ?? '').split('\n')) {
    if (/\d\d:\d\d:\d\d| ago|Firing for/.test(line)) continue;
    assert.ok(plain?.includes(line.trim()), `without scripts is missing: ${line}`);
  }
});

test('times are in the time zone of the reader, also in charts', async (t) => {
  const page = await open(t, placeOf('report').path, { timeZone: 'Asia/Kolkata' });
  await page.goto(placeOf('report').address);
  await unfold(page);
  assert.doesNotMatch(await page.evaluate('document.querySelector("main").innerText'), /UTC/);
  const labels = await page.evaluate<string[]>(
    '[...document.querySelectorAll(".chart text")].map((each) => each.textContent)',
  );
  assert.ok(labels.includes('+5:30') && !labels.includes('UTC'), labels.join());
});

for (const kind of ['report', 'resolved', 'list', 'incident'] as const) {
  test(`times of last year fit into the ${kind} page in a far time zone`, async (t) => {
    const page = await open(t, placeOf(kind).path);
    for (const viewport of [viewports.narrow, viewports.desk]) {
      await page.show({ viewport, timeZone: 'Asia/Kolkata' });
      await page.goto(placeOf(kind).address);
      await unfold(page);
      await page.evaluate(`(() => {
        const times = document.querySelectorAll('time:not([data-age])');
        for (const each of times) each.dateTime = '2025-11-20T01:14:10Z';
        document.body.dispatchEvent(new Event('pagechange', { bubbles: true }));
      })()`);
      assert.match(await page.evaluate('document.body.innerText'), /20 Nov 2025 06:44 GMT\+5:30/);
      assert.deepEqual(pageProblems(await takeSnapshot(page)), []);
    }
  });
}

test('charts label midnight in the time zone of the reader with the date', async (t) => {
  const page = await open(t, placeOf('report').path, { timeZone: 'Asia/Kolkata' });
  const said = await page.evaluate<string[]>(`(() => {
    const labels = [...document.querySelectorAll('.chart text[data-at]:not([data-zone])')];
    labels[0].dataset.at = Date.parse('2026-11-21T18:30:00Z') / 1000;
    labels[1].dataset.at = Date.parse('2026-11-22T00:00:00Z') / 1000;
    document.body.dispatchEvent(new Event('pagechange', { bubbles: true }));
    return labels.slice(0, 2).map((label) => label.textContent);
  })()`);
  assert.deepEqual(said, ['22 Nov', '05:30']);
});

test('a printed report takes few sheets', async (t) => {
  const page = await open(t, placeOf('report').path, { viewport: viewports.phone, scheme: 'dark' });
  const sheets = await page.print();
  assert.ok(sheets >= 1 && sheets <= sheetsMax, `${sheets} sheets`);
});

test('a print is dark on light, even from a dark screen', async (t) => {
  const page = await open(t, placeOf('report').path, { scheme: 'dark', media: 'print' });
  const problems = pageProblems(await takeSnapshot(page));
  assert.deepEqual(problems.filter((problem) => problem.includes('contrast')), []);
});

test('a print names the folds it leaves out, but no controls', async (t) => {
  const page = await open(t, placeOf('report').path, { media: 'print' });
  const summaries = await page.evaluate<string[]>(`[...document.querySelectorAll('summary')]
    .filter((each) => each.offsetHeight > 0).map((each) => each.innerText)`);
  assert.ok(summaries.some((each) => each.endsWith('checked, no notable change')));
  assert.ok(summaries.some((each) => each.startsWith('Updated ')));
  assert.deepEqual(summaries.filter((each) => /Numbers|Silence|Rate|received/.test(each)), []);
});

test('on a phone a report is short and begins with what matters', async (t) => {
  const page = await open(t, placeOf('report').path, { viewport: viewports.phone });
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  assert.ok(height < heightMax, `${height} pixels`);
  for (const part of ['h1', '.since', '#reality svg', '.cause', '.first']) {
    const end = await page.evaluate<number>(
      `document.querySelector('${part}').getBoundingClientRect().bottom`);
    assert.ok(end > 0 && end <= viewports.phone.height, `${part} ends at ${end}`);
  }
});

test('a desktop has the story at the left and the curves at the right', async (t) => {
  const page = await open(t, placeOf('report').path);
  const boxOf = (selector: string): Promise<Record<'bottom' | 'left' | 'right', number>> =>
    page.evaluate(`document.querySelector('${selector}').getBoundingClientRect().toJSON()`);
  const [story, chart] = [await boxOf('#story'), await boxOf('#reality figure')];
  assert.ok(chart.left > story.right, `${chart.left} > ${story.right}`);
  assert.ok(chart.bottom <= viewports.desk.height, `the chart ends at ${chart.bottom}`);
  assert.ok(chart.right > 0.95 * viewports.desk.width && story.left < 0.05 * viewports.desk.width);
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  assert.ok(height < deskHeightMax, `${height} pixels`);
});

test('all curves begin and end at the same place, so that they can be compared', async (t) => {
  for (const viewport of [viewports.phone, viewports.desk]) {
    const page = await open(t, placeOf('report').path, { viewport });
    const edges = await page.evaluate<string[]>(`[...document.querySelectorAll('.plot')]
      .map((each) => each.parentElement.getBoundingClientRect())
      .map(({ left, right }) => Math.round(left) + ' ' + Math.round(right))`);
    assert.ok(edges.length > 2);
    assert.equal(new Set(edges).size, 1, edges.join());
  }
});

test('the pointer over one curve shows the values of all at that moment', async (t) => {
  const page = await open(t, placeOf('report').path);
  await page.evaluate(`(() => {
    const plot = document.querySelector('#reality svg');
    const { left, width, top } = plot.getBoundingClientRect();
    const at = { clientX: left + width * 0.9, clientY: top + 60, bubbles: true };
    plot.dispatchEvent(new PointerEvent('pointermove', at));
  })()`);
  const read = await page.evaluate<string[]>(
    '[...document.querySelectorAll(".reading")].map((each) => each.textContent)');
  assert.equal(read.length, await page.evaluate('document.querySelectorAll(".plot").length'));
  const [time = ''] = read.map((text) => text.split(' · ')[0]);
  assert.match(time, /^\d\d:\d\d:\d\d$/);
  assert.ok(read.every((text) => text.startsWith(time)), read.join());
  assert.ok(read.filter((text) => / · [\d.]+/.test(text)).length > 1, read.join());
});

for (const script of [true, false]) {
  const how = script ? 'with' : 'without';
  test(`the curves show the start, and on demand all, ${how} scripts`, async (t) => {
    const page = await open(t, placeOf('report').path, { script });
    const shown = (part: string): Promise<boolean> =>
      page.evaluate(
        `getComputedStyle(document.querySelector('.plot .${part}')).display !== 'none'`);
    assert.deepEqual([await shown('near'), await shown('far')], [true, false]);
    await page.click('#far');
    assert.deepEqual([await shown('near'), await shown('far')], [false, true]);
  });
}

test('what is needed less often is folded', async (t) => {
  const seen = `document.querySelector('[data-print]').checkVisibility({
    contentVisibilityAuto: true }) && document.querySelector('[data-print]').offsetHeight > 0`;
  const page = await open(t, placeOf('report').path, { viewport: viewports.phone });
  assert.equal(await page.evaluate(seen), false);
  await page.click('.more summary');
  assert.equal(await page.evaluate(seen), true);
});

for (const script of [true, false]) {
  const how = script ? 'with' : 'without';
  test(`a citation unfolds its evidence ${how} scripts`, async (t) => {
    const page = await open(t, placeOf('report').path, { viewport: viewports.phone, script });
    const body = `(document.querySelector('#E2 details > *:not(summary)')?.offsetHeight ?? 0) > 0`;
    const isShown = `document.querySelector('#E2 pre').checkVisibility() && ${body}`;
    assert.equal(await page.evaluate(isShown), false);
    await page.evaluate('void (location.hash = "#E2")');
    await page.until('the query of the rule', isShown);
    const top = await page.evaluate<number>('document.querySelector("#E2").offsetTop - scrollY');
    assert.ok(top >= 0 && top < viewports.phone.height, `${top}`);
    await page.goto(`${placeOf('report').address}?#E2`);
    await page.until('it again', isShown);
  });
}

test('an unknown path shows a page', async (t) => {
  const page = await open(t, '/there/is/nothing', { viewport: viewports.phone });
  assert.equal(await page.evaluate('document.querySelector("h1").innerText'), 'Not found');
  await assertInOrder(page);
});

test('a citation leads to its evidence and back leads to the citation', async (t) => {
  const page = await open(t, placeOf('report').path, { viewport: viewports.phone });
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

test('decorative characters are hidden from screen readers', async (t) => {
  const page = await open(t, placeOf('report').path);
  const { nodes } = await page.devtools.send('Accessibility.getFullAXTree', {});
  // The boxes of single lines are parts of a text, and begin wherever that is broken.
  const told = nodes.filter(({ ignored, role }) => !ignored && role?.value !== 'InlineTextBox')
    .map(({ name }) => String(name?.value ?? ''));
  assert.ok(told.some((name) => name.includes('Certainty: ')), told.join());
  assert.deepEqual(told.filter((name) => /[▸▾•·]$|^[▸▾•·]/.test(name)), []);
});

test('nothing on a page is animated', async (t) => {
  const page = await open(t, placeOf('report').path);
  const moving = await page.evaluate<number>(
    'document.getAnimations().filter((each) => each.playState === "running").length');
  assert.equal(moving, 0);
});
