import type { EvidenceItem } from '../../report/report.ts';
import { citedId, citedIdsIn } from './cited-ids.ts';
import { isDerived } from './derive-number.ts';
import { contradictions } from './direction.ts';
import { factsOf, type Facts } from './evidence-facts.ts';
import { misplaced, ungrounded, type Wording } from './grounding.ts';
import { isAtMoment, isStated, type Sought } from './match-number.ts';
import { isKnownMoment, momentsIn, type SaidMoment } from './moments.ts';
import { holdsName, namesIn } from './names.ts';
import { withDigits } from './number-words.ts';
import { quantitiesIn, type SaidQuantity } from './quantity-text.ts';
import { holdsQuote, takeQuotes } from './quotes.ts';
import { fitsCount } from './role.ts';
import { wrongSequence } from './sequence.ts';

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
 * - Each number (with its unit and role), moment, name and quote must be in that evidence or follow
 *   from it. Exempt are evidence ids, the numbers of steps and hypotheses, and counts up to five of
 *   hypotheses, reasons and the like.
 * - No value may be said to have moved the other way than it did, nor on the other side of the
 *   alert.
 * - An all-clear or an order must be in the evidence literally.
 * - So must most words of a sentence without numbers and moments; in one that has some, the words
 *   that name a cause, a failure or a release, and some words of each sentence beside it.
 */
export function checkClaim(
  claim: Claimed,
  evidence: ReadonlyMap<string, EvidenceItem>,
): CheckedClaim {
  const { length } = claim.text;
  if (length > lengthMax) return unverified([problem('length', `${length} characters`)]);
  const cited = new Set([...claim.evidence, ...citedIdsIn(claim.text)].slice(0, citedMax));
  const missing = [...cited].filter((id) => !evidence.has(id));
  const items = [...cited].flatMap((id) => evidence.get(id) ?? []);
  const answered = items.filter(({ state }) => state === 'ok');
  const problems: ClaimProblem[] = missing.map((id) => ({ what: 'evidence', text: id }));
  if (claim.evidence.length === 0) problems.push({ what: 'evidence', text: 'none cited' });
  else if (answered.length === 0) problems.push({ what: 'evidence', text: 'none with an answer' });
  const facts = answered.map(factsOf);
  const alert = [...evidence.values()]
    .filter(({ kind, state }) => kind === 'alert' && state === 'ok');
  const told = alert.slice(0, citedMax).map(factsOf);
  const badWay = badWayOf(evidence.values());
  const found = problemsIn(claim.text, { facts, alert: told, badWay });
  problems.push(...found.problems);
  if (problems.length > 0) return unverified(problems);
  const known = [...facts, ...told].map((fact) => fact.text).join('\n');
  const elsewhere = misplaced(claim.text, { known, evidence: evidence.values() });
  if (elsewhere !== null) return unverified([problem('name', elsewhere)]);
  const wording = { ...found, text: claim.text, isProposal: claim.isProposal === true };
  const baseless = ungrounded(wording, { items: answered, alert });
  if (baseless !== null) return unverified([problem('words', baseless)]);
  return { verified: true, problems };
}

function unverified(problems: readonly ClaimProblem[]): CheckedClaim {
  return { verified: false, problems: problems.slice(0, problemsMax) };
}

/** Numbers that label parts of the text and measure nothing. */
const structural = [
  citedId,
  /\b(?:step|hypothesis|option|phase) #?\d{1,2}(?![\d.,]*\d|\s?[%×/]|\s?[a-z])/gi,
  /^\s*(?:\d{1,2}[.)]|\(\d{1,2}\)) /g,
];

/** Things that a sentence counts in its own reasoning, not in the world. */
const thoughts = new RegExp(
  '^(?:(?:possible|likely|other|further|more|competing|plausible|different|next|open) )*' +
    '(?:hypothes[ie]s|explanations?|reasons?|possibilit(?:y|ies)|options?|scenarios?|' +
    'interpretations?|theor(?:y|ies)|questions?|pieces? of evidence|observations?|' +
    'caveats?|steps?)\\b',
  'i',
);
const thoughtsMax = 5;

interface Found extends Omit<Wording, 'text' | 'isProposal'> {
  readonly problems: readonly ClaimProblem[];
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

interface Told {
  readonly facts: readonly Facts[];
  readonly alert: readonly Facts[];
  readonly badWay: 1 | -1 | null;
}

/** Reports write a score as `z=4.1`, which would otherwise be read as a name. */
const score = /(?<![\w.])z ?= ?(?=-?\d)/gi;

function problemsIn(text: string, { facts, alert, badWay }: Told): Found {
  const plain = structural.reduce((rest, pattern) => {
    return rest.replace(pattern, ' ');
  }, text.normalize('NFKC')).replace(score, 'z of ');
  const corpus = facts.map((fact) => fact.text).join('\n');
  const { quotes, rest: unquoted } = takeQuotes(plain);
  const said = withDigits(unquoted);
  const { moments, rest } = momentsIn(said);
  const { found, rest: left } = quantitiesIn(rest);
  const known = [corpus, ...alert.map((fact) => fact.text)].join('\n');
  const claim = text.toLowerCase();
  const alertBegan = alert.map((fact) => fact.alertBegan).find((at) => at !== null) ?? null;
  const context = { facts, claim, alertBegan };
  const numbers = found.filter((one) => !isThought(one)).slice(0, numbersMax);
  const names = namesIn(rest);
  const unnamed = names.reduce((plainer, name) => plainer.replaceAll(name, ' '), rest);
  const isMeasured = moments.length + found.length > 0;
  const wording = { unnamed, isMeasured, isNamed: quotes.length + names.length > 0 };
  if (numbers.length === numbersMax) {
    return { problems: [problem('length', `${found.length} numbers`)], ...wording };
  }
  const problems = [
    ...quotes.filter((quote) => !holdsQuote(corpus, quote)).map((quote) => problem('quote', quote)),
    ...names.filter((name) => !isKnownName(known, name, facts))
      .map((name) => problem('name', name)),
    ...momentProblems(moments, { found, ...context }),
    ...numbers.flatMap((one, index) => {
      const isFound = isSupported(one, { ...context, moments }) ||
        index > 0 && numbers[index - 1]?.of === one.value;
      return isFound ? [] : [problem('number', one.text)];
    }),
    ...unread(left, corpus),
    ...contradictions(rest, { facts, claim, known, badWay })
      .map((words) => problem('words', words)),
    ...wrongSequence(rest, context).map((words) => problem('words', words)),
  ];
  return { problems, ...wording };
}

function problem(what: ClaimProblem['what'], text: string): ClaimProblem {
  return { what, text: text.slice(0, 120) };
}

function isThought({ kind, value, after }: SaidQuantity): boolean {
  return kind === 'bare' && value <= thoughtsMax && thoughts.test(after.trim());
}

interface Context {
  readonly facts: readonly Facts[];
  readonly alertBegan: number | null;
  readonly claim: string;
  readonly moments: readonly SaidMoment[];
}

function isSupported(said: SaidQuantity, { moments, ...context }: Context): boolean {
  const sought = soughtOf(said, context);
  if (said.of !== null) return isShareOf(sought, said.of);
  if (isStated(sought) || isDerived(sought)) return true;
  return momentsOf(said, moments).some((moment) => isAtSaid(sought, moment));
}

function soughtOf(
  said: SaidQuantity,
  { claim, facts, alertBegan }: Omit<Context, 'moments'>,
): Sought {
  const [clause, named] = [said.clause.toLowerCase(), said.named.toLowerCase()];
  return { said, claim, clause, named, facts, alertBegan };
}

function isShareOf({ said, facts }: Sought, whole: number): boolean {
  return facts.some(({ shares }) => shares.some((share) => {
    return share.part === said.value && share.whole === whole && fitsCount(said.role, share.role);
  }));
}

function momentsOf(said: SaidQuantity, moments: readonly SaidMoment[]): SaidMoment[] {
  return moments.filter(({ clause, time }) => time !== null && clause.includes(said.text));
}

/** A time without a date is on any day that the item covers. */
function isAtSaid(sought: Sought, { at, time }: SaidMoment): boolean {
  if (at !== null) return isAtMoment(sought, at);
  if (time === null) return false;
  const day = 86_400_000;
  const all = sought.facts.flatMap(({ points }) => points);
  const edges = all.flatMap(({ start, step, values }) => [start, start + step * values.length]);
  const days = new Set(edges.map((edge) => Math.floor(edge / day) * day));
  return [...days].some((midnight) => isAtMoment(sought, midnight + time));
}

function momentProblems(
  moments: readonly SaidMoment[],
  { found, ...context }: { found: readonly SaidQuantity[] } & Omit<Context, 'moments'>,
): ClaimProblem[] {
  const known = context.facts.flatMap((fact) => fact.moments);
  return moments
    .filter((moment) => !isKnownMoment(moment, known))
    .filter((moment) => !found.some((said) => {
      // Known if the points have the claimed value at that moment.
      const sought = soughtOf(said, context);
      return momentsOf(said, [moment]).length > 0 && isAtSaid(sought, moment);
    }))
    .map(({ text }) => problem('time', text));
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

/** Digits that were not recognised as quantities, and vague counts such as "dozens of". */
function unread(left: string, corpus: string): ClaimProblem[] {
  const digits = [...left.matchAll(/\S*\d\S*/g)].map(([token]) => problem('number', token));
  const vague = [...left.matchAll(/\b(?:dozens|hundreds|thousands|millions|billions) (?:of )?/gi)]
    .map(([token]) => token.trim().toLowerCase())
    .filter((token) => !corpus.includes(token)).map((token) => problem('number', token));
  return [...digits, ...vague];
}
