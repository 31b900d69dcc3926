/** Addresses, assertions and readings that a model may write about evidence of any shape. */
import assert from 'node:assert/strict';
import { assertionKinds, assertionShape } from '../../src/model/assertions/assertion.ts';
import { Problem } from '../../src/model/assertions/cell.ts';
import { filled } from '../../src/model/assertions/fill.ts';
import { assess } from '../../src/model/assertions/judge.ts';
import type { EvidenceItem } from '../../src/report/report.ts';
import type { Chance } from './chance.ts';
import { mutateValue } from './mutate-json.ts';
import type { Target } from './target.ts';

const item: EvidenceItem = {
  id: 'E1', kind: 'series', source: 'prometheus', title: 'Latency of web', query: 'up * 2',
  from: '2026-11-20T01:00:00Z', to: '2026-11-20T02:00:00Z', step_seconds: 60, summary: 'It rose.',
  data: {
    labels: { pod: 'web-1' }, unit: 'seconds', before: 0.1, after: 0.5,
    onset: '2026-11-20T01:09:10Z',
    values: [0.1, null, 0.5], series: [{ labels: { pod: 'a' }, value: 1 }, { value: 2 }], up: 3,
    total: 4, ready: [{ ok: true }, { ok: false }], lines: ['connection refused by db'],
  },
  link: null, fetched_at: '2026-11-20T02:00:00Z', truncated: false, warnings: [], redactions: 0,
  state: 'ok', error: null,
};
const paths = [
  'before', 'after', 'onset', 'values', 'values[0]', 'values.length', 'max', 'last',
  'series[1].value', 'series[0]', 'series.length', 'up', 'total', 'ready[].ok', 'ready.length',
  'labels.pod', 'from',
  '__proto__', 'constructor', 'lines[0]', 'toString', 'data.before', '[0]', '',
];
const relations = ['rose', 'fell', 'same', 'changed', 'above', 'below', 'about', 'all', 'some',
  'none', 'yes', 'no', null];

function addressBy(chance: Chance): string {
  const path = chance.pick(paths);
  return `${chance.pick(['E1', '[E1]', 'E2', 'E1'])}${/^(?:\[|$)/.test(path) ? '' : '.'}${path}`;
}

/** What code says holds is one line that names the item; everything else is a problem in words. */
export const assertions: Target = {
  name: 'assertion',
  run(chance) {
    const data = mutateValue(item.data, chance, 8);
    const evidence = new Map([['E1', { ...item, data }]]);
    const judged = assess(assertionShape.read({
      is: chance.pick(assertionKinds), a: addressBy(chance), b: addressBy(chance),
      rel: chance.pick(relations), quote: chance.pick(['refused by db', 'web-1', null]),
    }, 'assertion'), evidence);
    if (judged.holds) {
      assert.deepEqual(judged.evidence, ['E1']);
      assert.doesNotMatch(judged.text, /\[object |native code/);
    } else assert.notEqual(judged.why, '');
    try {
      const { text } = filled(`It is {${addressBy(chance)}}.`, { evidence, known: '' });
      assert.doesNotMatch(text, /\[object |native code/);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  },
};
