import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unsupportedIn } from '../../../src/model/claims/check-claim.ts';
import type { EvidenceItem } from '../../../src/report/report.ts';
import { cpuTimer } from '../../support/cpu-timer.ts';
import { shopReport } from '../../support/samples/shop-report.ts';
import { moreEvidence } from './claim-evidence.ts';
import { honestProse, lyingProse } from './claim-prose.ts';
import * as sentences from './claim-sentences.ts';

const honest = [...sentences.honest, ...honestProse];
const lying = [...sentences.lying, ...lyingProse];

const { evidence: shop } = await shopReport();
const ledger: ReadonlyMap<string, EvidenceItem> = new Map(
  [...shop, ...moreEvidence].map((item) => [item.id, item]),
);

function problemsOf(text: string, cited: string): readonly string[] {
  return unsupportedIn({ text, evidence: cited.split(' ') }, ledger);
}

function isBelieved(text: string, cited: string): boolean {
  return problemsOf(text, cited).length === 0;
}

test('the table of sentences is large enough to mean something', () => {
  assert.ok(honest.length >= 60 && lying.length >= 60, `${honest.length} ${lying.length}`);
});

for (const [text, cited] of honest) {
  test(`a claim that is believed: ${text}`, () => {
    assert.deepEqual(problemsOf(text, cited), []);
  });
}

for (const [text, cited, lie = ''] of lying) {
  test(`a claim that is not believed: ${text}`, () => {
    const told = problemsOf(text, cited).join(' | ');
    assert.notEqual(told, '');
    assert.ok(told.toLowerCase().includes(lie.toLowerCase()), `${told} does not tell of ${lie}`);
  });
}

/** Runs of a number in a sentence that a factor makes another number. */
function* altered(text: string): Iterable<string> {
  for (const { 0: number, index } of text.matchAll(/(?<![\w.:-])\d+(?:\.\d+)?(?![\w:-]|\.\d)/g)) {
    for (const factor of [0.5, 0.7, 0.8, 1.2, 1.3, 1.5, 2, 3, 10, 100]) {
      const wrong = (Number(number) * factor).toFixed(number.split('.')[1]?.length ?? 0);
      if (Number(wrong) === Number(number)) continue;
      yield text.slice(0, index) + wrong + text.slice(index + number.length);
    }
  }
}

test('no honest sentence is believed in which one number was altered', () => {
  let count = 0;
  const believed: string[] = [];
  for (const [text, cited] of honest) {
    for (const lie of altered(text)) {
      count += 1;
      if (isBelieved(lie, cited)) believed.push(lie);
    }
  }
  assert.ok(count > 700);
  assert.deepEqual(believed, []);
});

test('a point of a series is not taken for its value', () => {
  const { data } = ledger.get('E9') ?? {};
  const { values } = data as { readonly values: readonly (number | null)[] };
  const others = values.filter((value) => value !== null)
    .filter((value) => Math.abs(value - 0.909) > 0.01);
  for (const said of ['is', 'rose to', 'stayed at', 'dropped to']) {
    const believed = others.filter((value) => {
      return isBelieved(`CPU of db ${said} ${value} cores.`, 'E9');
    });
    assert.deepEqual(believed, [], said);
  }
});

test('what another job tells of the pods of a component is about the component', () => {
  const [alert, series] = [ledger.get('E14'), ledger.get('X2')];
  assert.ok(alert !== undefined && series !== undefined);
  const labels = { alertname: 'HighLatency', job: 'web' };
  const problemsWith = (pod: string): readonly string[] => unsupportedIn(
    { text: 'Memory of web rose from 1.2 GiB to 3.4 GiB.', evidence: ['X2'] },
    new Map([['E14', { ...alert, data: { labels } }], ['X2', {
      ...series, title: 'Memory', data: { labels: { job: 'cadvisor', pod }, unit: 'bytes' },
    }]]),
  );
  assert.deepEqual(problemsWith('web-7f9c4d-x2x1z'), []);
  assert.deepEqual(problemsWith('webhooks-7f9c4d-x2x1z'), ['1.2 GiB', '3.4 GiB']);
});

type Uncheckable = readonly [why: string, cited: readonly string[], problem: string];

const uncheckable: readonly Uncheckable[] = [
  ['cites nothing', [], 'none cited'],
  ['cites what failed', ['X6'], 'X6'],
  ['cites what is empty', ['E15'], 'none with an answer'],
  ['cites what does not exist', ['E3', 'E99'], 'E99'],
];

for (const [why, evidence, problem] of uncheckable) {
  test(`a claim is not believed that ${why}`, () => {
    assert.deepEqual(unsupportedIn({ text: 'It is slow.', evidence }, ledger), [problem]);
  });
}

test('of a proposal only what it names is checked', () => {
  const text = 'Compare the backups with those of db.';
  const isVerified = (claim: string, isProposal: boolean): boolean => {
    return unsupportedIn({ text: claim, evidence: ['E9'], isProposal }, ledger).length === 0;
  };
  assert.deepEqual([isVerified(text, true), isVerified(text, false)], [true, false]);
  assert.equal(isVerified(text.replace('db', 'payments-db'), true), false);
});

test('a check ends soon whatever is claimed and cited', () => {
  const nested: unknown[] = [];
  for (let index = 0; index < 3000; index += 1) {
    nested.push({ labels: { a: `n${index}` }, value: index });
  }
  const hostile: EvidenceItem = {
    ...(moreEvidence[0] as EvidenceItem), id: 'H', data: { nested },
    summary: '1 of 2 '.repeat(20_000), query: '1 > 2 '.repeat(20_000),
  };
  const parts = ['1 ', '1 of ', 'a-', '12:00 ', '"a ', '1,000', 'n1 2 times ', 'twenty-', '('];
  for (const text of parts) {
    const cpuMs = cpuTimer();
    const claim = text.repeat(3000).slice(0, 2000);
    unsupportedIn({ text: claim, evidence: ['H'] }, new Map([['H', hostile]]));
    const milliseconds = cpuMs();
    assert.ok(milliseconds < 3000, `${text}: ${milliseconds} ms`);
  }
});

test('nothing is believed that is longer than a sentence, or a table', () => {
  const [[said = '', cited = ''] = []] = honest;
  assert.equal(isBelieved(said.padEnd(2000), cited), true);
  assert.equal(isBelieved(said.padEnd(2001), cited), false);
  const table = (rows: number): string => `The value is 1.01 s now${', 1.01 s'.repeat(rows)}.`;
  assert.equal(isBelieved(table(38), 'E3'), true);
  assert.equal(isBelieved(table(39), 'E3'), false);
});

test('of a component nothing is believed that was measured at another', () => {
  assert.equal(isBelieved('p90 latency of web was 1.02 s when the alert fired.', 'E3'), true);
  for (const other of ['cart', 'db', 'mail']) {
    const claim = `p90 latency of ${other} was 1.02 s when the alert fired.`;
    assert.deepEqual(problemsOf(claim, 'E3'), [other]);
  }
});
