/** Pages of hostile alerts, and of very many alerts, in a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { viewports, type BrowserPage } from '../support/browser/browser-page.ts';
import { incidentOf, startPages } from '../support/browser/served-pages.ts';
import { assertInOrder, assertQuiet } from '../support/browser/visits.ts';
import { watchPages } from '../support/browser/watched-pages.ts';
import { eventually } from '../support/programs/programs.ts';
import { hostileAlerts, manyAlerts } from '../support/samples/hostile-alerts.ts';

const membersOfLarge = 300;
const bytesMax = 400_000;

const { served, open } = watchPages(startPages);

/** Asserts that nothing of an alert was executed, requested, or turned into live markup. */
async function assertHarmless(page: BrowserPage): Promise<void> {
  await assertQuiet(page);
  assert.equal(await page.evaluate('typeof window.__pwned'), 'undefined');
  const scripted = await page.evaluate<string[]>(`[...document.querySelectorAll('*')]
    .filter((each) => each.getAttributeNames().some((name) => name.startsWith('on')))
    .map((each) => each.outerHTML)`);
  assert.deepEqual(scripted, []);
  const links = await page.evaluate<string[]>(
    '[...document.links].map((each) => each.getAttribute("href"))');
  for (const link of links) assert.match(link, /^(https?:\/\/|[#?]|\/(?!\/))/);
  const embedded = await page.evaluate(
    'document.querySelectorAll("img,iframe,object,embed,base,main [style],[srcdoc]").length');
  assert.equal(embedded, 0);
}

test('the list of a service without alerts is in order', async (t) => {
  const empty = await startPages(t);
  for (const viewport of [viewports.narrow, viewports.desk]) {
    await assertInOrder(await open(t, `${empty.url}/`, { viewport }));
  }
});

for (const [what, alerts] of Object.entries(hostileAlerts)) {
  test(`reports on ${what} are harmless and in order`, async (t) => {
    const paths = await served().post({ version: '4', status: 'firing', alerts });
    assert.equal(paths.length, alerts.length);
    for (const path of paths) {
      const page = await open(t, path, { viewport: viewports.narrow });
      await assertInOrder(page);
      await assertHarmless(page);
    }
    const [first = ''] = paths;
    await assertInOrder(await open(t, first));
  });
}

test('the list of hostile alerts is harmless and in order', async (t) => {
  for (const viewport of [viewports.narrow, viewports.desk]) {
    const page = await open(t, '/', { viewport });
    await assertInOrder(page);
    await assertHarmless(page);
  }
});

test('the page of a hostile address is harmless', async (t) => {
  const page = await open(t, `/report/${encodeURIComponent('"><script>__pwned=1</script>')}`);
  await assertHarmless(page);
});

test(`an incident of ${membersOfLarge} alerts is one page in order`, async (t) => {
  const large = await startPages(t);
  const alerts = manyAlerts(membersOfLarge);
  const [first = ''] = await large.post({ version: '4', status: 'firing', alerts });
  const incident = await incidentOf(large.url, first);
  for (const path of ['/', incident, first]) {
    const viewport = path === '/' ? viewports.desk : viewports.phone;
    await assertInOrder(await open(t, large.url + path, { viewport }));
    const response = await fetch(large.url + path, { headers: { accept: 'text/html' } });
    const { byteLength } = await response.arrayBuffer();
    assert.ok(byteLength < bytesMax, `${path} has ${byteLength} bytes`);
  }
});

test('the Content-Security-Policy blocks what is injected into a page', async (t) => {
  const [path = ''] = await served().post({
    version: '4', status: 'firing', alerts: hostileAlerts['forty labels'],
  });
  const page = await open(t, path);
  await page.evaluate(`document.body.insertAdjacentHTML('beforeend',
    '<img src="http://127.0.0.1:1/x.png"><i onclick="window.__pwned = 1"></i>' +
    '<div style="color:red"></div>')`);
  await page.evaluate(`document.querySelector('i').click();
    const script = document.createElement('script'); script.textContent = 'window.__pwned = 2';
    document.body.append(script)`);
  for (const directive of ['img-src', 'script-src', 'style-src']) {
    await eventually(`${directive} to block something`, () => page.record.complaints.some((text) =>
      text.includes('Content Security Policy') && text.includes(directive)) || null);
  }
  assert.equal(await page.evaluate('typeof window.__pwned'), 'undefined');
});
