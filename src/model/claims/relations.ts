import { baseIn } from './derive-number.ts';
import type { Facts } from './evidence-facts.ts';
import { measuresRest, speaksOfRest } from './free-or-used.ts';
import { isAbout, isSame, meantNumbers, measuresChange, type Cited } from './match-number.ts';
import { falling, rising } from './movement.ts';
import { holdsName } from './names.ts';
import { pairsIn } from './pairs.ts';
import { clauseEnd, quantitiesIn } from './quantity-text.ts';
import { areNone, type Context, type Place, type Relation } from './relation.ts';
import type { Role } from './role.ts';
import { sequences, wrongOrders } from './sequences.ts';

/**
 * The words that contradict the evidence: "fell to 198" contains a true number and is false if the
 * value rose to 198. Only unambiguous words count.
 */
export function contradictions(text: string, context: Context): string[] {
  const wrongIn = (part: string, relations: readonly Relation[]): string[] => {
    const place = { ...context, clause: part.toLowerCase(), found: quantitiesIn(part).found };
    return relations.flatMap(({ words: pattern, unless, isFalse }) => {
      const words = pattern.exec(place.clause);
      if (words === null || unless?.test(place.clause) === true) return [];
      return isFalse(place, words) ? [words[0].trim()] : [];
    });
  };
  return [
    ...text.split(clauseEnd).flatMap((clause) => wrongIn(clause, relations)),
    ...text.split(/;|\.(?=\s|$)/).flatMap((sentence) => wrongIn(sentence, sequences)),
    ...wrongOrders(text, context),
    ...wrongDenials(text, context),
  ];
}

const unreal = new RegExp(
  '\\b(?:no|not|never|nor|neither|none|without|before|until|if|when(?:ever)?|would|could|may|' +
    "might|can|will|instead)\\b|n['’]t\\b",
);

/** Whether what is ahead of the words says that something did not happen, or only might. */
function isUnreal(clause: string, { index }: RegExpExecArray): boolean {
  return unreal.test(clause.slice(0, index));
}

/** The same anywhere in the clause: "a fall has not been seen". */
const denied = /\b(?:not|never)\b|n['’]t\b/;

/** With one of these, a value moved far; what stayed within a tenth did not. */
const strong = new RegExp(
  '\\b(?:spik(?:es|ed|ing)|surg(?:es|ed|ing)|soar(?:s|ed|ing)?|jump(?:s|ed|ing)?|' +
    'plung(?:es|ed|ing)|plummet(?:s|ed|ing)?|sharply|steeply|dramatically)\\b',
);

const moves = (words: RegExp, unless: RegExp, way: 1 | -1): Relation => ({
  words, unless: new RegExp(`${unless.source}|${denied.source}`),
  isFalse: (place, found) => {
    if (isUnreal(place.clause, found)) return false;
    // The value of an `increase()` is by how much something grew.
    const isGrowth = way === 1 && measuresChange(place.facts);
    if (isGrowth && place.found.some(({ role }) => role === 'change')) return false;
    const spelled = spelledCourse(place, found);
    return areNone(spelled === null ? coursesOf(place, way) : [spelled], (course) =>
      course === way || course === 0 && !strong.test(place.clause));
  },
});

const resting = new RegExp(
  '\\b(?:(?:was|were|is|are|remain(?:s|ed|ing)?|stay(?:s|ed|ing)?) (?:\\w+ )?(?:stable|steady|' +
    'flat|constant|unchanged|unaffected)|(?:stay(?:s|ed)|remain(?:s|ed)) at)\\b',
);
/** What moved may have come to rest since. */
const restingSince = new RegExp(
  '\\b(?:since|after(?:wards)?|then|thereafter|elevated|high|still|now)\\b|' +
    `${rising.source}|${falling.source}`,
);
const recovering = new RegExp(
  '\\b(?:recover(?:s|ed|ing)|improv(?:es|ed|ing)|eas(?:es|ed|ing)|subsid(?:es|ed|ing)|' +
    'normali[sz](?:es|ed|ing)|resolv(?:es|ed|ing) (?:itself|on its own)|back to normal)\\b',
);
const sideOfLimit = new RegExp(
  '(?<denied>\\b(?:no longer|not) (?:\\w+ )?)?' +
    '\\b(?:(?<above>above|over|beyond|exceed(?:s|ed|ing)?)|below|under|within|beneath)' +
    '(?: the| its| their| this| that)?(?: \\d[\\d.,]*(?: ?[a-zµ%][a-z/]{0,12})?)?' +
    "(?: [a-z'-]+)? (?:limit|threshold|(?<=\\b(?:below|under) its )minimum)\\b",
);
/** "No errors of api", "no failed requests": of a thing that may have been measured. */
const absence = new RegExp(
  // The words left out are in the titles of items that measure something else.
  '\\b(?:no|without any|without) (?!(?:alerts?|series|values?)\\b)' +
    '(?<thing>[a-z]{3,30}(?: [a-z]{3,30})??)' +
    '(?=$|[.,]| (?:of|in|on|at|for|from|was|were|is|are|has|have|had|left|now|currently)\\b)',
);
/** Words for another time than the one that was measured last. */
const atAnotherTime =
  /\b(?:yesterday|week|before|earlier|usual|usually|normal|normally|until|once)\b/;
/** Says of a component that no other moved as much. */
const ranksFirst = new RegExp(
  '\\b(?:(?:moved|changed|rose) (?:by far )?(?:(?:the )?most|more than any)|' +
    'ranks? (?:first|highest)|has the (?:highest|largest|top) score)\\b',
);
const ofObjects = new RegExp(
  '(?:(?<none>\\b(?:no|none|neither)\\b)|(?<some>\\bnot (?:all|every)\\b)|' +
    '(?<all>\\b(?:all|(?<both>both)|every|each)\\b(?! but\\b)))?(?:(?!\\bnot\\b).){0,20}?' +
    '\\b(?:targets?|pods?|replicas?|series|instances?|servers?|hosts?|nodes?)\\b(?: other\\b)?' +
    '(?:(?!\\b(?:not|other)\\b).){0,40}(?<not>\\bnot )?(?:\\w+ )?' +
    '\\b(?:(?<up>up|healthy|reachable|ready|scraped)|(?<down>down|unreachable|unready)|' +
    '(?<beyond>beyond|above|over|exceed(?:s|ed|ing)?))\\b',
);

/** Whether nothing is counted that would tell of all, or that there are no others. */
function isUncounted({ facts }: Place, [words]: RegExpExecArray): boolean {
  const [word = ''] = words.split(' ');
  return facts.every(({ shares, text }) => shares.length === 0 && !holdsName(text, word));
}

const rises = moves(rising, falling, 1);
const falls = moves(falling, rising, -1);

const relations: readonly Relation[] = [
  rises, falls,
  {
    words: resting, unless: denied,
    isFalse: (place) => !restingSince.test(place.claim) &&
      areNone(coursesOf(place, 1, notAtRest), (course) => course === 0),
  },
  {
    words: recovering, unless: denied,
    isFalse: (place, words) => !isUnreal(place.clause, words) &&
      areNone(coursesSinceFire(place), (course) => course !== place.badWay),
  },
  {
    words: sideOfLimit,
    unless: atAnotherTime,
    isFalse: (place, words) => {
      const { denied: not, above } = words.groups ?? {};
      const said = (above === undefined) === (not === undefined) ? -1 : 1;
      const isOnSide = (side: number): boolean => side === 0 || side === said;
      return !isUnreal(place.clause, words) &&
        (!hasLimit(place) || areNone(sidesOfLimit(place), isOnSide));
    },
  },
  {
    words: absence, unless: atAnotherTime,
    isFalse: (place, words) => !isUnreal(place.clause, words) &&
      areNone(valuesOf(words.groups?.['thing'] ?? '', place), (value) => value === 0),
  },
  {
    words: ranksFirst, unless: denied,
    isFalse: (place, words) => !isFirst(place, words),
  },
  { words: ofObjects, isFalse: isFalseOfObjects },
  {
    words: /\b(?:is|are) (?:down|unreachable|unready)\b/, unless: denied,
    isFalse: (place, words) => !isUnreal(place.clause, words) &&
      areNone(sharesOf(place, 'up'), ({ part, whole }) => part < whole),
  },
  {
    // "Both servers", of what moved in one of two.
    words: new RegExp(
      '\\b(?:both|all|each|every)(?: of)?(?: the)?(?: [\\w.:-]+){0,2} ' +
        '(?:targets?|pods?|replicas?|instances?|servers?|hosts?|nodes?)\\b',
    ),
    unless: denied,
    isFalse: (place) => areNone(
      sharesOf(place, null).filter(({ whole }) => whole > 1), ({ part, whole }) => part === whole,
    ),
  },
  {
    words: new RegExp(
      '\\bonly (?!\\d|an?\\b|after|before|when|if|because|since|for|in|on|by|with|at|from|to)' +
        "(?:[\\w.:'-]+ ){1,3}(?:is|are|was|were|has|had|have|exists?)\\b",
    ),
    isFalse: isUncounted,
  },
  {
    // "From 1.9.1 to 1.9.0" of an upgrade.
    words: /\bfrom (?<from>\S+) to (?<to>\S+?)(?=[.,;:)]*(?:\s|$))/,
    isFalse: ({ facts }, { 0: words, groups: { from, to } = {} }) =>
      facts.some(({ text }) => holdsName(text, `from ${to} to ${from}`)) &&
      !facts.some(({ text }) => holdsName(text, words)),
  },
  {
    // What nobody counted is not known of all.
    words: new RegExp(
      '\\b(?:all(?! (?:of )?(?:th(?:is|at|[eo]se|em)|signs|the (?:time|while|evidence)|' +
        'in all)\\b)|every(?! (?:\\d|minute|hour|day|few|time)))\\b',
    ),
    // "cart, web and db all rose" is said of those alone.
    unless:
      /\b(?:(?:at|not|after|above) all|all (?:but|are|were|have|had|show|r[io]se|fell|\w+ed))\b/,
    isFalse: isUncounted,
  },
];

/** "Free space grew from 5 % to 4 %" contradicts itself, whatever was measured. */
function spelledCourse({ clause, found }: Place, words: RegExpExecArray): number | null {
  const isSpelled = /^ from\b/.test(clause.slice(words.index + words[0].length));
  if (!isSpelled && speaksOfRest(clause)) return null;
  const from = found.findIndex((one, index) =>
    found[index + 1]?.role === 'after' && found[index + 1]?.kind === one.kind &&
      (one.role === 'before' || /\bfrom [^,;]{0,20}$/i.test(one.before)));
  const [one, next] = [found[from], found[from + 1]];
  return one === undefined || next === undefined ? null : Math.sign(next.value - one.value);
}

const starts: readonly (Role | null)[] = ['before', 'yesterday', 'week', 'fire'];
/** A relative change below this counts as no movement. */
const clearShare = 0.1;
/** Relative change from which a value cannot be said to have stayed where it was. */
const notAtRest = 0.5;
/** A value below its peak by this factor may be said to fall although it rose before. */
const peakShare = 1.25;

/** How the values that the clause may mean moved: 1 up, -1 down, 0 neither. */
function coursesOf(place: Place, way: 1 | -1, share = clearShare): number[] {
  const { clause, facts, found } = place;
  const base = baseIn(clause);
  const pairs = facts.filter((fact) => measuresRest(fact) === speaksOfRest(clause))
    .flatMap((fact) => {
      const peak = fact.numbers.find(({ role, isOfRole }) => role === 'max' && isOfRole);
      const all = pairsIn(fact, clause, place).filter(({ from, to }) => {
        const hasPassed = peak !== undefined && peak.value > to.value * peakShare;
        return starts.includes(from.role) && to.role !== 'max' &&
          (way > 0 || to.value <= from.value || !hasPassed);
      });
      const named = all.filter(({ from }) => from.role === base);
      return named.length > 0 ? named : all;
    });
  const said = pairs.filter(({ to }) => found.some((one) => isSame(one, to)));
  return (said.length > 0 ? said : pairs)
    .map(({ from, to }) => courseOf(from.value, to.value, share));
}

function courseOf(from: number, to: number, share: number): number {
  const size = Math.max(Math.abs(from), Math.abs(to));
  return Math.abs(to - from) <= size * share ? 0 : Math.sign(to - from);
}

function coursesSinceFire({ facts, badWay }: Place): number[] {
  if (badWay === null) return [];
  return facts.flatMap(({ numbers }) => {
    const fired = numbers.findLast(({ role }) => role === 'fire');
    return numbers.filter(({ role, kind }) => {
      return (role === 'now' || role === 'end') && kind === fired?.kind;
    }).map(({ value }) => courseOf(fired?.value ?? value, value, 0));
  });
}

const measured: readonly (Role | null)[] = ['fire', 'now', 'end', 'after'];

/** On which side of the limit the values are that the clause may mean. */
function sidesOfLimit(place: Place): number[] {
  const { clause, found, facts } = place;
  // Values in a list have a name and no role.
  const values = facts.flatMap((fact) => meantNumbers(fact, clause, place)
    // The "after" of a rule that "fires after 5 min" is not a measurement.
    .filter(({ role }) => role !== 'after' || fact.numbers.some((one) => one.role === 'before')))
    .filter(({ role, names }) => measured.includes(role) || role === null && names.length > 0)
    .filter(({ role }) => role !== 'fire' || !/\b(?:now|currently)\b/.test(clause));
  const said = values.filter((value) => found.some((one) => isSame(one, value)));
  const limits = facts.flatMap(({ numbers }) => numbers).filter(({ role }) => role === 'limit');
  return (said.length > 0 ? said : values).flatMap((value) => limits.flatMap((limit) => {
    if (limit.kind !== value.kind && limit.kind !== 'any') return [];
    // A rule may have a share as a ratio or in percent.
    const isUnknown = limit.kind === 'any' && value.kind === 'percent';
    return [limit.value, ...isUnknown ? [limit.value * 100] : []]
      .map((border) => Math.sign(value.value - border));
  }));
}

function hasLimit({ facts }: Place): boolean {
  return facts.some(({ numbers }) => numbers.some(({ role }) => role === 'limit'));
}

/** The values of a thing, wherever the title of an item has all words of its name. */
function valuesOf(thing: string, place: Place): number[] {
  const words = thing.split(' ')
    .map((word) => new RegExp(`(?<![a-z])${word.replace(/s$/, '')}s?(?![a-z])`));
  return place.facts
    .filter(({ text }) => words.every((word) => word.test(text.split('\n', 1)[0] ?? '')))
    .flatMap((fact) => meantNumbers(fact, place.clause, place))
    .filter(({ role }) => measured.includes(role)).map(({ value }) => value);
}

/** Whether the component that is named ahead of the words moved most, where any were ranked. */
function isFirst({ clause, facts }: Place, words: RegExpExecArray): boolean {
  const ahead = clause.slice(0, words.index);
  const ranked = facts.filter(({ ranking }) => ranking.length > 0);
  return ranked.length === 0 || ahead.trim() === '' ||
    ranked.some(({ ranking }) => ranking.findIndex((name) => holdsName(ahead, name)) === 0);
}

/** The shares of this role in what the clause is about. */
function sharesOf(place: Place, role: Role | null): Facts['shares'] {
  return place.facts.filter((fact) => isAbout(fact, place.clause, place))
    .flatMap(({ shares }) => shares.filter((share) => share.role === role));
}

/** How many of the objects are as it is said; what nobody counted is not known of all. */
function isFalseOfObjects(place: Place, { 0: words, groups = {} }: RegExpExecArray): boolean {
  const { all, both, none, some, down, not, beyond } = groups;
  const sought = beyond === undefined ? 'up' : 'beyond';
  const isTurned = down !== undefined || not !== undefined;
  const counts = sharesOf(place, sought)
    .map(({ part, whole }) => ({ part: isTurned ? whole - part : part, whole }));
  const shares = counts.map(({ part, whole }) => part / Math.max(whole, 1));
  if ((all ?? none ?? some) === undefined) {
    // Numbers are looked up by themselves.
    return place.found.length === 0 && sought === 'up' && areNone(shares, (share) => share > 0);
  }
  // "Ready fell from 1 to 0 in 2 of 2 replicas".
  const moved = down === undefined ? [] : sharesOf(place, null);
  if (shares.length === 0) return !moved.some(({ part, whole }) => part === whole);
  // Both may be two of more.
  if (both !== undefined && counts.some(({ part }) => part === 2)) return false;
  return areNone(shares, (share) => {
    if (some !== undefined || /\bother\b/.test(words)) return share < 1;
    return share === (none === undefined ? 1 : 0);
  });
}

/** Names of states in Kubernetes, such as `OOMKilled`. */
const state = '\\p{Lu}\\w*\\p{Ll}\\p{Lu}\\w*|\\p{Lu}{2,}\\p{Ll}\\w+';
const deniedState = new RegExp(`(?:\\b(?:not|never|no)|n['’]t)(?: \\w+){0,2} (${state})`, 'gu');

/** The words that deny a state which the evidence reports. */
function wrongDenials(text: string, { facts }: Cited): string[] {
  return [...text.matchAll(deniedState)].filter(([, name = '']) =>
    facts.some((fact) => holdsName(fact.text, name))).map(([words]) => words);
}
