import { memberOf } from '../../lib/parse.ts';
import type { EvidenceItem } from '../../report/report.ts';
import { citedIdsIn } from './cited-ids.ts';
import { isDerived } from './derive-number.ts';
import { factsOf, type Facts } from './evidence-facts.ts';
import { shareWord, unknownWords } from './known-words.ts';
import { isAbout, isStated, type Cited } from './match-number.ts';
import { isKnownMoment, type SaidMoment } from './moments.ts';
import { holdsName } from './names.ts';
import { ordersIn } from './orders.ts';
import { partOf, type SaidQuantity } from './quantity-text.ts';
import { holdsQuote } from './quotes.ts';
import { readSentence, type Sentence } from './read-sentence.ts';
import { contradictions } from './relations.ts';
import { fitsCount } from './role.ts';
import { ownTextOf } from './whose-words.ts';

export interface Claimed {
  readonly text: string;
  readonly evidence: readonly string[];
  /** A proposal says what to do, not what is; only the names and numbers in it are checked. */
  readonly isProposal?: boolean;
}

const lengthMax = 2000;
const citedMax = 16;
/** A sentence with more numbers than this is not checked and fails. */
const numbersMax = 40;

/**
 * The parts of a claim that the evidence which it cites does not bear out.
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
 * An empty answer supports only what denies. Names may also be those of the alert. Of a proposal,
 * which says what to do and not what is, the words are not checked.
 */
export function unsupportedIn(
  claim: Claimed,
  evidence: ReadonlyMap<string, EvidenceItem>,
): string[] {
  const { text } = claim;
  if (text.length > lengthMax) return [`${text.length} characters`];
  if (claim.evidence.length === 0) return ['none cited'];
  const cited = [...new Set([...claim.evidence, ...citedIdsIn(text)])].slice(0, citedMax);
  const stateOf = (id: string): string | undefined => evidence.get(id)?.state;
  // An item whose source failed supports nothing.
  const unusable = cited.filter((id) => stateOf(id) !== 'ok' && stateOf(id) !== 'empty');
  if (unusable.length > 0) return unusable;
  // An empty answer supports only that something is not.
  const items = cited.flatMap((id) => evidence.get(id) ?? [])
    .filter(({ state }) => state === 'ok' || denial.test(text));
  if (items.length === 0) return ['none with an answer'];
  const sentence = readSentence(text);
  const { length: count } = sentence.quantities;
  if (count >= numbersMax) return [`${count} numbers`];
  const all = [...evidence.values()];
  const alert = all.filter(({ kind, state }) => kind === 'alert' && state === 'ok');
  const sources = { items, all, alert: alert.slice(0, citedMax) };
  return [...factsWithout(claim, sentence, sources), ...wordsWithout(claim, sentence, sources)];
}

interface Sources {
  /** The items that the sentence cites. */
  readonly items: readonly EvidenceItem[];
  readonly alert: readonly EvidenceItem[];
  /** All evidence, cited or not. */
  readonly all: readonly EvidenceItem[];
}

const denial = /\b(?:no|none|nothing|not|never|neither|nor|without|empty)\b|n['’]t\b/i;

/** Ends what a denial is about, unless the list of it goes on. */
const denialEnd =
  /[;:.()—]|,(?! (?:that|or|nor)\b)|\b(?:and|but|while|whereas|although|because|with)\b/;

/** In which direction the alert's rule fires: 1 above, -1 below; null where no rule says. */
function badWayOf(evidence: readonly EvidenceItem[]): 1 | -1 | null {
  for (const { kind, data } of evidence) {
    const operator = kind === 'rule' || kind === 'series' ? String(memberOf(data, 'operator')) : '';
    if (operator.startsWith('>')) return 1;
    if (operator.startsWith('<')) return -1;
  }
  return null;
}

/** What is not among the facts and does not follow from them. */
function factsWithout(
  { text: claimed }: Claimed,
  { quotes, moments, quantities, names, words, text }: Sentence,
  { items, alert, all }: Sources,
): string[] {
  const [facts, told] = [items.map(factsOf), alert.map(factsOf)];
  const corpus = facts.map((fact) => fact.text).join('\n');
  const known = [corpus, ...told.map((fact) => fact.text)].join('\n');
  const alertBegan = told.map((fact) => fact.alertBegan).find((at) => at !== null) ?? null;
  const claim = claimed.toLowerCase();
  const cited = { facts, claim, alert: told, alertBegan, moments, text };
  const isBorneOut = (said: SaidQuantity, index: number): boolean => {
    // The total in "3 of 12" is checked with its part.
    const isTotal = index > 0 && quantities[index - 1]?.of === said.value;
    // "The 95th percentile" is also written `p95`.
    const isPercentile = said.kind === 'ordinal' && said.noun === 'percentile';
    return isTotal || isSupported(said, cited) ||
      isPercentile && isKnownName(known, `p${said.value}`, facts);
  };
  const aboutOf = ({ clause }: SaidMoment): readonly Facts[] =>
    facts.filter((fact) => isAbout(fact, clause.toLowerCase(), cited));
  return [
    ...quotes.filter((quote) => !holdsQuote(corpus, quote)),
    ...names.filter((name) => !isKnownName(known, name, facts)),
    ...moments.filter((said) => !isKnownMoment(said, aboutOf(said))).map((each) => each.text),
    ...quantities.filter((said, index) => !isBorneOut(said, index)).map((said) => said.text),
    // Digits, of any script, that were not recognised as quantities.
    ...words.match(/\S*\p{N}\S*/gu) ?? [],
    ...contradictions(text, { ...cited, badWay: badWayOf(all) }),
  ];
}

/** Words that the evidence lacks, and orders; or the whole text if it has nothing in common. */
function wordsWithout(
  { text, isProposal = false }: Claimed,
  { words, quotes, names, ...measured }: Sentence,
  { items, alert, all }: Sources,
): string[] {
  const own = items.map(ownTextOf).join('\n').toLowerCase();
  const orders = ordersIn(text.toLowerCase()).filter((order) => !own.includes(order));
  const isMeasured = measured.moments.length + measured.quantities.length > 0;
  const elsewhere = new Set(all.map(factsOf)
    .flatMap((fact) => [...fact.names, ...fact.ranking, ...fact.objects]));
  const unknownIn = (part: string, known: readonly EvidenceItem[]): string[] =>
    unknownWords(part, { items: known, alert, isMeasured, elsewhere });
  const answered = items.filter(({ state }) => state === 'ok');
  const unknown = answered.length === items.length ? unknownIn(words, items)
    : words.split(denialEnd).flatMap((clause) =>
      unknownIn(clause, denial.test(clause) ? items : answered));
  // Even in a proposal, a hyphen makes a name: `payments-db`.
  if (isProposal) return [...orders, ...unknown.filter((word) => word.includes('-'))];
  const isFound = isMeasured || quotes.length + names.length > 0 || shareWord(words, items);
  return [...orders, ...unknown, ...isFound ? [] : [text]];
}

function isSupported(said: SaidQuantity, cited: Cited): boolean {
  if (said.of === null) {
    return isStated(said, cited) || isDerived(said, cited) || isCounted(said, cited);
  }
  // "All three" of what nobody divided are the three that there are.
  const isDivided = cited.facts.some(({ shares }) =>
    shares.some(({ part, whole }) => whole === said.of || part === said.of));
  if (said.of === said.value && !isDivided) return isStated({ ...said, of: null, slack: 0 }, cited);
  return cited.facts.some(({ shares }) => shares.some(({ part, whole, role }) =>
    part === partOf(said) && whole === said.of && fitsCount(said.role, role)));
}

/** Whether it counts the cited items that have one title, or all but one of what an item counts. */
function isCounted({ kind, value, role, before }: SaidQuantity, { facts }: Cited): boolean {
  if (kind !== 'bare' || value < 2 || role !== null) return false;
  const titles = facts.map(({ text }) => text.split('\n', 1)[0]);
  return titles.some((title) => titles.filter((other) => other === title).length === value) ||
    /\bother $/i.test(before) &&
      facts.some(({ shares }) => shares.some(({ whole }) => whole === value + 1));
}

function isKnownName(known: string, name: string, facts: readonly Facts[]): boolean {
  if (holdsName(known, name)) return true;
  const [, status] = /^([1-5])xx$/i.exec(name) ?? [];
  if (status !== undefined) {
    return new RegExp(`(?<!\\d)${status}(?:\\.\\.|\\d\\d(?!\\d))`).test(known);
  }
  const [, percent] = /^p(\d{1,2}(?:\.\d+)?)$/i.exec(name) ?? [];
  if (percent !== undefined) {
    // Not divided: 99.9 / 100 is not 0.999.
    const quantile = Number(`${percent}e-2`);
    return known.includes(`quantile="${quantile}"`) || facts.some(({ numbers }) =>
      numbers.some(({ kind, value }) => kind === 'any' && Math.abs(value - quantile) < 1e-9));
  }
  const [, label, value] = /^([\w.]+)(?:=~?|:)["']?([^"']+)["']?$/.exec(name) ?? [];
  return label !== undefined && value !== undefined && holdsName(known, `${label}=${value}`);
}
