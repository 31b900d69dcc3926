import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  renderNotFoundPage, renderRefusalPage, renderWaitingPage,
} from '../../../src/report/pages/render-notice-page.ts';

const home = { reportBase: 'https://alerts.example/base', keptMs: 30 * 86_400_000 };
const refused = { ...home, status: 429, detail: 'Analysed less than a minute ago', isForm: true };

test('renderRefusalPage() says that a form changed nothing, and links to its report', () => {
  for (const [path, back] of [
    ['/report/abc/analyse', '../abc'],
    ['/report/abc/3/feedback', '../3'],
    ['/report/abc/3/ask', '../3'],
    ['/report/a%22b/analyse', '../a%22b'],
  ] as const) {
    const page = renderRefusalPage({ ...refused, path });
    assert.match(page, /<h1>Analysed less than a minute ago<\/h1>/);
    assert.match(page, /Nothing was changed/);
    assert.equal(/what you typed/.test(page), !path.endsWith('analyse'));
    assert.ok(page.includes(`<a href="${back}">To the report</a>`), path);
    const base = `http://host/base${path}`;
    const report = path.replace(/\/(?:analyse|ask|feedback)$/, '');
    assert.equal(new URL(back, base).href, `http://host/base${report}`);
  }
});

test('renderRefusalPage() of an unknown page is the usual one, and links to no report', () => {
  const nowhere = renderRefusalPage({
    ...refused, status: 404, detail: 'Not found', path: '/nowhere', isForm: false,
  });
  assert.match(nowhere, /There is nothing at this address/);
  const other = renderRefusalPage({ ...refused, status: 405, path: '/webhook', isForm: false });
  assert.doesNotMatch(other, /To the report|typed/);
  assert.match(other, /status 405/);
  const hostile = renderRefusalPage({ ...refused, path: '/report/x"><script>/analyse' });
  assert.doesNotMatch(hostile, /<script>/);
});

test('renderRefusalPage() says what to do about the refusal, if anything', () => {
  const advice = (status: number): string =>
    renderRefusalPage({ ...refused, status, path: '/', isForm: false });
  assert.match(advice(401), /READ_AUTH=basic/);
  assert.doesNotMatch(advice(429), /<p>(?!<a)/);
  assert.match(advice(503), /Reload this page in a minute/);
  assert.doesNotMatch(advice(403), /page again/);
});

test('renderWaitingPage() reloads and says why; renderNotFoundPage() does not reload', () => {
  const waiting = renderWaitingPage({ ...home, fingerprint: 'abc' });
  const lost = renderNotFoundPage({ ...home, newest: null });
  assert.match(waiting, /http-equiv="refresh" content="5"/);
  assert.match(waiting, /before the alert itself/);
  assert.doesNotMatch(lost, /http-equiv="refresh"/);
  for (const page of [waiting, lost]) {
    assert.match(page, /<a href="https:\/\/alerts\.example\/base\/">All alerts<\/a>/);
    assert.match(page, /reports are kept for at most 30 days after their alert has ended/);
  }
  const nowhere = renderNotFoundPage({ ...home, reportBase: '', newest: null });
  assert.doesNotMatch(nowhere, /All alerts/);
});

test('renderNotFoundPage() leads from an episode that was removed to the newest one', () => {
  const newest = 'https://alerts.example/base/report/abc';
  const page = renderNotFoundPage({ ...home, keptMs: 86_400_000, newest });
  assert.match(page, /This episode of the alert has no report, or no longer: .* 1 day after/);
  assert.ok(page.includes(`<a href="${newest}">The newest report on this alert</a>`));
  assert.doesNotMatch(page, /nothing at this address/);
});
