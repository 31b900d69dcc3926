import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserPage } from '../support/browser/browser-page.ts';
import { startChromium } from '../support/browser/chromium.ts';
import { listenTo } from '../support/http/event-stream.ts';
import { freePort } from '../support/programs/programs.ts';
import { startAnalyst } from '../support/programs/running-analyst.ts';
import { startTestService } from '../support/programs/running-service.ts';
import { startHeldSource } from '../support/sources/held-source.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const alert = {
  labels: { alertname: 'DiskFull', namespace: 'shop', severity: 'critical' }, fingerprint: 'abc',
};

/** A page's text with relative times such as `5 min ago` replaced, because they change. */
function withoutPassingTimes(text: string): string {
  return text.replace(/\bjust now\b|(\bin )?\b\d+ (s|min)( \d+ s)?\b( ago\b)?/g, 'a while ago');
}

test('a waiting page turns into the report, and follows it until the alert ends', async (t) => {
  const source = await startHeldSource(t);
  const { url, post } = await startTestService(t, temporaryDirectory(), {
    PROMETHEUS_URL: source.url,
  });
  const page = await (await startChromium(t)).open(t);
  await page.goto(`${url}/report/abc`);
  await page.until('the page to wait', `document.title === 'Waiting for the alert'`);
  await page.until('a mark that a load would wipe out', 'window.isSame = true');

  await post([alert]);
  await page.until('its name', `document.querySelector('.place bdi')?.textContent === 'DiskFull'`);
  await page.until('a bar', `document.querySelector('#progress progress[max="5"]') !== null`);
  source.release();
  await page.until('its verdict', `document.querySelector('#progress') === null`);
  const words = `document.querySelector('.live-line + .unseen').textContent`;
  await page.until('the words', `${words} !== ''`);
  await page.until('its title', `document.title.startsWith('Firing: DiskFull')`);

  await page.until('a fold to be open', `(() => {
    const fold = [...document.querySelectorAll('details')].at(-1);
    fold.open = true;
    fold.querySelector('summary').focus();
    fold.scrollIntoView();
    window.fold = fold;
    window.top_ = fold.getBoundingClientRect().top;
    return true;
  })()`);
  await post([{ ...alert, status: 'resolved', endsAt: new Date().toISOString() }]);
  await page.until('the end', `document.title.startsWith('Resolved: DiskFull')`);
  await page.until('nothing under way', `document.querySelector('#progress') === null`);
  await page.until('the fold to be where it was, open and focused', `fold.isConnected &&
    fold.open && Math.abs(fold.getBoundingClientRect().top - top_) < 2 &&
    document.activeElement === fold.querySelector('summary')`);

  await post([{ ...alert, startsAt: new Date(Date.now() + 5_000).toISOString() }]);
  await page.until('the note', `document.querySelector('.newer a')?.href === location.href`);
  await page.until('the old one to stay', `document.title.startsWith('Resolved: DiskFull')`);
  await page.until('the same page', 'window.isSame === true');
  const complaints = page.record.complaints.filter((said) => !said.includes('404'));
  assert.deepEqual(complaints, []);
});

test('a fold stays open when the text of its summary changes', async (t) => {
  const { url, post } = await startTestService(t, temporaryDirectory(), {});
  await post([alert]);
  const page = await (await startChromium(t)).open(t);
  await page.goto(`${url}/report/abc`);
  await page.until('its verdict', `document.querySelector('#progress') === null &&
    document.querySelector('.certainty') !== null`);
  const areOpen = await page.evaluate(`(() => {
    const folds = [...document.querySelectorAll('.certainty, #provenance > details')];
    for (const fold of folds) fold.open = true;
    const next = new DOMParser().parseFromString(document.documentElement.outerHTML, 'text/html');
    for (const line of next.querySelectorAll('.certainty summary, #provenance summary')) {
      line.innerHTML = line.innerHTML.replace('inconclusive', 'likely').replace(/\\d+/g, '59');
    }
    showPage(next);
    return folds.map((fold) => fold.isConnected && fold.open);
  })()`);
  assert.deepEqual(areOpen, [true, true, true]);
});

/** What can be read of a report, but for times that pass. */
async function linesOf(page: BrowserPage): Promise<string[]> {
  const text = await page.evaluate<string>('document.querySelector("main").innerText');
  return withoutPassingTimes(text).split('\n').map((line) => line.trim())
    .filter((line) => line !== '');
}

test('a page that was open during an analysis reads like one opened after it', async (t) => {
  const source = await startHeldSource(t);
  const { url, post, finished } = await startTestService(t, temporaryDirectory(), {
    PROMETHEUS_URL: source.url,
  });
  const chromium = await startChromium(t);
  const followed = await chromium.open(t);
  await post([alert]);
  await followed.goto(`${url}/report/abc`);
  await followed.until('a bar', `document.querySelector('#progress progress') !== null`);
  source.release();
  await finished('abc');
  await followed.until('its verdict', `document.querySelector('#progress') === null`);
  const opened = await chromium.open(t);
  await opened.goto(`${url}/report/abc`);
  assert.deepEqual(await linesOf(followed), await linesOf(opened));
});

test('a page that waited has the columns and the contents of its report', async (t) => {
  const { url, post, finished } = await startTestService(t, temporaryDirectory());
  const chromium = await startChromium(t);
  const waited = await chromium.open(t);
  await waited.goto(`${url}/report/abc`);
  await post([alert]);
  await finished('abc');
  const opened = await chromium.open(t);
  await opened.goto(`${url}/report/abc`);
  const contents = '[...document.querySelectorAll("main > .column, .jump")].map((each) => ' +
    'each.className + each.id + (each.matches(".jump") ? each.innerText : "")).join()';
  const wanted = JSON.stringify(await opened.evaluate(contents));
  assert.match(wanted, /story.*This report.*curves.*base/);
  await waited.until('the contents', `${contents} === ${wanted}`);
});

test('times stay in the reader\'s time zone while the page follows its alert', async (t) => {
  const { url, post, finished } = await startTestService(t, temporaryDirectory());
  await post([alert]);
  await finished('abc');
  const page = await (await startChromium(t)).open(t, { timeZone: 'Asia/Kolkata' });
  await page.goto(`${url}/report/abc`);
  await post([{ ...alert, annotations: { summary: 'Nearly full' } }]);
  await post([{ ...alert, status: 'resolved', endsAt: new Date().toISOString() }]);
  await page.until('the end', `document.title.startsWith('Resolved')`);
  assert.doesNotMatch(await page.evaluate('document.querySelector("main").innerText'), /UTC/);
});

test('ages follow the clock of the service if that of the reader is wrong', async (t) => {
  const { url, post, finished } = await startTestService(t, temporaryDirectory());
  await post([alert]);
  await finished('abc');
  const page = await (await startChromium(t)).open(t);
  await page.goto(`${url}/report/abc`);
  // As if the page had been made by a service that is ten minutes ahead, when it began to fire.
  await page.evaluate(`(() => {
    document.body.dataset.now = Date.now() + 600_000;
    for (const time of document.querySelectorAll('header time')) {
      time.dateTime = new Date(Date.now() + 590_000).toISOString();
    }
    document.querySelector('header').dispatchEvent(new Event('pagechange', { bubbles: true }));
  })()`);
  assert.match(await page.evaluate('document.querySelector("header").innerText'),
    /Firing for 1\d s/);
});

test('an open list shows an alert that arrives', async (t) => {
  const { url, post, finished } = await startTestService(t, temporaryDirectory());
  await post([alert]);
  await finished('abc');
  const page = await (await startChromium(t)).open(t);
  await page.goto(url);
  await page.until('a mark that a load would wipe out', 'window.isSame = true');
  await post([{ labels: { alertname: 'CameLater', severity: 'warning' }, fingerprint: 'def' }]);
  await page.until('the alert', `document.body.innerText.includes('CameLater')`);
  assert.equal(await page.evaluate('window.isSame'), true);
});

test('a list that was empty when it was opened has its keys and its filter', async (t) => {
  const { url, post } = await startTestService(t, temporaryDirectory());
  const page = await (await startChromium(t)).open(t);
  await page.goto(url);
  await post([alert]);
  await page.until('the alert', `document.querySelector('[data-row] h3') !== null`);
  await page.press('j');
  await page.until('the row', `document.activeElement.textContent === 'DiskFull'`);
  await page.click('[data-keys]');
  await page.until('the keys', `document.querySelector('dialog[open]') !== null`);
  await page.press('Escape');
  await page.click('#filter summary');
  await page.evaluate(`(() => {
    const field = document.querySelector('select[name=severity]');
    field.value = 'critical';
    field.dispatchEvent(new Event('change', { bubbles: true }));
  })()`);
  await page.until('the address', `location.search === '?severity=critical'`);
});

test('the help on keys stays open while the list follows its alerts', async (t) => {
  const { url, post } = await startTestService(t, temporaryDirectory());
  await post([alert]);
  const page = await (await startChromium(t)).open(t);
  await page.goto(url);
  await page.press('?');
  await post([{ labels: { alertname: 'CameLater' }, fingerprint: 'def' }]);
  await page.until('the alert', `document.body.textContent.includes('CameLater')`);
  assert.equal(await page.evaluate('document.querySelector("dialog").open'), true);
  await page.press('Escape');
  await page.press('j');
  await page.until('the first row', `document.activeElement.closest('[data-row]') !== null`);
});

test('a page leaves selected text as it is, and updates it afterwards', async (t) => {
  const { url, post, finished } = await startTestService(t, temporaryDirectory());
  await post([alert]);
  await finished('abc');
  const page = await (await startChromium(t)).open(t);
  await page.goto(`${url}/report/abc`);
  const selected = await page.evaluate<string>(`(() => {
    getSelection().selectAllChildren(document.querySelector('header h1').parentElement);
    return String(getSelection());
  })()`);
  await post([{ ...alert, status: 'resolved', endsAt: new Date().toISOString() }]);
  await page.until('the title', `document.title.startsWith('Resolved')`);
  const still = await page.evaluate<string>('String(getSelection())');
  assert.equal(withoutPassingTimes(still), withoutPassingTimes(selected), 'but for their times');
  assert.match(selected, /Firing/);
  await page.evaluate('getSelection().removeAllRanges()');
  await page.until('the rest', `!document.querySelector('header').textContent.includes('Firing')`);
});

test('a page says that the connection is lost, and goes on when the service is back', async (t) => {
  const options = { dataDirectory: temporaryDirectory(), port: await freePort() };
  const first = await startAnalyst(options, t);
  const page = await (await startChromium(t)).open(t);
  await page.goto(first.url);
  await page.until('what to do first', `document.querySelector('#start') !== null`);
  await first.program.stop('SIGTERM');
  await page.until('a word of it', `document.querySelector('.live-line').textContent !== ''`);

  const second = await startAnalyst(options, t);
  const body = JSON.stringify({ alerts: [alert] });
  await fetch(`${second.url}/webhook`, { method: 'POST', body });
  await page.until('the alert', `document.body.textContent.includes('DiskFull')`);
  await page.until('no word', `document.querySelector('.live-line').textContent === ''`);
});

test('a page retries a fetch that failed after an event', async (t) => {
  const { url, post, finished } = await startTestService(t, temporaryDirectory());
  await post([alert]);
  await finished('abc');
  const page = await (await startChromium(t)).open(t);
  await page.goto(`${url}/report/abc`);
  await page.until('what fails', `(() => {
    const real = window.fetch;
    window.failed = 0;
    window.fetch = (...given) => {
      if (window.isBack) return real(...given);
      window.failed += 1;
      return Promise.reject(new TypeError('Failed to fetch'));
    };
    return true;
  })()`);
  await post([{ ...alert, status: 'resolved', endsAt: new Date().toISOString() }]);
  await page.until('a failure', 'window.failed > 0');
  await new Promise((resolve) => setTimeout(resolve, 2_000)); // What it is told is over by then.
  await page.until('fetches to work', 'window.isBack = true');
  await page.until('the end', `document.title.startsWith('Resolved: DiskFull')`);
});

test('a page polls if it cannot subscribe', async (t) => {
  const { url, post } = await startTestService(t, temporaryDirectory());
  while ((await listenTo(t, `${url}/events`)).status === 200);
  const page = await (await startChromium(t)).open(t);
  await page.goto(`${url}/report/abc`);
  await post([alert]);
  await page.until('its report', `document.title.startsWith('Firing: DiskFull')`);
  await page.until('no word', `document.querySelector('.live-line').textContent === ''`);
});

test('a page without script reloads itself', async (t) => {
  const { url, post } = await startTestService(t, temporaryDirectory());
  const page = await (await startChromium(t)).open(t, { script: false });
  await page.goto(`${url}/report/abc`);
  await post([alert]);
  await page.until('its report', `document.title.startsWith('Firing: DiskFull')`);
});
