import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundsText } from '../../../src/diagnosis/causes/tested-causes.ts';
import type { Bounds } from '../../../src/knowledge/family.ts';

const cases: readonly (readonly [Bounds, string, string])[] = [
  [{ atLeast: 1, notUpTo: 0 }, 'count(up == 0)', '1 or more supports it, 0 rules it out.'],
  [{ atMost: 0, notFrom: 86_400 }, 'probe_ssl_earliest_cert_expiry - time()',
    '0 s or less supports it, 1 d or more rules it out.'],
  [{ atLeast: 0.8, notUpTo: 0.1 }, 'a_total / b_total',
    '80 % or more supports it, 10 % or less rules it out.'],
  [{ atLeast: 1.1, notUpTo: 1 }, 'a_bytes / b_bytes',
    '1.1 or more supports it, 1 or less rules it out.'],
  [{ atMost: 0 }, 'min(up)', '0 supports it.'],
  [{ notFrom: 2 }, 'resets(a_bytes[2d])', '2 or more rules it out.'],
];
for (const [bounds, query, expected] of cases) {
  test(`boundsText() of ${JSON.stringify(bounds)} for ${query}`, () => {
    assert.equal(boundsText(bounds, query), expected);
  });
}
