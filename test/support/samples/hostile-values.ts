/** Label values that break or widen a careless selector; each is the label of one series. */
import assert from 'node:assert/strict';
import type { Prometheus } from '../../../src/sources/prometheus.ts';
import { anyOf, quoteText, selector } from '../../../src/sources/promql-text.ts';

/** A sample for each label value, in the text format; the sample's value is the index. */
export function* samplesOfHostile(values: readonly string[], seconds: number): Iterable<string> {
  for (const [index, value] of values.entries()) {
    const escaped = value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
    yield `hostile{value="${escaped}"} ${index} ${seconds}`;
  }
}

export async function assertEachFound(
  prometheus: Prometheus,
  values: readonly string[],
  seconds: number,
): Promise<void> {
  for (const [index, value] of values.entries()) {
    for (const matcher of [
      { name: 'value', op: '=', value }, { name: 'value', op: '=~', value: anyOf([value]) },
    ] as const) {
      const text = selector('hostile', [matcher]);
      assert.ok(text !== null);
      const { samples } = await prometheus.query(text, seconds * 1000);
      const found = samples.map((sample) => sample.value);
      assert.deepEqual(found, [index], `${text} of ${quoteText(value)}`);
    }
  }
}
