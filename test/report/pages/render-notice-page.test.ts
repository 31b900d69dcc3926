import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderRefusalPage } from '../../../src/report/pages/render-notice-page.ts';

const refused = {
  status: 429, detail: 'Analysed less than a minute ago', isForm: true,
  reportBase: 'https://alerts.example/base',
};

test('renderRefusalPage says what became of a form and leads back to its report', () => {
  for (const [path, back] of [
    ['/report/abc/analyse', '../abc'],
    ['/report/abc/3/feedback', '../3'],
    ['/report/a%22b/analyse', '../a%22b'],
  ] as const) {
    const page = renderRefusalPage({ ...refused, path });
    assert.match(page, /<h1>Analysed less than a minute ago<\/h1>/);
    assert.match(page, /Nothing was changed/);
    assert.equal(/what you typed/.test(page), path.endsWith('feedback'));
    assert.ok(page.includes(`<a href="${back}">To the report</a>`), path);
    const base = `http://host/base${path}`;
    const report = path.replace(/\/(?:analyse|feedback)$/, '');
    assert.equal(new URL(back, base).href, `http://host/base${report}`);
  }
});

test('renderRefusalPage is no form of what leads nowhere, and has no way back elsewhere', () => {
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

test('renderRefusalPage says what to do about a refusal that can be helped', () => {
  const advice = (status: number): string =>
    renderRefusalPage({ ...refused, status, path: '/', isForm: false });
  assert.match(advice(401), /READ_AUTH=basic/);
  assert.doesNotMatch(advice(429), /<p>(?!<a)/);
  assert.match(advice(503), /Reload this page in a minute/);
  assert.doesNotMatch(advice(403), /page again/);
});
