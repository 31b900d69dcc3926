/** Feedback on a report, in a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleNotification } from '../../scripts/samples.ts';
import { viewports } from '../support/browser/browser-page.ts';
import { startPages } from '../support/browser/served-pages.ts';
import { assertInOrder } from '../support/browser/visits.ts';
import { freshReport, watchPages } from '../support/browser/watched-pages.ts';
import { createCleanup } from '../support/cleanup.ts';

const { served, open } = watchPages(startPages);

for (const script of [true, false]) {
  test(`feedback is sent and shown ${script ? 'with' : 'without'} scripts`, async (t) => {
    const options = { viewport: viewports.phone, script };
    const page = await open(t, (await freshReport(served())).path, options);
    await page.click('#feedback summary');
    await page.click('input[value=wrong]');
    await page.click('input[name=cause]');
    await page.type('<b>the disk</b>');
    await page.click('form[data-feedback] button[type=submit]');
    const told = 'document.querySelector("#feedback").innerText';
    await page.until('the feedback', `${told}.includes('Cause: <b>the disk</b>')`);
    await assertInOrder(page);
  });
}

test('feedback is shown with the episode it is on, even if there is a newer one', async (t) => {
  const { path, number } = await freshReport(served());
  const page = await open(t, path);
  await served().post(sampleNotification('resolved', number, Date.now()));
  await served().post(sampleNotification('firing', number, Date.now() + 120_000));
  await page.until('the note on the newer one', 'document.querySelector(".newer") !== null');
  await page.until('the end', '/resolved/i.test(document.querySelector("main header").innerText)');
  await page.click('#feedback summary');
  await page.click('input[value=wrong]');
  await page.until('the choice', 'document.querySelector("input[value=wrong]").checked');
  await page.click('form[data-feedback] button[type=submit]');
  await page.untilLoaded('another page', 'document.querySelector(".newer") === null');
  assert.equal(await page.evaluate('location.pathname'), `${path}/1`);
  assert.match(await page.evaluate('document.querySelector("#feedback").innerText'), /^Wrong/m);
});

test('feedback that cannot be stored keeps what was typed', async (t) => {
  const own = createCleanup();
  t.after(() => own.undo());
  const other = await startPages(own);
  const [path] = await other.post(sampleNotification('firing', 1, Date.now()));
  const page = await open(t, `${other.url}${path}`);
  await own.undo();
  await page.click('#feedback summary');
  await page.click('input[value=right]');
  await page.click('textarea[name=note]');
  await page.type('it was so');
  await page.click('form[data-feedback] button[type=submit]');
  await page.until('the problem', 'document.querySelector("[data-problem]").innerText !== ""');
  assert.equal(await page.evaluate('document.querySelector("textarea").value'), 'it was so');
  const said = await page.evaluate<string>('document.querySelector("[data-problem]").innerText');
  assert.match(said, /What you typed is still here/);
});

test('text being typed is kept while the page follows its alert', async (t) => {
  const { path, number } = await freshReport(served());
  const page = await open(t, path);
  await page.click('#feedback summary');
  await page.click('textarea[name=note]');
  await page.type('half a sen');
  await served().post(sampleNotification('resolved', number, Date.now()));
  await page.until('the end', '/resolved/i.test(document.querySelector("main header").innerText)');
  await page.type('tence');
  assert.equal(await page.evaluate('document.querySelector("textarea").value'), 'half a sentence');
});

test('without scripts a refused form is answered with a page', async (t) => {
  const { path } = await freshReport(served());
  const page = await open(t, path, { script: false });
  await page.click('form.again button');
  const title = 'document.querySelector("h1").innerText';
  await page.until('the answer', `${title} === 'Analysed less than a minute ago'`);
  await page.click('main a');
  await page.until('the report', `${title} !== 'Analysed less than a minute ago'`);
  assert.equal(await page.evaluate('location.pathname'), path);
});

test('a page says if its alert was analysed too recently to be analysed again', async (t) => {
  const { path, number } = await freshReport(served());
  const page = await open(t, path);
  await page.click('form.again button');
  const told = 'document.querySelector("form.again").innerText';
  await page.until('the answer', `${told}.includes('Analysed less than a minute ago.')`);
  assert.doesNotMatch(await page.evaluate<string>(told), /typed/);
  await served().post(sampleNotification('resolved', number, Date.now()));
  await page.until('the end', '/resolved/i.test(document.querySelector("main header").innerText)');
  assert.match(await page.evaluate<string>(told), /Analysed less than a minute ago/, 'still');
});
