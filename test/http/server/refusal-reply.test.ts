import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusal } from '../../../src/http/http-errors.ts';
import { pageReply } from '../../../src/http/page-reply.ts';
import { refusalReply, type RefusalPages } from '../../../src/http/server/refusal-reply.ts';
import { detailOf, post, startFront } from '../../support/http/http-front.ts';

const browser = 'text/html,application/xhtml+xml,*/*;q=0.8';
const pages: RefusalPages = {
  renderRefusalPage: ({ status, detail, isForm }) => `<p>${status} ${detail} ${isForm}`,
  pageSecurityPolicy: "default-src 'none'",
};

const reply = (error: unknown, over: { method?: string; path?: string; accept?: string } = {}) => {
  const { method = 'GET', path = '/nowhere', accept = browser } = over;
  return refusalReply(error, { method, path, headers: { accept } }, pages);
};

test('refusalReply is a page for a browser, under its policy', () => {
  const { status, contentType, body, headers } = reply(refusal('notFound'));
  assert.deepEqual([status, contentType, body],
    [404, 'text/html; charset=utf-8', '<p>404 Not found false']);
  assert.deepEqual(headers, pageReply('', pages).headers);
  assert.equal(reply(refusal('notFound'), { method: 'POST' }).body, '<p>404 Not found true');
});

test('refusalReply is JSON for programs and for addresses of data', () => {
  for (const over of [
    { accept: '*/*' }, { accept: 'application/json' }, { accept: '' }, { path: '/reports.json' },
    { path: '/report/x.md' },
  ]) {
    const { contentType, body } = reply(refusal('notFound'), over);
    assert.equal(contentType, 'application/json; charset=utf-8', JSON.stringify(over));
    assert.equal(body, '{"detail":"Not found"}');
  }
});

test('refusalReply keeps the headers of the refusal, each once', () => {
  const limited = reply(refusal('rateLimited', { headers: ['Retry-After', '3'] })).headers;
  assert.deepEqual(limited.slice(0, 2), ['Retry-After', '3']);
  for (const accept of [browser, 'application/json']) {
    const names = reply(refusal('recordingForbidden'), { accept }).headers
      .filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
    assert.equal(new Set(names).size, names.length);
    assert.equal(names.includes('content-security-policy'), accept === browser);
    assert.ok(names.includes('cache-control'));
  }
});

test('refusalReply reveals nothing about an internal error', () => {
  const secret = new Error('secret');
  assert.equal(reply(secret).body, '<p>500 Internal server error false');
  assert.equal(reply(secret, { accept: '*/*' }).body, '{"detail":"Internal server error"}');
});

test('a browser at an unknown path gets a page, a program gets JSON', async (t) => {
  const { url } = await startFront(t);
  const page = await fetch(`${url}/nowhere`, { headers: { accept: browser } });
  assert.equal(page.status, 404);
  assert.equal(page.headers.get('content-security-policy'), "default-src 'none'");
  assert.equal(await page.text(), '<p>404 Not found');
  const data = await fetch(`${url}/nowhere`);
  assert.equal(await detailOf(data), 'Not found');
  assert.equal(await detailOf(await post(url, '[]')), 'Invalid alert format');
});
