import type { EvidenceItem } from '../../report/report.ts';
import { withoutOwnWords } from './asked-evidence.ts';
import { holdsName } from './names.ts';
import { ordersIn } from './orders.ts';

/** Evidence that may be worded by whoever sends alerts or writes logs: it backs no judgement. */
export const kindsOfStrangers: ReadonlySet<EvidenceItem['kind']> =
  new Set(['alert', 'group', 'related', 'logs']);

/** Sentences that send readers back to bed. */
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
    'fehlalarm|falscher alarm|fausse alerte|falsa alarma|falso allarme)\\b',
  'giu',
);

/** Words that every sentence may have, and those that only say that evidence tells something. */
const ordinary = new Set([
  'the', 'and', 'for', 'was', 'are', 'has', 'had', 'its', 'all', 'any', 'now', 'but', 'not', 'one',
  'that', 'this', 'with', 'from', 'have', 'been', 'were', 'which', 'when', 'while', 'since',
  'then', 'there', 'their', 'they', 'before', 'after', 'about', 'alert', 'also', 'only', 'into',
  'alerts', 'fires', 'fired', 'firing', 'carries', 'says', 'shows', 'reads', 'called', 'named',
  'holds', 'reports', 'another', 'explanation', 'say', 'tells', 'label', 'labels', 'other',
  'others', 'same', 'both', 'beside', 'together',
]);
/** That a component which the sentence names has much to do is said in many words. */
const busy = new Set([
  'being', 'becoming', 'busy', 'saturated', 'saturation', 'overloaded', 'overload', 'slow', 'load',
  'slower', 'heavy', 'heavily', 'loaded', 'contention', 'waits', 'waiting', 'held',
]);
const stemLength = 5;
const sharedMin = 0.6;
/** Where the sentence names something that is there: the verb may be its own. */
const sharedBesideNames = 0.5;

/** What is to be borne out of a sentence beside its numbers, times, names and quotes. */
export interface Wording {
  readonly text: string;
  /** The text without its names and quotes. */
  readonly unnamed: string;
  /** Whether it holds a number or a time, which was looked for. */
  readonly isMeasured: boolean;
  /** Whether it says what to do: only what it names is looked for. */
  readonly isProposal: boolean;
  readonly isNamed: boolean;
}

/**
 * What of a sentence nothing that it cites bears out although all that it names is there: an
 * all-clear or an order that no item words, or, in a sentence without a number, words that are
 * mostly in none of them. Of what strangers sent only names count: whoever quotes one true label
 * has said nothing true with the rest of the sentence.
 */
export function ungrounded(
  { text, unnamed, isMeasured, isNamed, isProposal }: Wording,
  { items, alert }: {
    /** What the sentence cites. */
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
  if (isMeasured) {
    const isPlaced = items.some(({ data }) => {
      return componentsIn(data).some((name) => holdsName(said, name));
    });
    const untold = (event: string): boolean => {
      return !`${corpus} ${names}`.includes(event.slice(0, stemLength));
    };
    return causesIn(unnamed).find((cause) => {
      const words = wordsIn(cause);
      const strange = isPlaced ? words.filter((word) => !busy.has(word)) : words;
      return strange.length > 0 && shareOf(words) < sharedBesideNames &&
        shareOf(strange) < sharedBesideNames;
    }) ?? eventsIn(unnamed.toLowerCase()).find(untold) ?? null;
  }
  const words = wordsIn(unnamed);
  if (words.length === 0) return isNamed ? null : text;
  return shareOf(words) >= (isNamed ? sharedBesideNames : sharedMin) ? null : text;
}

/** In lower case, what code and the sources themselves say: no word of a stranger or a model. */
export function ownTextOf(items: readonly EvidenceItem[]): string {
  const own = items.filter(isOwn).map(withoutOwnWords);
  return textOf(own, (name, value) => (strangersMembers.has(name) ? null : value));
}

/** What whoever had an event written says in it, and whoever gives feedback. */
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

/** What happens to programs, and is told only where something says that it did. */
const events = new RegExp(
  '\\b(?:oom|out of memory|throttl|leak|crash|evict|deadlock|corrupt|exhaust|ran out|' +
    'roll(?:ed|ing)? ?back|misconfigur|ddos|hack|expired)',
  'g',
);
const unsure = new RegExp(
  '\\b(?:may|might|could|would|can|not|no|if|whether|suggest\\w*|(?:un)?likely|possibl[ey]|' +
    "probabl[ey]|perhaps|consistent with|indicat\\w*|points? to|check)\\b|n['’]t\\b|\\?",
);

/** What a sentence says for sure to have happened. */
function eventsIn(said: string): string[] {
  return said.split(/[.,;:](?=\s|$)/).filter((clause) => !unsure.test(clause))
    .flatMap((clause) => [...clause.matchAll(events)].map(([found]) => found));
}

/** Right before: what is said to be no cause need not stand anywhere. */
const denied = /(?:\b(?:not|never|hardly|unlikely to be|rather than)|n['’]t)(?: \w{2,20}ly)? ?$/i;

/** What a sentence makes a cause, in words alone: a true number beside it proves nothing of it. */
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

/** What of a stranger's item are names: of its members, and values of one word. */
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

/** A component that evidence which is not cited is about, and the cited does not speak of. */
export function misplaced(
  text: string,
  { known, evidence }: {
    /** What is cited and the alert, in lower case. */
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
