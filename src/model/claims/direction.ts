import { baseIn } from './derive-number.ts';
import type { Facts } from './evidence-facts.ts';
import { isSame, meantNumbers } from './match-number.ts';
import { holdsName } from './names.ts';
import { clauseEnd, quantitiesIn, type SaidQuantity } from './quantity-text.ts';
import type { Role } from './role.ts';

/**
 * Words that contradict the evidence on directions and on sides of a limit: "fell to 198" contains
 * a true number and is false if the value rose to 198. Only unambiguous words count, and only where
 * every cited value that may be meant clearly moved the other way.
 */
export function contradictions(
  text: string,
  { facts, claim, known, badWay }: Pick<Place, 'facts' | 'claim' | 'known' | 'badWay'>,
): string[] {
  return text.split(clauseEnd).flatMap((words) => {
    const clause = words.toLowerCase();
    const { found } = quantitiesIn(words);
    const place: Place = { words, clause, named: clause, found, claim, facts, known, badWay };
    return [
      wrongWay, wrongSide, wrongRest, wrongRecovery, wrongTargets, wrongQuantifier, wrongCalm,
      wrongDenial,
    ]
      .map((find) => find(place)).filter((wrong) => wrong !== null);
  });
}

interface Place {
  readonly words: string;
  /** The same in lower case. */
  readonly clause: string;
  /** The clause with its names, as `meantNumbers` wants it. */
  readonly named: string;
  readonly found: readonly SaidQuantity[];
  readonly claim: string;
  readonly facts: readonly Facts[];
  /** The text of the cited items and of the alert, in lower case. */
  readonly known: string;
  /** 1 where the rule fires on high values, -1 on low ones; null where that is unknown. */
  readonly badWay: 1 | -1 | null;
}

const thanThen = ' than (?:before|yesterday|usual|normal|a (?:day|week))';
const rising = new RegExp(
  '\\b(?:r[io]s(?:e|es|en|ing)|increas(?:e|es|ed|ing)|grew|grow(?:s|n|ing)?|climb(?:s|ed|ing)?|' +
    'jump(?:s|ed|ing)?|spik(?:es|ed|ing)|surg(?:es|ed|ing)|soar(?:s|ed|ing)?|went up|' +
    `(?:higher|larger|more|slower|longer)${thanThen})\\b`,
);
/** Required behind "dropped by": in "requests dropped by the gateway" nothing decreased. */
const amount = '(?:(?:about|around|roughly|approximately|nearly|almost|over|more|less|than|only|' +
  'just|its|the|usual|normal|peak|of) |~){0,4}\\d';
/** Excludes words that look like a decrease and are none, such as "falls behind" and "dropped". */
const falling = new RegExp(
  '\\b(?:f[ea]ll(?:s|en|ing)?(?! (?:behind|over|out|through|victim))|decreas(?:e|es|ed|ing)|' +
    'declin(?:e|es|ed|ing)|dropp?(?:s|ed|ing)?(?= (?:to|below|sharply|steeply)\\b)|' +
    `dropp?(?:s|ed|ing)?(?= (?:from|by) ${amount})|` +
    'sank|shr[au]nk|plung(?:es|ed|ing)|plummet(?:s|ed|ing)?|went down|' +
    `(?:lower|smaller|less|fewer|faster|shorter)${thanThen})\\b`,
);
/** Ahead of the word, these say that something did not happen, or only might. */
const unreal = new RegExp(
  '\\b(?:no|not|never|nor|neither|none|hardly|without|absence|stop\\w*|ceas\\w*|before|until|if|' +
    'when(?:ever)?|whether|would|could|should|may|might|can|must|will|instead|rather|' +
    "expect\\w*)\\b|n['’]t\\b",
);
/** The same anywhere in the clause: "a fall has not been seen". */
const denied = /\b(?:not|never)\b|n['’]t\b/;
/** Measures where less is worse; they move the other way than usage and errors. */
const inverse = new RegExp(
  '\\b(?:free|available|availability|headroom|remaining|spare|idle|unused|capacity|success|' +
    'performance|speed|budget|hits?|left|uptime|reliability|quality)\\b',
);
/** The same in the names of what was measured. */
const inverseNames = /avail|success|remain|free|unused|idle|uptime|headroom|budget|\bhits?\b/;
/** Usage may be computed from what is free. */
const isOfUse = /used|usage|utili[sz]|\b1(?:00)? ?-/;

/** The word for a direction in which nothing moved. */
function wrongWay(place: Place): string | null {
  const { clause, found } = place;
  const [up, down] = [rising.exec(clause), falling.exec(clause)];
  const word = up ?? down;
  if (word === null || up !== null && down !== null) return null;
  const ahead = clause.slice(0, word.index);
  if (unreal.test(ahead) || denied.test(clause)) return null;
  // "Free space grew from 5 % to 4 %" contradicts itself, whatever was measured.
  const isSpelled = /^ from\b/.test(clause.slice(word.index + word[0].length));
  const way = up === null ? -1 : 1;
  const isTold = (isSpelled || !inverse.test(clause)) && found.some((one, index) => {
    const next = found[index + 1];
    if (next?.kind !== one.kind || next.role !== 'after') return false;
    if (one.role !== 'before' && !/\bfrom [^,;]{0,20}$/i.test(one.before)) return false;
    return Math.sign(next.value - one.value) === -way;
  });
  if (isTold) return word[0];
  if (!isSubjectKnown(ahead, place.known)) return null;
  const courses = coursesOf(place, way);
  const isStrong = strong.test(clause);
  return courses.length > 0 && courses.every((course) => {
    return course === -way || isStrong && course === 0;
  }) ? word[0] : null;
}

/** With one of these, a value moved far; what stayed within a tenth did not. */
const strong = new RegExp(
  '\\b(?:spik(?:es|ed|ing)|surg(?:es|ed|ing)|soar(?:s|ed|ing)?|jump(?:s|ed|ing)?|' +
    'plung(?:es|ed|ing)|plummet(?:s|ed|ing)?|sharply|steeply|dramatically)\\b',
);

/** Words for amounts, which do not say what was measured. */
const ofAmounts = new RegExp(
  '^(?:and|the|its|this|that|their|has|have|had|was|were|are|been|value|rate|level|number|count|' +
    'share|ratio|total|amount|average|mean|median|percentile|current|usage|utili[sz]ation|' +
    'consumption|sharply|clearly|suddenly|quickly|then|also|since|slightly|strongly|steadily|' +
    'significantly|from|for|time|times|while|during|with|then|on)$',
);

/** Whether the evidence mentions the subject: the clause may be about something else. */
function isSubjectKnown(ahead: string, known: string): boolean {
  return [...ahead.matchAll(/\p{L}{3,}/gu)].map(([word]) => word)
    .every((word) => ofAmounts.test(word) || known.includes(word.slice(0, 6).replace(/s$/, '')));
}

const starts: readonly (Role | null)[] = ['before', 'yesterday', 'week', 'fire'];
const ends: readonly (Role | null)[] = ['after', 'fire', 'now', 'end'];
const numbersMax = 100;
/** A relative change below this counts as no movement. */
const clearShare = 0.1;

/** A value below its peak by this factor may be said to fall although it rose before. */
const peakShare = 1.25;

/** How the values that the clause may mean moved: 1 up, -1 down, 0 neither. */
function coursesOf(place: Place, way: number, share = clearShare): number[] {
  const isOfRest = inverse.test(place.clause);
  const base = baseIn(place.clause);
  const pairs = place.facts.filter(({ text }) => {
    return isOfRest ? inverseNames.test(text) && !isOfUse.test(text) : !inverseNames.test(text);
  }).flatMap((fact) => {
    const peak = fact.numbers.find(({ role, isOfRole }) => role === 'max' && isOfRole);
    const numbers = meantNumbers(place, fact)
      .filter(({ role }) => starts.includes(role) || ends.includes(role)).slice(0, numbersMax);
    const bases = numbers.filter(({ role }) => starts.includes(role));
    const named = bases.filter(({ role }) => role === base);
    return (named.length > 0 ? named : bases).flatMap((from) => {
      return numbers.filter((to) => ends.includes(to.role) && to.role !== from.role &&
        to.kind === from.kind && to.names.join() === from.names.join())
        .filter((to) => way > 0 || to.value <= from.value || peak === undefined ||
          peak.value <= to.value * peakShare)
        .map((to) => ({ from, to }));
    });
  });
  const said = pairs.filter(({ to }) => place.found.some((one) => isSame(one, to)));
  return (said.length > 0 ? said : pairs).map(({ from, to }) => {
    const size = Math.max(Math.abs(from.value), Math.abs(to.value));
    return Math.abs(to.value - from.value) <= size * share
      ? 0 : Math.sign(to.value - from.value);
  });
}

const resting = new RegExp(
  '\\b(?:(?:was|were|is|are|remain(?:s|ed|ing)?|stay(?:s|ed|ing)?) (?:\\w+ )?(?:stable|steady|' +
    'flat|constant|unchanged|unaffected)|(?:stay(?:s|ed)|remain(?:s|ed)) at)\\b',
);
/** With one of these in the claim, a value may have moved before it came to rest. */
const restsSince = /\b(?:since|after(?:wards)?|then|thereafter|elevated|high|still|now)\b/;
/** Relative change from which a value cannot be said to have stayed where it was. */
const notAtRest = 0.5;

/** The words that claim rest for something that has moved. */
function wrongRest(place: Place): string | null {
  const { clause, claim, known } = place;
  const words = resting.exec(clause);
  if (words === null || restsSince.test(claim)) return null;
  if (rising.test(claim) || falling.test(claim)) return null;
  const ahead = clause.slice(0, words.index);
  if (unreal.test(ahead) || denied.test(clause) || !isSubjectKnown(ahead, known)) return null;
  const courses = coursesOf(place, 1, notAtRest);
  return courses.length > 0 && courses.every((course) => course !== 0) ? words[0] : null;
}

const recovering = new RegExp(
  '\\b(?:recover(?:s|ed|ing)|improv(?:es|ed|ing)|eas(?:es|ed|ing)|subsid(?:es|ed|ing)|' +
    'normali[sz](?:es|ed|ing)|resolv(?:es|ed|ing) (?:itself|on its own)|back to normal)\\b',
);

/** The word for a recovery of something that has become worse since the alert fired. */
function wrongRecovery({ clause, facts, badWay }: Place): string | null {
  const word = recovering.exec(clause);
  if (word === null || badWay === null || denied.test(clause)) return null;
  if (unreal.test(clause.slice(0, word.index))) return null;
  const courses = facts.flatMap(({ numbers }) => {
    const [fired] = numbers.filter(({ role }) => role === 'fire').slice(-1);
    const later = numbers.filter(({ role }) => role === 'now' || role === 'end');
    return fired === undefined ? [] : later.filter(({ kind }) => kind === fired.kind)
      .map(({ value }) => (value - fired.value) / Math.max(Math.abs(value), Math.abs(fired.value)));
  });
  const isWorse = courses.length > 0 && courses.every((share) => share * badWay > clearShare);
  return isWorse ? word[0] : null;
}

const objects = '\\b(?:targets?|pods?|replicas?)\\b(?:(?!\\bnot\\b).){0,60}';
const objectsDown = new RegExp(`${objects}\\b(?:down|unreachable|unready|not (?:up|ready))\\b`);
const allUp = new RegExp(
  `\\b(?:all|every|each)\\b.{0,20}${objects}\\b(?:up|healthy|reachable|ready)\\b`,
);
const isUp = /\b(?:is|are|was|were|becomes?|became) (?:(?!not\b)\w+ )?(?:ready|healthy)\b/;

/** The words that call targets or pods down where all are up, or up where some or all are not. */
function wrongTargets({ clause, facts, found }: Place): string | null {
  const shares = facts.flatMap((fact) => fact.shares.filter(({ role }) => role === 'up'));
  if (shares.length === 0 || found.length > 0) return null;
  const isAlways = (test: (share: Facts['shares'][number]) => boolean): boolean => {
    return shares.every(test);
  };
  const wrong = [
    ...isAlways(({ part, whole }) => part === whole) ? [objectsDown] : [],
    ...isAlways(({ part, whole }) => part < whole) ? [allUp] : [],
    ...isAlways(({ part, whole }) => part === 0 && whole > 0) ? [isUp] : [],
  ];
  const words = wrong.map((pattern) => pattern.exec(clause)).find((match) => match !== null);
  return words === undefined || unreal.test(clause.slice(0, words.index)) ? null : words[0];
}

const countable = '(?:targets?|pods?|replicas?|series|instances?)\\b' +
  '(?:(?!\\b(?:not|other)\\b).){0,40}';
const states = {
  up: '\\b(?:up|healthy|reachable|ready)\\b',
  beyond: '\\b(?:beyond|above|over|exceed(?:s|ed|ing)?)\\b',
};
type Share = Facts['shares'][number];
const quantifiers: readonly (readonly [word: string, isTrue: (share: Share) => boolean])[] = [
  ['(?<!\\bnot )\\b(?:all|every|each)\\b(?! but\\b)', ({ part, whole }) => part === whole],
  ['\\b(?:no|none|neither)\\b', ({ part }) => part === 0],
  ['\\bnot (?:all|every)\\b', ({ part, whole }) => part < whole],
];

/** Words for all, none or some of the targets or series where other numbers of them are counted. */
function wrongQuantifier({ clause, facts }: Place): string | null {
  for (const [state, words] of Object.entries(states)) {
    const shares = facts.flatMap((fact) => fact.shares.filter(({ role }) => role === state));
    if (shares.length === 0) continue;
    for (const [word, isTrue] of quantifiers) {
      const found = new RegExp(`${word}(?! other).{0,20}?${countable}${words}`).exec(clause);
      if (found === null || unreal.test(clause.slice(0, found.index))) continue;
      if (!shares.some(isTrue)) return found[0];
    }
  }
  return null;
}

const neverFired = new RegExp(
  '\\balert\\b.{0,12}\\b(?:never|not) (?:yet )?fired?\\b' +
    '(?!.*\\b(?:before|earlier|again|since|until|previous\\w*|other\\w*|for|yesterday)\\b)',
);

/** The words that say of the alert, which has fired, that it did not. */
function wrongCalm({ clause }: Place): string | null {
  return neverFired.exec(clause)?.[0] ?? null;
}

/** Names of states in Kubernetes, such as `OOMKilled`. */
const state = '\\p{Lu}\\w*\\p{Ll}\\p{Lu}\\w*|\\p{Lu}{2,}\\p{Ll}\\w+';
const deniedState =
  new RegExp(`(?:\\b(?:not|never|no|without)|n['’]t)(?: \\w+){0,2} (${state})`, 'u');

/** The words that deny a state which the evidence reports. */
function wrongDenial({ words, facts }: Place): string | null {
  const [denial, name = ''] = deniedState.exec(words) ?? [];
  const isTold = facts.some(({ text }) => holdsName(text, name));
  return denial !== undefined && isTold ? denial : null;
}

const ofLimit = '(?: the| its| their| this| that)?' +
  "(?: \\d[\\d.,]*(?: ?[a-zµ%][a-z/]{0,12})?)?(?: [a-z'-]+)? (?:limit|threshold)\\b";
const isAbove = new RegExp(`\\b(?:above|over|beyond|exceed(?:s|ed|ing)?)${ofLimit}`);
const isBelow = new RegExp(`\\b(?:below|under|within|beneath)${ofLimit}`);
const past = /\b(?:yesterday|week|before|earlier|usual|usually|normal|normally|until|once)\b/;
const measured: readonly (Role | null)[] = ['fire', 'now', 'end', 'after'];

/** The words for a side of the limit on which no value is. */
function wrongSide(place: Place): string | null {
  const { clause, found, facts } = place;
  const [above, below] = [isAbove.exec(clause), isBelow.exec(clause)];
  const words = above ?? below;
  if (words === null || above !== null && below !== null || past.test(clause)) return null;
  const ahead = clause.slice(0, words.index);
  const isDenied = /(?:\b(?:no longer|not)|n['’]t) (?:\w+ )?$/.test(ahead);
  if (unreal.test(ahead) && !isDenied) return null;
  // Values in a list have a name and no role.
  const values = facts.flatMap((fact) => meantNumbers(place, fact).filter(({ role }) => {
    // The "after" of a rule that "fires after 5 min" is not a measurement.
    return role !== 'after' || fact.numbers.some((other) => other.role === 'before');
  }))
    .filter(({ role, names }) => measured.includes(role) || role === null && names.length > 0)
    .filter(({ role }) => role !== 'fire' || !/\b(?:now|currently)\b/.test(clause));
  const said = values.filter((value) => found.some((one) => isSame(one, value)));
  const limits = facts.flatMap(({ numbers }) => numbers).filter(({ role }) => role === 'limit');
  const sides = (said.length > 0 ? said : values).flatMap((value) => {
    return limits.flatMap((limit) => {
      // A rule may have a share as a ratio or in percent.
      const isUnknown = limit.kind === 'any' && value.kind === 'percent';
      if (limit.kind !== value.kind && limit.kind !== 'any') return [];
      return [limit.value, ...(isUnknown ? [limit.value * 100] : [])]
        .map((border) => Math.sign(value.value - border));
    });
  });
  const wrong = (above === null) === isDenied ? -1 : 1;
  return sides.length > 0 && sides.every((side) => side === wrong) ? words[0] : null;
}
