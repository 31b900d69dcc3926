import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkClaim } from '../../../src/model/claims/check-claim.ts';
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

function check(text: string, cited: string): ReturnType<typeof checkClaim> {
  return checkClaim({ text, evidence: cited.split(' ') }, ledger);
}

test('the table of sentences is large enough to mean something', () => {
  assert.ok(honest.length >= 60 && lying.length >= 60, `${honest.length} ${lying.length}`);
});

for (const [text, cited] of honest) {
  test(`checkClaim believes: ${text}`, () => {
    assert.deepEqual(check(text, cited).problems, []);
  });
}

for (const [text, cited, lie = ''] of lying) {
  test(`checkClaim does not believe: ${text}`, () => {
    const { verified, problems } = check(text, cited);
    assert.equal(verified, false);
    const told = problems.map((problem) => problem.text).join(' | ');
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

test('checkClaim believes no honest sentence in which one number was altered', () => {
  let count = 0;
  const believed: string[] = [];
  for (const [text, cited] of honest) {
    for (const lie of altered(text)) {
      count += 1;
      if (check(lie, cited).verified) believed.push(lie);
    }
  }
  assert.ok(count > 700);
  assert.deepEqual(believed, []);
});

test('checkClaim does not take a point of a series for its value', () => {
  const { data } = ledger.get('E9') ?? {};
  const { values } = data as { readonly values: readonly (number | null)[] };
  const others = values.filter((value) => value !== null)
    .filter((value) => Math.abs(value - 0.909) > 0.01);
  for (const said of ['is', 'rose to', 'stayed at', 'dropped to']) {
    const believed = others.filter((value) => {
      return check(`CPU of db ${said} ${value} cores.`, 'E9').verified;
    });
    assert.deepEqual(believed, [], said);
  }
});

test('checkClaim takes a point of a series for its value at the moment that is said', () => {
  const { data } = ledger.get('E9') ?? {};
  const { values, start, step_seconds: step } = data as {
    readonly values: readonly number[]; readonly start: string; readonly step_seconds: number;
  };
  const at = new Date(Date.parse(start) + 30 * step * 1000).toISOString();
  for (const said of [at, at.slice(11, 16)]) {
    assert.deepEqual(check(`At ${said} CPU of db was ${values[30]} cores.`, 'E9').problems, []);
    assert.equal(check(`At ${said} CPU of db was 0.4 cores.`, 'E9').verified, false);
  }
  const otherDay = `2025-01-01${at.slice(10)}`;
  assert.equal(check(`At ${otherDay} CPU of db was ${values[30]} cores.`, 'E9').verified, false);
});

type Uncheckable = readonly [why: string, cited: readonly string[], problem: string];

const uncheckable: readonly Uncheckable[] = [
  ['cites nothing', [], 'none cited'],
  ['cites what failed', ['X6'], 'none with an answer'],
  ['cites what is empty', ['E15'], 'none with an answer'],
  ['cites what does not exist', ['E3', 'E99'], 'E99'],
];

for (const [why, evidence, problem] of uncheckable) {
  test(`checkClaim does not verify what ${why}`, () => {
    const { verified, problems } = checkClaim({ text: 'It is slow.', evidence }, ledger);
    assert.equal(verified, false);
    assert.deepEqual(problems.map(({ text }) => text), [problem]);
  });
}

test('checkClaim looks in a proposal only for what it names', () => {
  const text = 'Compare the backups with those of db.';
  const isVerified = (claim: string, isProposal: boolean): boolean => {
    return checkClaim({ text: claim, evidence: ['E9'], isProposal }, ledger).verified;
  };
  assert.deepEqual([isVerified(text, true), isVerified(text, false)], [true, false]);
  assert.equal(isVerified(text.replace('db', 'payments-db'), true), false);
});

test('checkClaim ends soon whatever is claimed and cited', () => {
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
    checkClaim({ text: claim, evidence: ['H'] }, new Map([['H', hostile]]));
    const milliseconds = cpuMs();
    assert.ok(milliseconds < 3000, `${text}: ${milliseconds} ms`);
  }
});

test('checkClaim believes nothing that is longer than a sentence, or a table', () => {
  const [[said = '', cited = ''] = []] = honest;
  assert.equal(check(said.padEnd(2000), cited).verified, true);
  assert.equal(check(said.padEnd(2001), cited).verified, false);
  const table = (rows: number): string => `The value is 1.01 s now${', 1.01 s'.repeat(rows)}.`;
  assert.equal(check(table(38), 'E3').verified, true);
  assert.equal(check(table(39), 'E3').verified, false);
});

test('checkClaim does not believe of a component what was measured at another', () => {
  assert.equal(check('p90 latency of web was 1.02 s when the alert fired.', 'E3').verified, true);
  for (const other of ['cart', 'db', 'mail']) {
    const claim = `p90 latency of ${other} was 1.02 s when the alert fired.`;
    const { problems } = check(claim, 'E3');
    assert.deepEqual(problems, [{ what: 'words', text: other }]);
  }
});
