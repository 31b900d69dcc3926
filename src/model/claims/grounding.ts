import type { EvidenceItem } from '../../report/report.ts';
import { withoutOwnWords } from './asked-evidence.ts';
import { holdsName } from './names.ts';
import { ordersIn } from './orders.ts';

/** Evidence whose wording outsiders control, by alerts or logs; it supports no judgement. */
export const kindsOfStrangers: ReadonlySet<EvidenceItem['kind']> =
  new Set(['alert', 'group', 'related', 'logs']);

/** Phrases that tell the reader that there is no need to act. */
const allClear = new RegExp(
  '\\b(?:nothing (?:is |was )?(?:wrong|to (?:do|see|mend|fix|worry))|no (?:real |actual )?' +
    '(?:problems?|issues?|action|incident)\\b|false (?:alarm|positive)|(?:is|are|looks?|seems?|' +
    'remains?|all) (?:\\w+ )?(?:fine|ok|okay|healthy|safe|harmless)|(?:can|may|should) be ' +
    '(?:safely )?(?:ignored|closed|silenced)|nobody (?:needs|has) to|(?:close|ignore) this|' +
    'needs? not|no need (?:to|for)|no reason to (?:worry|wake|act|panic|page|escalate)|' +
    'can (?:safely )?wait (?:until|till)|benign|by design|known (?:issue|problem|bug)|' +
    '(?:is|are|was|were) (?:fully |entirely |to be )?expected(?! (?:to|of|from)\\b)|' +
    '(?:planned|scheduled) (?:maintenance|downtime)|maintenance window|' +
    '(?:is|are|was|were) not (?:\\w+ )?(?:critical|urgent|serious|a concern)|' +
    'no (?:users?|customers?|impact)\\b|non-?event|back to (?:sleep|bed)|' +
    '(?:runs?|running|works?|working|operat(?:es|ing)|behav(?:es|ing)) ' +
    '(?:normally|fine|as expected)|' +
    'fehlalarm|falscher alarm|fausse alerte|falsa alarma|falso allarme)\\b',
  'giu',
);

/** Words that need no evidence: common ones, and verbs that only say that evidence exists. */
const ordinary = new Set([
  'the', 'and', 'for', 'was', 'are', 'has', 'had', 'its', 'all', 'any', 'now', 'but', 'not', 'one',
  'that', 'this', 'with', 'from', 'have', 'been', 'were', 'which', 'when', 'while', 'since',
  'then', 'there', 'their', 'they', 'before', 'after', 'about', 'alert', 'also', 'only', 'into',
  'alerts', 'fires', 'fired', 'firing', 'carries', 'says', 'shows', 'reads', 'called', 'named',
  'holds', 'reports', 'another', 'explanation', 'say', 'tells', 'label', 'labels', 'other',
  'others', 'same', 'both', 'beside', 'together', 'neither', 'nor',
]);
/** Ways to say that a component is busy; they need no evidence beside a named component. */
const busy = new Set([
  'being', 'becoming', 'busy', 'saturated', 'saturation', 'overloaded', 'overload', 'slow', 'load',
  'slower', 'heavy', 'heavily', 'loaded', 'contention', 'waits', 'waiting', 'held',
]);
/** Words are compared by so many of their first letters. */
const stemLength = 5;
/** Share of a sentence's words that the evidence has to contain. */
const sharedMin = 0.6;
/** The same for a sentence with a name that the evidence contains. */
const sharedBesideNames = 0.5;

/** A sentence beside others whose words are known to a smaller share is about something else. */
const strayBelow = 0.2;

/** A sentence whose numbers, times, names and quotes were found; its words are checked next. */
export interface Wording {
  readonly text: string;
  /** The text without names and quotes. */
  readonly unnamed: string;
  /** Whether it contains a number or a time. */
  readonly isMeasured: boolean;
  /** Whether it says what to do; its other words are not checked then. */
  readonly isProposal: boolean;
  readonly isNamed: boolean;
}

/**
 * The part of a sentence that the cited items do not support although its names are in them: an
 * all-clear or an order that is in none of them, or, in a sentence without numbers, most of its
 * words. From evidence worded by outsiders only names count: one true label does not make the rest
 * of a sentence true. Null when everything is supported.
 */
export function ungrounded(
  { text, unnamed, isMeasured, isNamed, isProposal }: Wording,
  { items, alert }: {
    /** The items that the sentence cites. */
    readonly items: readonly EvidenceItem[];
    readonly alert: readonly EvidenceItem[];
  },
): string | null {
  const told = items.map(withoutOwnWords);
  const corpus = textOf(told.filter(isOwn));
  const judging = ownTextOf(items);
  const said = text.toLowerCase();
  const judged = [...[...said.matchAll(allClear)].map(([found]) => found), ...ordersIn(said)]
    .find((found) => !judging.includes(found));
  if (judged !== undefined) return judged;
  const names = [...told, ...alert].filter(({ kind }) => kindsOfStrangers.has(kind))
    .map(namesOf).join(' ').toLowerCase();
  const shareOf = (words: readonly string[]): number => words.filter((word) => {
    return corpus.includes(word.slice(0, stemLength)) || holdsName(names, word);
  }).length / words.length;
  if (isProposal) return null;
  const outranked = outrankedIn(said, items);
  if (outranked !== null) return outranked;
  const known = `${corpus} ${names}`;
  const happened = eventsIn(unnamed.toLowerCase(), known);
  if (isMeasured) {
    const isPlaced = items.some(({ data }) => {
      return componentsIn(data).some((name) => holdsName(said, name));
    });
    return causesIn(unnamed).find((cause) => {
      const words = wordsIn(cause);
      const strange = isPlaced ? words.filter((word) => !busy.has(word)) : words;
      return strange.length > 0 && shareOf(words) < sharedBesideNames &&
        shareOf(strange) < sharedBesideNames;
    }) ?? happened ?? strayIn(unnamed, shareOf);
  }
  const words = wordsIn(unnamed);
  if (words.length === 0) return isNamed ? null : text;
  if (shareOf(words) < (isNamed ? sharedBesideNames : sharedMin)) return text;
  return happened ?? null;
}

/** Text of code and the sources themselves, in lower case, without outsiders' and model's words. */
export function ownTextOf(items: readonly EvidenceItem[]): string {
  const own = items.filter(isOwn).map(withoutOwnWords);
  return textOf(own, (name, value) => (strangersMembers.has(name) ? null : value));
}

/** Members whose text comes from whoever writes events or gives feedback. */
const strangersMembers: ReadonlySet<string> = new Set(['message', 'note', 'cause']);

function isOwn({ kind }: EvidenceItem): boolean {
  return !kindsOfStrangers.has(kind);
}

function textOf(
  items: readonly EvidenceItem[],
  kept: (name: string, value: unknown) => unknown = (_name, value) => value,
): string {
  return items.map(({ title, summary, query, data }) => {
    return `${title} ${summary} ${query ?? ''} ${JSON.stringify(data, kept)}`;
  }).join('\n').toLowerCase();
}

function wordsIn(text: string): string[] {
  return [...text.toLowerCase().matchAll(/\p{L}{3,}/gu)].map(([word]) => word)
    .filter((word) => !ordinary.has(word));
}

const causeBehind = new RegExp(
  '\\b(?:because(?: of)?|due to|owing to|thanks to|as a result of|(?:caused|triggered) by|' +
    '(?:cause|culprit)(?: of [^.,;:]{1,40})? (?:is|was)(?: (?:most |very )?(?:likely|probably))?' +
    '(?! (?:not|un\\w+|still|yet)\\b))\\b',
  'gi',
);
const causeBefore = /\b(?:caused|triggered|led to|resulted in) (?!by\b)/gi;

/** Failures of programs; a sentence may state them only if the evidence mentions them. */
const events = new RegExp(
  '\\b(?:oom|out of memory|throttl|leak|crash|evict|deadlock|corrupt|exhaust|ran out|' +
    'roll(?:ed|ing)? ?back|misconfigur|ddos|hack|expired)',
  'g',
);
const unsure = new RegExp(
  '\\b(?:may|might|could|would|can|not|no|if|whether|suggest\\w*|(?:un)?likely|possibl[ey]|' +
    "probabl[ey]|perhaps|consistent with|indicat\\w*|points? to|check)\\b|n['’]t\\b|\\?",
);

/** Changes made by people, in words that say that one took place. */
const releases = new RegExp(
  '\\b(?:since|after|following|from|with|by|during) (?:(?:the|a|an|its|this|that|last|latest|' +
    'recent|new) ){1,3}(?:(?:deploy|rollout|release|upgrade|migration|version|' +
    '(?:config(?:uration)?|code) change)\\b|deployment(?= (?:at|of|on)\\b|[.,;]|$))|' +
    '\\b(?:was|were|been|got) (?:\\w+ly |just )?(?:deployed|redeployed|released|rolled out|' +
    'upgraded|migrated|reconfigured)\\b',
  'g',
);
const released = new RegExp(
  '\\b(?:rollout|roll(?:ed|ing)? ?(?:out|back)|revision|releas|deploy(?!ment)|redeploy|upgrad|' +
    'migrat|reconfigur|version|restarted by hand|config(?:uration)? change)', 'i',
);

/** The first failure or change that a sentence states as a fact and the evidence does not. */
function eventsIn(said: string, known: string): string | undefined {
  const clauses = said.split(/[.,;:](?=\s|$)/).filter((clause) => !unsure.test(clause));
  const failures = clauses.flatMap((clause) => [...clause.matchAll(events)])
    .map(([found]) => found).filter((event) => !known.includes(event.slice(0, stemLength)));
  const changes = released.test(known) ? []
    : clauses.flatMap((clause) => [...clause.matchAll(releases)]).map(([found]) => found);
  return [...failures, ...changes][0];
}

/** Beside a sentence with a number, one without any must not be about something else. */
function strayIn(unnamed: string, shareOf: (words: readonly string[]) => number): string | null {
  // Times, quotes and names have left blanks.
  const sentences = unnamed.split(/;|\.(?=\s|$)/).filter((one) => !/\d| {4,}/.test(one));
  const stray = sentences.find((one) => {
    const words = wordsIn(one);
    if (words.length < 2 || unsure.test(one.toLowerCase())) return false;
    return shareOf(words) < strayBelow;
  });
  return stray?.trim() ?? null;
}

/** Says of a component that no other moved as much. */
const ranksFirst = new RegExp(
  '\\b(?:(?:moved|changed|rose|deviat(?:es|ed)) (?:by far )?(?:(?:the )?most|more than any)|' +
    'ranks? (?:first|highest)|has the (?:highest|largest|top) score|' +
    '(?:is|was|had|has|shows?|showed) the (?:strongest|largest|biggest|top) ' +
    '(?:change|mover|deviation|suspect|candidate))\\b',
);

/** The words by which a component is said to have moved most where another did. */
function outrankedIn(said: string, items: readonly EvidenceItem[]): string | null {
  const found = ranksFirst.exec(said);
  if (found === null || unsure.test(said)) return null;
  const ahead = said.slice(0, found.index).split(/[,;]|\.\s/).at(-1) ?? '';
  const rankings = items.flatMap(({ data }) => {
    const isRanking = typeof data === 'object' && data !== null && 'components' in data;
    const names = isRanking ? componentsIn(data) : [];
    return names.length > 1 ? [names] : [];
  });
  const isWrong = rankings.length > 0 && rankings.every(([top = '', ...others]) => {
    return !holdsName(ahead, top) && others.some((name) => holdsName(ahead, name));
  });
  return isWrong ? found[0] : null;
}

/** Directly before, these deny a cause; a denied cause needs no evidence. */
const denied = /(?:\b(?:not|never|hardly|unlikely to be|rather than)|n['’]t)(?: \w{2,20}ly)? ?$/i;

/** Causes that a sentence names without numbers; a true number elsewhere proves none of them. */
function causesIn(text: string): string[] {
  const behind = [...text.matchAll(causeBehind)].filter(({ index }) => {
    return !denied.test(text.slice(0, index));
  }).map(({ index, 0: { length } }) => {
    return text.slice(index + length).split(/[.,;:]/, 1)[0] ?? '';
  });
  const before = [...text.matchAll(causeBefore)].map(({ index }) => {
    return text.slice(0, index).split(/[.,;:]/).at(-1) ?? '';
  });
  return [...behind, ...before].filter((cause) => {
    return !/\d/.test(cause) && wordsIn(cause).length > 0;
  });
}

const namesMax = 2000;

/** Names in an item worded by outsiders: names of members, and values of one word. */
function namesOf({ kind, title, data }: EvidenceItem): string {
  const names = [kind, title];
  const walk = (value: unknown): void => {
    if (names.length > namesMax) return;
    if (typeof value === 'string' && value.length <= 128 && !/\s/.test(value)) names.push(value);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (!Array.isArray(value) && !/\s/.test(name)) names.push(name);
      walk(member);
    }
  };
  walk(data);
  return names.join(' ');
}

const ofComponents = [
  'service', 'deployment', 'pod', 'container', 'instance', 'host', 'node', 'component', 'app',
];

/** A component in the sentence that is in the evidence, but not in what the sentence cites. */
export function misplaced(
  text: string,
  { known, evidence }: {
    /** Text of the cited items and of the alert, in lower case. */
    readonly known: string;
    readonly evidence: Iterable<EvidenceItem>;
  },
): string | null {
  const said = text.toLowerCase();
  for (const { data } of evidence) {
    for (const name of componentsIn(data)) {
      if (holdsName(said, name) && !holdsName(known, name)) return name;
    }
  }
  return null;
}

function componentsIn(data: unknown): string[] {
  if (typeof data !== 'object' || data === null) return [];
  if ('components' in data && Array.isArray(data.components)) {
    return data.components.map((each: { readonly component?: unknown }) => each.component)
      .filter((name) => typeof name === 'string').map((name) => name.toLowerCase());
  }
  if (!('labels' in data)) return [];
  const { labels } = data;
  if (typeof labels !== 'object' || labels === null) return [];
  return Object.entries(labels).flatMap(([label, value]) => {
    return ofComponents.includes(label) && typeof value === 'string' ? [value.toLowerCase()] : [];
  });
}
