import type { Facts } from './evidence-facts.ts';
import { isSame, meantNumbers } from './match-number.ts';
import { clauseEnd, quantitiesIn, type SaidQuantity } from './quantity-text.ts';
import type { Role } from './role.ts';

/**
 * Which way things went, and on which side of a limit they are: "fell to 198" holds a true number
 * and is a lie where 198 is what it rose to. Only words that say nothing else count, and only where
 * all that is cited and could be meant went the other way, clearly.
 */
export function contradictions(
  text: string,
  { facts, claim }: { readonly facts: readonly Facts[]; readonly claim: string },
): string[] {
  return text.split(clauseEnd).flatMap((words) => {
    const clause = words.toLowerCase();
    const { found } = quantitiesIn(words);
    const place: Place = { clause, found, claim, facts };
    return [wrongWay(place), wrongSide(place)].filter((wrong) => wrong !== null);
  });
}

interface Place {
  readonly clause: string;
  readonly found: readonly SaidQuantity[];
  readonly claim: string;
  readonly facts: readonly Facts[];
}

const thanThen = ' than (?:before|yesterday|usual|normal|a (?:day|week))';
const rising = new RegExp(
  '\\b(?:r[io]s(?:e|es|en|ing)|increas(?:e|es|ed|ing)|grew|grow(?:s|n|ing)?|climb(?:s|ed|ing)?|' +
    'jump(?:s|ed|ing)?|spik(?:es|ed|ing)|surg(?:es|ed|ing)|soar(?:s|ed|ing)?|went up|' +
    `(?:higher|larger|more|slower|longer)${thanThen})\\b`,
);
/** Who falls behind has more to do, and what is dropped is not less. */
const falling = new RegExp(
  '\\b(?:f[ea]ll(?:s|en|ing)?(?! (?:behind|over|out|through|victim))|decreas(?:e|es|ed|ing)|' +
    'declin(?:e|es|ed|ing)|dropp?(?:s|ed|ing)?(?= (?:to|from|by|below|sharply|steeply|when)\\b)|' +
    'sank|shr[au]nk|plung(?:es|ed|ing)|plummet(?:s|ed|ing)?|went down|' +
    `(?:lower|smaller|less|fewer|faster|shorter)${thanThen})\\b`,
);
/** Before the word: it says what did not happen, or what would. */
const unreal = new RegExp(
  "\\b(?:not|never|nor|without|no longer|stop\\w*|ceas\\w*|before|until|if|when(?:ever)?|whether|" +
    "would|could|should|may|might|can|must|will|instead|rather|expect\\w*)\\b|n['’]t\\b",
);
/** What is left goes the other way than what is used, and what is good than what is bad. */
const inverse = new RegExp(
  '\\b(?:free|available|availability|headroom|remaining|spare|idle|unused|capacity|success|' +
    'performance|budget)\\b',
);

/** The word for a way that nothing went. */
function wrongWay(place: Place): string | null {
  const { clause, found } = place;
  const [up, down] = [rising.exec(clause), falling.exec(clause)];
  const word = up ?? down;
  if (word === null || up !== null && down !== null) return null;
  if (unreal.test(clause.slice(0, word.index)) || inverse.test(clause)) return null;
  const way = up === null ? -1 : 1;
  const isTold = found.some((one, index) => {
    const next = found[index + 1];
    if (next?.kind !== one.kind || one.role !== 'before' || next.role !== 'after') return false;
    return Math.sign(next.value - one.value) === -way;
  });
  if (isTold) return word[0];
  const courses = coursesOf(place);
  return courses.length > 0 && courses.every((course) => course === -way) ? word[0] : null;
}

const starts: readonly (Role | null)[] = ['before', 'yesterday', 'week', 'fire'];
const ends: readonly (Role | null)[] = ['after', 'fire', 'now', 'end'];
const numbersMax = 100;
/** What differs by less went nowhere, as far as words are concerned. */
const clearShare = 0.1;

/** How what the clause may mean went: 1 up, -1 down, 0 neither; by what it says of the ends. */
function coursesOf(place: Place): number[] {
  const pairs = place.facts.flatMap((fact) => {
    const numbers = meantNumbers(place, fact)
      .filter(({ role }) => starts.includes(role) || ends.includes(role)).slice(0, numbersMax);
    return numbers.filter(({ role }) => starts.includes(role)).flatMap((from) => {
      return numbers.filter((to) => ends.includes(to.role) && to.role !== from.role &&
        to.kind === from.kind && to.names.join() === from.names.join())
        .map((to) => ({ from, to }));
    });
  });
  const said = pairs.filter(({ to }) => place.found.some((one) => isSame(one, to)));
  return (said.length > 0 ? said : pairs).map(({ from, to }) => {
    const size = Math.max(Math.abs(from.value), Math.abs(to.value));
    return Math.abs(to.value - from.value) <= size * clearShare
      ? 0 : Math.sign(to.value - from.value);
  });
}

const ofLimit = "(?: the| its| their| this| that)?(?: [a-z'-]+)? (?:limit|threshold)\\b";
const isAbove = new RegExp(`\\b(?:above|over|beyond|exceed(?:s|ed|ing)?)${ofLimit}`);
const isBelow = new RegExp(`\\b(?:below|under|within|beneath)${ofLimit}`);
const past = /\b(?:yesterday|week|before|earlier|usual|usually|normal|normally|until|once)\b/;
const measured: readonly (Role | null)[] = ['fire', 'now', 'end', 'after'];

/** The words for a side of the limit on which nothing is. */
function wrongSide(place: Place): string | null {
  const { clause, found, facts } = place;
  const [above, below] = [isAbove.exec(clause), isBelow.exec(clause)];
  const words = above ?? below;
  if (words === null || above !== null && below !== null || past.test(clause)) return null;
  if (unreal.test(clause.slice(0, words.index))) return null;
  const values = facts.flatMap((fact) => meantNumbers(place, fact))
    .filter(({ role }) => measured.includes(role));
  const said = values.filter((value) => found.some((one) => isSame(one, value)));
  const limits = facts.flatMap(({ numbers }) => numbers).filter(({ role }) => role === 'limit');
  const sides = (said.length > 0 ? said : values).flatMap((value) => {
    return limits.flatMap((limit) => {
      // A rule compares shares as they are, or as percent.
      const isUnknown = limit.kind === 'any' && value.kind === 'percent';
      if (limit.kind !== value.kind && limit.kind !== 'any') return [];
      return [limit.value, ...(isUnknown ? [limit.value * 100] : [])]
        .map((border) => Math.sign(value.value - border));
    });
  });
  const wrong = above === null ? 1 : -1;
  return sides.length > 0 && sides.every((side) => side === wrong) ? words[0] : null;
}
