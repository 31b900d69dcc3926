import type { Claim, EvidenceItem, Statement } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { unsupportedIn, type Claimed } from '../claims/check-claim.ts';
import { citedIdsIn } from '../claims/cited-ids.ts';
import { summaryMax, type ModelAnswer } from './answer-schema.ts';

/** An answer reduced to what the evidence bears out. */
export interface Judged {
  readonly text: string;
  readonly claims: readonly Claim[];
  /** Whether enough claims were verified for the answer to affect the verdict. */
  readonly isTrusted: boolean;
  readonly verify: (statement: Claimed) => boolean;
  readonly clean: (text: string) => string;
}

/** Share of claims to be verified; below it the answer does not affect the verdict. */
const trustedShare = 1 / 2;
const claimMax = 300;

/**
 * Checks every claim and every sentence of the summary against the evidence. `cleanText` removes
 * addresses, commands and the like.
 */
export function judgeAnswer(
  answer: ModelAnswer,
  items: readonly EvidenceItem[],
  cleanText: (text: string) => string,
): Judged {
  const evidence = new Map(items.map((item) => [item.id, item]));
  const clean = (text: string): string => shownText(cleanText(text), claimMax);
  const verify = (statement: Claimed): boolean => unsupportedIn(statement, evidence).length === 0;
  const claims = claimsOf(answer).flatMap((claim): Claim[] => {
    const known = claim.evidence.filter((id) => evidence.has(id));
    const text = clean(claim.text);
    const statement = { text, evidence: known };
    return text === '' ? [] : [{ ...statement, verified: verify(statement) }];
  });
  const proven = claims.filter(({ verified }) => verified);
  const text = sentencesOf(cleanText(answer.summary))
    .filter((sentence) =>
      citedIn(sentence, evidence, proven).some((ids) => verify({ text: sentence, evidence: ids })))
    .join(' ');
  return {
    text: shownText(text, summaryMax), claims, verify, clean,
    isTrusted: proven.length > 0 && proven.length >= claims.length * trustedShare,
  };
}

/** The facts, and the supported hypotheses that the report does not list. */
function claimsOf({ facts, hypotheses }: ModelAnswer): Statement[] {
  const own = hypotheses.filter(({ about, status }) => about === null && status === 'supported');
  return [
    ...facts.map(({ claim, evidence_ids: evidence }) => ({ text: claim, evidence })),
    ...own.map(({ statement, for_ids: evidence }) => {
      return { text: `Another explanation: ${statement}`, evidence };
    }),
  ];
}

/**
 * The sets of evidence that a sentence may rest on: the items it names itself, or else those of any
 * one verified claim. All items together would hold a matching number for almost any lie.
 */
function citedIn(
  sentence: string,
  evidence: ReadonlyMap<string, EvidenceItem>,
  proven: readonly Claim[],
): readonly (readonly string[])[] {
  const known = [...new Set(citedIdsIn(sentence).filter((id) => evidence.has(id)))];
  return known.length > 0 ? [known] : proven.map((claim) => claim.evidence);
}

/** Ids behind a full stop are of the sentence before it. */
const sentenceEnd =
  /(?<=[.!?](?:\s?[[(]E\d[^\])]{0,60}[\])])?)\s+(?!\(E\d)(?=[\p{Lu}\d"'(])/u;

/** Splits at a full stop only where a new sentence follows; `1.5 s` and `e.g. this` stay whole. */
function sentencesOf(text: string): string[] {
  return shownText(text, summaryMax).split(sentenceEnd)
    .filter((sentence) => sentence !== '');
}
