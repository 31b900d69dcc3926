import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';

const allowedTags = new Set([
  'html', 'head', 'meta', 'title', 'link', 'style', 'body', 'a', 'main', 'header', 'p', 'span',
  'bdi', 'h1', 'h2', 'h3', 'h4', 'time', 'section', 'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'pre',
  'code', 'div', 'details', 'summary', 'nav', 'article', 'table', 'thead', 'tbody', 'tr', 'th',
  'td', 'strong', 'progress', 'footer', 'br', 'svg', 'path', 'button', 'data', 'wbr',
  'figure', 'figcaption', 'desc', 'g', 'text', 'rect', 'use', 'b', 'form', 'fieldset',
  'legend', 'label', 'input',
  'textarea', 'select', 'option', 'datalist', 'dialog', 'kbd', 'noscript', 'output',
]);

const allowedAttributes = new Set([
  'lang', 'charset', 'name', 'content', 'http-equiv', 'rel', 'href', 'class', 'id', 'aria-label',
  'aria-labelledby', 'aria-hidden', 'datetime', 'title', 'dir', 'tabindex', 'scope', 'role',
  'value', 'max', 'viewbox', 'preserveaspectratio', 'd', 'x', 'y', 'width',
  'height', 'type', 'data-copy-from', 'data-copy-report', 'data-print', 'data-age',
  'data-progress', 'method', 'action', 'required', 'for', 'maxlength', 'rows', 'hidden',
  'data-feedback', 'data-problem', 'data-live', 'data-filter', 'data-keys', 'data-row',
  'data-episode', 'data-now', 'data-at', 'data-zone', 'data-seconds',
  'data-axis', 'data-unit', 'data-spans', 'transform', 'rx',
  'list', 'selected', 'checked', 'placeholder', 'open', 'aria-current',
  'aria-live', 'autocomplete', 'aria-describedby', 'aria-labelledby', 'spellcheck', 'inputmode',
]);

const tag = /<(\/?)([a-z][a-z0-9]*)((?:\s[a-z-]+(?:="[^"<>]*")?)*)>/g;

const doctype = '<!doctype html>';

const attributePattern = /\s([a-z-]+)(?:="([^"]*)")?/g;

/** Tags that passed before; nearly all tags of a page also occur on the previous one. */
const knownTags = new Set<string>();

/** Fails unless the page consists of text and known tags with known, quoted attributes. */
export function assertOnlyOwnMarkup(page: string): void {
  assert.ok(page.startsWith(doctype), `the page begins with ${page.slice(0, 40)}`);
  const body = page.slice(doctype.length).replace(/<style>[^<]*<\/style>/, '');
  const rest = body.replace(tag, (whole: string, _slash, name: string, attributes: string) => {
    if (knownTags.has(whole)) return '';
    assert.ok(allowedTags.has(name), `tag ${name}`);
    for (const [, attribute = '', value = ''] of attributes.matchAll(attributePattern)) {
      assert.ok(allowedAttributes.has(attribute), `attribute ${attribute}`);
      if (attribute === 'action') assert.match(value, /^\/(?!\/)/);
      if (attribute === 'href') assert.match(value, /^(https?:\/\/|#[A-Za-z]|\?|data:image\/svg)/);
    }
    knownTags.add(whole);
    return '';
  });
  assert.doesNotMatch(rest, /[<>"'`]/);
  assert.doesNotMatch(body, /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
  assert.ok(Buffer.from(page).toString() === page, 'the page has a lone surrogate');
}

/** The page without the scripts that its Content-Security-Policy allows by their hash. */
export function withoutOwnScript(page: string, policy: string): string {
  const [, allowed = ''] = /(?:^|; )script-src ([^;]*)/.exec(policy) ?? [];
  return page.replace(/<script>([^]*?)<\/script>/g, (element, script: string) => {
    const hash = createHash('sha256').update(script).digest('base64');
    return allowed.split(' ').includes(`'sha256-${hash}'`) ? '' : element;
  });
}
