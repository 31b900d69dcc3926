import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparedLabels, keptLabels } from '../../src/alert/labels.ts';

function lengthOf(labels: Readonly<Record<string, string>>): number {
  return Object.values(labels).reduce((sum, value) => sum + value.length, 0);
}

test('keptLabels() keeps a set of usual size as it is, and one value of the longest there may be',
  () => {
    const labels = { alertname: 'A', long: 'x'.repeat(64 * 1024) };
    assert.equal(keptLabels(labels), labels);
  });

test('keptLabels() cuts long values where there is no room for them, and never short ones', () => {
  const many = Array.from({ length: 250 }, (_, index) => [`l${index}`, 'x'.repeat(64 * 1024)]);
  const labels = Object.fromEntries([...many, ['alertname', 'Short'], ['mine', 'y'.repeat(200)]]);
  const kept = keptLabels(labels as Record<string, string>);
  assert.deepEqual(Object.keys(kept), Object.keys(labels));
  assert.equal(kept['l0'], labels['l0']);
  assert.equal(kept['l249'], `${'x'.repeat(199)}…`);
  assert.equal(kept['alertname'], 'Short');
  assert.equal(kept['mine'], 'y'.repeat(200));
  assert.ok(lengthOf(kept) < 200_000);
});

test('keptLabels() leaves no half of a character and takes __proto__ for a name', () => {
  const many = Object.fromEntries(Array.from({ length: 4 }, (_, index) =>
    [`l${index}`, 'x'.repeat(60_000)]));
  const text = JSON.stringify({ ...many, emoji: '😀'.repeat(30_000) })
    .replace('{', `{"__proto__":"${'p'.repeat(60_000)}",`);
  const labels = JSON.parse(text) as Record<string, string>;
  labels['emoji'] = `a${labels['emoji'] ?? ''}`;
  const kept = keptLabels(labels);
  assert.ok(Object.hasOwn(kept, '__proto__'));
  assert.equal(kept['emoji'], `a${'😀'.repeat(99)}…`);
});

test('comparedLabels() takes whole labels, the shortest that fit', () => {
  const small = { alertname: 'A', namespace: 'shop' };
  assert.equal(comparedLabels(small), small);
  const labels = { long: 'x'.repeat(3_000), alertname: 'y'.repeat(2_000), namespace: 'z' };
  assert.deepEqual(Object.keys(comparedLabels(labels)), ['namespace', 'alertname']);
  assert.deepEqual(comparedLabels({ only: 'x'.repeat(5_000) }), {});
});
