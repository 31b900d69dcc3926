import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  anyOf, chunkNames, quoteText, selector, type Matcher,
} from '../../src/sources/promql-text.ts';

const equal = (name: string, value: string): Matcher => ({ name, op: '=', value });

test('selector() writes what people write', () => {
  const matchers: Matcher[] = [equal('job', 'node'), { name: 'cpu', op: '!~', value: '0|1' }];
  assert.equal(selector('up', matchers), 'up{job="node",cpu!~"0|1"}');
  assert.equal(selector('job:up:avg', []), 'job:up:avg');
  assert.equal(selector(null, matchers), '{job="node",cpu!~"0|1"}');
});

test('selector() selects a metric of any name by its label', () => {
  for (const name of ['http.requests', 'inf', 'NaN', 'bool', '1st', 'a"} or {b="', 'größe']) {
    const text = selector(name, [equal('a', 'b')]);
    assert.equal(text, `{__name__=${quoteText(name)},a="b"}`);
  }
});

test('selector() leaves out what cannot be expressed', () => {
  const long = 'z'.repeat(5000);
  const odd = [equal('k8s.pod', 'x'), equal('a', 'b'), equal('', 'y'), equal('c', long)];
  assert.equal(selector('up', odd), 'up{a="b"}');
  assert.equal(selector('up', [equal('\ud800', 'x')]), 'up');
});

test('selector() never selects everything', () => {
  const wide: readonly (readonly Matcher[])[] = [
    [], [equal('a', '')], [{ name: 'a', op: '!=', value: 'b' }],
    [{ name: 'a', op: '!~', value: 'b' }],
    [{ name: 'a', op: '=~', value: '.*' }], [{ name: 'a', op: '=~', value: 'b|' }],
    [{ name: 'a', op: '=~', value: 'b?' }], [equal('k8s.pod', 'x')],
    [{ name: 'a', op: '=~', value: '' }], [{ name: 'a', op: '=~', value: '(b|)' }],
  ];
  for (const matchers of wide) assert.equal(selector(null, matchers), null);
  assert.equal(selector(null, [{ name: 'a', op: '!=', value: '' }]), '{a!=""}');
  assert.equal(selector(null, [{ name: 'a', op: '=~', value: '.+' }]), '{a=~".+"}');
  const either = anyOf(['b.c', 'd|e']);
  const text = selector(null, [{ name: 'a', op: '=~', value: either }]);
  assert.equal(text, '{a=~"b\\\\.c|d\\\\|e"}');
});

test('quoteText() escapes everything that could end the string', () => {
  const cases = [
    ['a"b', '"a\\"b"'], ['a\\', '"a\\\\"'], ['\\"', '"\\\\\\""'], ['a\nb', '"a\\nb"'],
    ['\r\t\0\x7f', '"\\u000d\\u0009\\u0000\\u007f"'],
    ['\ufffd\ud800x\udfff', '"\\ufffd\\ufffdx\\ufffd"'],
    ['"} or up{job="', '"\\"} or up{job=\\""'], ["'`{{$labels}}", '"\'`{{$labels}}"'],
    ['😀é', '"😀é"'], ['a\u202e\u2028\u{e0041}', '"a\\u202e\\u2028\\U000e0041"'],
  ] as const;
  for (const [text, expected] of cases) assert.equal(quoteText(text), expected);
});

test('chunkNames() keeps to the number, to the length and to the order', () => {
  const names = Array.from({ length: 400 }, (_, index) => `metric_${index}`);
  assert.deepEqual(chunkNames(names).map((chunk) => chunk.length), [150, 150, 100]);
  assert.deepEqual(chunkNames(names).flat(), names);
  const long = Array.from({ length: 30 }, (_, index) => `${'m.'.repeat(120)}${index}`);
  const chunks = chunkNames(long);
  assert.deepEqual(chunks.flat(), long);
  for (const chunk of chunks) {
    const text = selector(null, [{ name: '__name__', op: '=~', value: anyOf(chunk) }]);
    assert.ok(text !== null && text.length <= 4020);
  }
  assert.deepEqual(chunkNames([]), []);
  assert.deepEqual(chunkNames(['', 'x'.repeat(2000), 'ok']), [['ok']]);
});
