import type { EvidenceItem, Narrative, Report, Statement } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import type { Claimed } from '../claims/check-claim.ts';
import type { ModelAnswer } from './answer-schema.ts';
import { summaryMax } from './read-answer.ts';

/** How what a model says is held against the evidence. */
export interface Checks {
  /** Whether every number, time, name and quote of the claim stands in what it cites. */
  readonly checkClaim: (
    claim: Claimed,
    evidence: ReadonlyMap<string, EvidenceItem>,
  ) => { readonly verified: boolean };
  /** Takes out addresses, commands and image names that stand in no evidence. */
  readonly cleanProse: (text: string, report: Report) => string;
}

export type Claim = Extract<Narrative, { state: 'present' }>['claims'][number];

/** An answer as far as the evidence bears it out. */
export interface Judged {
  readonly text: string;
  readonly claims: readonly Claim[];
  /** Whether enough was borne out for the answer to change what code concluded. */
  readonly isTrusted: boolean;
  readonly verify: (statement: Claimed) => boolean;
  readonly clean: (text: string) => string;
}

/** Less than this share of claims borne out, and an answer changes nothing of the verdict. */
const trustedShare = 1 / 2;
const claimMax = 300;

/** Holds every claim and every sentence of the summary against the evidence. */
export function judgeAnswer(
  answer: ModelAnswer,
  report: Report,
  checks: Checks,
): Judged {
  const evidence = new Map(report.evidence.map((item) => [item.id, item]));
  const clean = (text: string): string => shownText(checks.cleanProse(text, report), claimMax);
  /** What a source failed to tell supports nothing. */
  const usable = (ids: readonly string[]): string[] => ids.filter((id) => {
    const state = evidence.get(id)?.state;
    return state === 'ok' || state === 'empty';
  });
  const verify = (statement: Claimed): boolean => {
    const cited = usable(statement.evidence);
    return cited.length > 0 && cited.length === statement.evidence.length &&
      checks.checkClaim({ ...statement, evidence: cited }, evidence).verified;
  };
  const claims = claimsOf(answer).flatMap((claim): Claim[] => {
    const known = claim.evidence.filter((id) => evidence.has(id));
    const text = clean(claim.text);
    const statement = { text, evidence: known };
    return text === '' ? [] : [{ ...statement, verified: verify(statement) }];
  });
  const proven = claims.filter(({ verified }) => verified);
  const text = sentencesOf(checks.cleanProse(answer.summary, report))
    .filter((sentence) => {
      return citedIn(sentence, evidence, proven)
        .some((ids) => verify({ text: sentence, evidence: ids }));
    })
    .join(' ');
  return {
    text: shownText(text, summaryMax), claims, verify, clean,
    isTrusted: proven.length > 0 && proven.length >= claims.length * trustedShare,
  };
}

/** The facts, and explanations that the report does not list. */
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
 * A sentence rests on what it names itself, else on what any one of the proven claims rests on: in
 * all of it together there would be some number for every lie.
 */
function citedIn(
  sentence: string,
  evidence: ReadonlyMap<string, EvidenceItem>,
  proven: readonly Claim[],
): readonly (readonly string[])[] {
  const named = [...sentence.matchAll(/\bE\d{1,4}\b/gu)].map(([id]) => id);
  const known = [...new Set(named.filter((id) => evidence.has(id)))];
  return known.length > 0 ? [known] : proven.map((claim) => claim.evidence);
}

/** Cut behind full stops that a new sentence follows; `1.5 s` and `e.g. this` stay whole. */
function sentencesOf(text: string): string[] {
  return shownText(text, summaryMax).split(/(?<=[.!?])\s+(?=[\p{Lu}\d"'(])/u)
    .filter((sentence) => sentence !== '');
}
