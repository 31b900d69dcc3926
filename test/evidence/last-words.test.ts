import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterAnswers } from '../../src/evidence/kubernetes/cluster-answers.ts';
import { addLastWords } from '../../src/evidence/kubernetes/last-words.ts';
import type { AddItem } from '../../src/evidence/ledger.ts';
import { createRedactor } from '../../src/redaction/redactor.ts';
import type { EvidenceItem } from '../../src/report/report.ts';

function shown(texts: readonly string[]): unknown {
  const log = {
    namespace: 'shop', pod: 'cart-1', container: 'cart', isPrevious: true,
    lines: texts.map((text) => ({ text, atMs: null })),
  };
  const answers = {
    log, named: { namespace: 'shop' }, pod: null, pods: { items: [], isCut: false },
  } as unknown as ClusterAnswers;
  const added: Pick<EvidenceItem, 'data'>[] = [];
  const add: AddItem = (item) => `E${added.push({ data: item.data ?? null })}`;
  addLastWords(add, answers, createRedactor({ secrets: [] }).redact);
  return added[0]?.data;
}

test('addLastWords() masks a value on the line below its name, and a key of several lines', () => {
  const [begin, end] = ['BEGIN', 'END'].map((word) => `-----${word} EC PRIVATE ${'KEY'}-----`);
  assert.deepEqual(
    shown(['db:', '  password:', '    hunter2', `key ${begin}`, 'MHcCAQEE', 'AwEH', `${end} read`]),
    { lines: ['db:', 'password:', '[secret-2]', 'key [secret-1] read'] },
  );
});

test('addLastWords() shows ten lines, and what an earlier one says about them is masked', () => {
  const lines = Array.from({ length: 10 }, (_, index) => `line ${index}`);
  assert.deepEqual(shown(['token:', '  hunter2', ...lines.slice(1)]), {
    lines: ['[secret-1]', ...lines.slice(1)],
  });
});
