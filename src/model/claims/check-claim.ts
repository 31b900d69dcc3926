import type { EvidenceItem } from '../../report/report.ts';
import { citedIdsIn } from './cited-ids.ts';
import { isDerived } from './derive-number.ts';
import { factsOf, type Facts } from './evidence-facts.ts';
import { shareWord, unknownWords } from './known-words.ts';
import { isStated, type Cited } from './match-number.ts';
import { isKnownMoment } from './moments.ts';
import { holdsName } from './names.ts';
import { ordersIn } from './orders.ts';
import type { SaidQuantity } from './quantity-text.ts';
import { holdsQuote } from './quotes.ts';
import { readSentence, type Sentence } from './read-sentence.ts';
import { contradictions } from './relations.ts';
import { fitsCount } from './role.ts';
import { ownTextOf } from './whose-words.ts';

export interface ClaimProblem {
  readonly what: 'evidence' | 'number' | 'time' | 'name' | 'quote' | 'words' | 'length';
  /** The part of the claim, or the cited id, that could not be found. */
  readonly text: string;
}

export interface CheckedClaim {
  readonly verified: boolean;
  readonly problems: readonly ClaimProblem[];
}

export interface Claimed {
  readonly text: string;
  readonly evidence: readonly string[];
  /** A proposal says what to do, not what is; only the names and numbers in it are checked. */
  readonly isProposal?: boolean;
}

const lengthMax = 2000;
const citedMax = 16;
const problemsMax = 12;
/** A sentence with more numbers than this is not checked and fails. */
const numbersMax = 40;

/**
 * Checks a sentence against the evidence that it cites.
 *
 * What is not in the evidence may not be said. `evidence-facts.ts` lists what an item contains:
 * numbers with their unit and role, moments, shares, texts. `read-sentence.ts` takes the sentence
 * apart in the same way. Then
 *
 * - each number, moment, name and quote must be among the facts, or follow from them;
 * - each other word must be in the evidence, unless it only describes; beside a number one may be
 *   new that is no name, fault, deed or judgement (`known-words.ts`);
 * - no value may be said to have moved the other way than it did, nor to be on the other side of
 *   its limit (`relations.ts`).
 *
 * Names may also be those of the alert. Of a proposal, which says what to do and not what is, the
 * words are not checked.
 */
export function checkClaim(
  claim: Claimed,
  evidence: ReadonlyMap<string, EvidenceItem>,
): CheckedClaim {
  const { length } = claim.text;
  if (length > lengthMax) return checked([problem('length', `${length} characters`)]);
  const cited = [...new Set([...claim.evidence, ...citedIdsIn(claim.text)])].slice(0, citedMax);
  const missing = cited.filter((id) => !evidence.has(id));
  if (missing.length > 0) return checked(missing.map((id) => problem('evidence', id)));
  const items = cited.flatMap((id) => evidence.get(id) ?? []).filter(({ state }) => state === 'ok');
  if (claim.evidence.length === 0) return checked([problem('evidence', 'none cited')]);
  if (items.length === 0) return checked([problem('evidence', 'none with an answer')]);
  const alert = [...evidence.values()]
    .filter(({ kind, state }) => kind === 'alert' && state === 'ok').slice(0, citedMax);
  const sentence = readSentence(claim.text);
  const { length: count } = sentence.quantities;
  if (count >= numbersMax) return checked([problem('length', `${count} numbers`)]);
  const all = [...evidence.values()].map(factsOf);
  const elsewhere = new Set(all.flatMap(({ names, ranking }) => [...names, ...ranking]));
  const cites = { items, alert, elsewhere };
  return checked([
    ...factProblems(claim, sentence, { ...cites, badWay: badWayOf(evidence.values()) }),
    ...wordProblems(claim, sentence, cites),
  ]);
}

function checked(problems: readonly ClaimProblem[]): CheckedClaim {
  return { verified: problems.length === 0, problems: problems.slice(0, problemsMax) };
}

interface Sources {
  /** The items that the sentence cites. */
  readonly items: readonly EvidenceItem[];
  readonly alert: readonly EvidenceItem[];
  /** Names in lower case of what the evidence is about, cited or not. */
  readonly elsewhere: ReadonlySet<string>;
}

/** In which direction the alert's rule fires: 1 above, -1 below; null where no rule says. */
function badWayOf(evidence: Iterable<EvidenceItem>): 1 | -1 | null {
  for (const { kind, data } of evidence) {
    if (kind !== 'rule' && kind !== 'series' || typeof data !== 'object' || data === null) continue;
    const operator = 'operator' in data ? String(data.operator) : '';
    if (operator.startsWith('>')) return 1;
    if (operator.startsWith('<')) return -1;
  }
  return null;
}

function factProblems(
  { text: claimed }: Claimed,
  { quotes, moments, quantities, names, words, text }: Sentence,
  { items, alert, badWay }: Sources & { readonly badWay: 1 | -1 | null },
): ClaimProblem[] {
  const [facts, told] = [items.map(factsOf), alert.map(factsOf)];
  const corpus = facts.map((fact) => fact.text).join('\n');
  const known = [corpus, ...told.map((fact) => fact.text)].join('\n');
  const alertBegan = told.map((fact) => fact.alertBegan).find((at) => at !== null) ?? null;
  const cited = { facts, claim: claimed.toLowerCase(), alertBegan };
  const knownMoments = facts.flatMap((fact) => fact.moments);
  return [
    ...quotes.filter((quote) => !holdsQuote(corpus, quote)).map((quote) => problem('quote', quote)),
    ...names.filter((name) => !isKnownName(known, name, facts))
      .map((name) => problem('name', name)),
    ...moments.filter((moment) => !isKnownMoment(moment, knownMoments))
      .map((moment) => problem('time', moment.text)),
    ...quantities.filter((said, index) => {
      const isWhole = index > 0 && quantities[index - 1]?.of === said.value;
      return !isWhole && !isSupported(said, cited);
    }).map((said) => problem('number', said.text)),
    // Digits that were not recognised as quantities.
    ...[...words.matchAll(/\S*\d\S*/g)].map(([token]) => problem('number', token)),
    ...contradictions(text, { ...cited, badWay }).map((wrong) => problem('words', wrong)),
  ];
}

function isSupported(said: SaidQuantity, cited: Cited): boolean {
  if (said.of !== null) return isShareOf(said, said.of, cited);
  return isStated(said, cited) || isDerived(said, cited);
}

function wordProblems(
  { text, isProposal = false }: Claimed,
  { words, quotes, names, ...measured }: Sentence,
  { items, alert, elsewhere }: Sources,
): ClaimProblem[] {
  const own = items.map(ownTextOf).join('\n').toLowerCase();
  const orders = ordersIn(text.toLowerCase()).filter((order) => !own.includes(order));
  const isMeasured = measured.moments.length + measured.quantities.length > 0;
  const unknown = unknownWords(words, { items, alert, isMeasured, elsewhere });
  // Even in a proposal, a hyphen makes a name: `payments-db`.
  const strange = isProposal ? unknown.filter((word) => word.includes('-')) : unknown;
  const isFound = isMeasured || quotes.length + names.length > 0 || shareWord(words, items);
  return [...orders, ...strange, ...isFound || isProposal ? [] : [text]]
    .map((wrong) => problem('words', wrong));
}

function problem(what: ClaimProblem['what'], text: string): ClaimProblem {
  return { what, text: text.slice(0, 120) };
}

function isShareOf({ role, value }: SaidQuantity, whole: number, { facts }: Cited): boolean {
  return facts.some(({ shares }) => shares.some((share) => {
    return share.part === value && share.whole === whole && fitsCount(role, share.role);
  }));
}

function isKnownName(known: string, name: string, facts: readonly Facts[]): boolean {
  if (holdsName(known, name)) return true;
  const [, status] = /^([1-5])xx$/i.exec(name) ?? [];
  if (status !== undefined) {
    return new RegExp(`(?<!\\d)${status}(?:\\.\\.|\\d\\d(?!\\d))`).test(known);
  }
  const [, percent] = /^p(\d{1,2}(?:\.\d+)?)$/i.exec(name) ?? [];
  if (percent !== undefined) {
    const quantile = Number(percent) / 100;
    return facts.some(({ numbers }) => numbers.some(({ kind, value }) => {
      return kind === 'any' && Math.abs(value - quantile) < 1e-9;
    })) || new RegExp(`\\bquantile="${quantile}"`).test(known);
  }
  const [, label, value] = /^([\w.]+)(?:=~?|:)["']?([^"']+)["']?$/.exec(name) ?? [];
  return label !== undefined && value !== undefined && holdsName(known, `${label}=${value}`);
}
