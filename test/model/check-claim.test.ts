import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkClaim } from '../../src/model/claims/check-claim.ts';
import type { EvidenceItem } from '../../src/report/report.ts';
import { shopReport } from '../support/shop-report.ts';
import { honest, lying, moreEvidence } from './claim-sentences.ts';

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
