import assert from 'node:assert/strict';
import test from 'node:test';
import { clipData } from '../../src/evidence/clip-data.ts';
import { evidenceItemsMax, Ledger } from '../../src/evidence/ledger.ts';
import { createRedactor } from '../../src/redaction/redactor.ts';
import { isoTime } from '../../src/report/time-text.ts';
import { caseNow } from '../support/samples/case-files.ts';

const item = { kind: 'alert', source: 'alert', title: 'Title', summary: 'Summary.' } as const;

test('Ledger refuses items beyond its limit', () => {
  const ledger = new Ledger();
  for (let index = 1; index <= evidenceItemsMax; index += 1) {
    assert.equal(ledger.add(item), `E${index}`);
  }
  assert.equal(ledger.room, 0);
  assert.throws(() => ledger.add(item), RangeError);
  assert.equal(ledger.items.length, evidenceItemsMax);
});

test('Ledger cuts texts and data and says so', () => {
  const ledger = new Ledger();
  ledger.add({ ...item, summary: 'x'.repeat(9999), data: { a: 'y'.repeat(9999) } });
  const [added] = ledger.items;
  assert.ok((added?.summary.length ?? 0) <= 400);
  assert.ok(JSON.stringify(added?.data).length < 600);
  assert.equal(added?.truncated, true);
});

test('Ledger marks a query that it cuts, which would mean something else', () => {
  const ledger = new Ledger();
  for (const [length, truncated] of [[4000, false], [4001, true]] as const) {
    ledger.add({ ...item, query: 'q'.repeat(length) });
    const added = ledger.items.at(-1);
    assert.equal(added?.query?.length, 4000);
    assert.equal(added?.query?.endsWith('…'), truncated);
    assert.equal(added?.truncated, truncated);
  }
  ledger.add({ ...item, query: `${'q'.repeat(3998)}😀😀` });
  assert.equal(ledger.items.at(-1)?.query, `${'q'.repeat(3998)}…`, 'no half of a character');
});

test('Ledger keeps summaries on one line, without anything that reorders them', () => {
  const ledger = new Ledger();
  ledger.add({ ...item, summary: 'a\u202eb\nc\u0000d' });
  assert.equal(ledger.items[0]?.summary, 'a b c d');
});

test('clipData bounds texts, members, depth and the whole', () => {
  let deep: unknown = 'end';
  for (let depth = 0; depth < 1000; depth += 1) deep = { deep };
  const values: unknown[] = [
    'x'.repeat(65_536),
    Array.from({ length: 10_000 }, () => 'x'.repeat(400)),
    Object.fromEntries(Array.from({ length: 256 }, (_, i) => [`l${i}`, 'x'.repeat(65_536)])),
    deep,
  ];
  for (const value of values) {
    const { data, clipped } = clipData(value);
    assert.equal(clipped, true);
    assert.ok(JSON.stringify(data).length < 10_000);
  }
});

test('clipData keeps as many numbers as a chart draws', () => {
  const numbers = Array.from({ length: 400 }, (_, index) => (index === 1 ? null : index));
  assert.deepEqual(clipData(numbers), { data: numbers.slice(0, 361), clipped: true });
});

test('clipData keeps hostile names as names and numbers as JSON can hold them', () => {
  const parsed: unknown = JSON.parse('{"__proto__": {"x": "1"}, "constructor": "c"}');
  const { data, clipped } = clipData({ parsed, n: Number.NaN, u: undefined });
  assert.equal(clipped, false);
  const json = JSON.stringify(data);
  assert.match(json, /"__proto__":\{"x":"1"\}/u);
  assert.match(json, /"n":"NaN","u":null/u);
  assert.equal(Object.getPrototypeOf((data as { parsed: object }).parsed), Object.prototype);
});

test('Ledger.reserve() keeps room for later items', () => {
  const ledger = new Ledger();
  const item = { kind: 'source', source: 'store', title: 't', summary: 's' } as const;
  ledger.reserve(evidenceItemsMax - 1);
  assert.equal(ledger.room, 1);
  ledger.add(item);
  assert.throws(() => ledger.add(item), RangeError);
  ledger.reserve(0);
  assert.equal(ledger.room, evidenceItemsMax - 1);
  assert.equal(ledger.add(item), 'E2');
});

test('Ledger.adderFor() counts with each item what was redacted since the one before', () => {
  const ledger = new Ledger();
  const redactor = createRedactor({ secrets: ['hunter22'] });
  const add = ledger.adderFor('loki', isoTime(caseNow), redactor);
  const said = { kind: 'logs', title: 't', summary: 's' } as const;
  redactor.redact('hunter22 hunter22');
  add(said);
  add(said);
  redactor.redact('hunter22');
  add(said);
  assert.deepEqual(ledger.items.map(({ redactions }) => redactions), [2, 0, 1]);
  assert.equal(ledger.items[0]?.source, 'loki');
});
