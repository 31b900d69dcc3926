import assert from 'node:assert/strict';
import test from 'node:test';
import { numbersIn, numbersInAnnotations } from '../../src/evidence/numbers-in-text.ts';

test('numbersIn reads numbers with their units and roles', () => {
  const cases: readonly [string, readonly (readonly [number, string | null, string])[]][] = [
    ['CPU is at 97.3 %', [[97.3, 'percent', 'value']]],
    ['5xx ratio is 12.4% (threshold 5%) for 10m.',
      [[12.4, 'percent', 'value'], [5, 'percent', 'limit'], [600, 'seconds', 'window']]],
    ['p95 latency 1.9s', [[1.9, 'seconds', 'unclear']]],
    ['uses 3.4GiB of memory', [[3.4 * 1024 ** 3, 'bytes', 'unclear']]],
    ['uses 3.4 GB', [[3.4e9, 'bytes', 'unclear']]],
    ['value: 0.12', [[0.12, null, 'value']]],
    ['LABELS = map[] VALUE = 95)', [[95, null, 'value']]],
    ['took 350ms, more than 200 ms', [[0.35, 'seconds', 'unclear'], [0.2, 'seconds', 'limit']]],
    ['lag is 1h 2m 3s', [[3723, 'seconds', 'value']]],
    ['2.1k req', [[2100, null, 'unclear']]],
    ['now 30 req/s', [[30, 'per_second', 'value']]],
    ['not ready for longer than 15 minutes.', [[900, 'seconds', 'window']]],
    ['is taking longer than 12h', [[43_200, 'seconds', 'limit']]],
    ['temperature > 90 °C', [[90, 'celsius', 'limit']]],
    ['delta is -3.5e-2', [[-0.035, null, 'value']]],
    ['the clock is off by -1m 5s', [[-65, 'seconds', 'unclear']]],
    // In which unit it would have to be compared is not known.
    ['oil is at 212 °F', []],
  ];
  for (const [text, expected] of cases) {
    const found = numbersIn(text, 'description');
    assert.deepEqual(found.map(({ unit, role }) => [unit, role]),
      expected.map(([, unit, role]) => [unit, role]), text);
    for (const [index, [value]] of expected.entries()) {
      const difference = Math.abs((found[index]?.value ?? Number.NaN) - value);
      assert.ok(difference <= Math.abs(value) * 1e-9, text);
    }
  }
});

test('numbersIn reads -0 as 0', () => {
  assert.ok(Object.is(numbersIn('-0', 'value')[0]?.value, 0));
});

test('numbersIn finds no number in names, addresses, versions and dates', () => {
  const texts = [
    'host db-1 and node_2', '10.0.3.17:8080', 'v1.2.3', '2026-11-20', 'http://x/1?y=2',
    'pod api-7d9f-4', 'p95', 'sda1', 'at 12:30', '1st try', '#42', 'ipv6 ::1',
  ];
  for (const text of texts) assert.deepEqual(numbersIn(text, 'summary'), [], text);
});

test('numbersIn takes no part of a number for a number', () => {
  // A comma may separate thousands or decimals.
  for (const text of ['has 1,234 messages', 'more than 1,000', 'is 1,5 s', 'is 1,234,567.8 MB']) {
    assert.deepEqual(numbersIn(text, 'summary'), [], text);
  }
  assert.deepEqual(numbersIn('95 %, 4 of 7', 'summary').map(({ value }) => value), [95, 4, 7]);
  assert.deepEqual(numbersIn('95%,80%', 'summary').map(({ text }) => text), ['95%', '80%']);
});

test('numbersIn takes the annotation named value for the value', () => {
  assert.equal(numbersIn('0.31', 'value')[0]?.role, 'value');
});

test('numbersInAnnotations leaves out what comes from a label', () => {
  const annotations = { summary: 'Quantile 0.99 of shard 17 is 3s', link: 'https://x/99' };
  const found = numbersInAnnotations(annotations, { quantile: '0.99', shard: '17' });
  assert.deepEqual(found.map(({ text }) => text), ['3s']);
});

test('numbersInAnnotations reads hostile texts in bounded time', () => {
  const before = process.cpuUsage();
  const annotations = Object.fromEntries(
    ['9'.repeat(65_536), '1 '.repeat(32_000), '1m 1h 1d '.repeat(7000), '-'.repeat(65_536)]
      .map((text, index) => [`a${index}`, text]),
  );
  const labels = Object.fromEntries(
    Array.from({ length: 256 }, (_, index) => [`l${index}`, `${index} 1`]),
  );
  assert.ok(numbersInAnnotations(annotations, labels).length <= 24);
  assert.deepEqual(numbersIn('a'.repeat(65_536), 'summary'), []);
  assert.ok(process.cpuUsage(before).user < 1e6);
});
