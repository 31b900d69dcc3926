import { compareText } from '../../lib/compare-text.ts';
import { isFailing } from './log-words.ts';

/** What some messages have in common, and which they are. */
export interface LogPattern {
  /** One line, at most 300 long: what is the same in all, `<*>` for what is not. */
  readonly pattern: string;
  /** Places in the list of messages, ascending. */
  readonly members: readonly number[];
}

/** The longest pattern; what follows hardly ever tells events apart. */
const patternMax = 300;
/** Words, values and marks of a message that are looked at. */
const tokensMax = 36;
/** Where messages have this many words between them they have little else in common, */
const vocabularyMax = 12_000;
/** and of each that is left so many have to do. */
const tokensOfOddMax = 12;
/** A word longer than any that people write is an id, a token or a blob. */
const wordMax = 40;
/**
 * All else being equal, a word with this many values that come this rarely each is a name: that of
 * a user, say. Verbs come again and again, and there are never so many of them.
 */
const valuesMin = 4;
const linesPerValueMax = 3;
const verbsMax = 16;
/** Two names in one message are found one after the other. */
const widenings = 2;

/** Stands for what varies, or may do so; messages hold no control characters. */
const wild = '\u0000';

/** A quoted value, an address, a number with all that hangs on it, a word, or a mark. */
const tokens = new RegExp([
  '"(?:Mozilla/[^"]*|[^\\s"]*(?: [^\\s"]*){0,2})"',
  '(?<!\\w)\'[^\\s\']*(?: [^\\s\']*){0,2}\'(?!\\w)',
  '\\w+://[^\\s"\'<>,;)\\]}]+',
  '(?:[\\da-f]{1,4}:){2,7}[\\da-f:.]*',
  '[-+]?\\d(?:[\\w%]|[.-](?=\\w)|[:,/+](?=-?\\d)|/(?=[a-z]{3}/))*',
  '[^\\s"\'=:,;()\\[\\]{}<>|]+',
  '\\S',
].join('|'), 'gi');

/** What a number stands behind that says what happened. */
const code = /(?:^|[_.])(?:status|(?:status|exit)?code|errno|signal)$/i;

/** Within a name: addresses, ids, hashes and numbers. One digit may be part of a host's name. */
const varying = new RegExp([
  '\\d+(?:\\.\\d+){3}(?::\\d+)?',
  '(?<![\\da-f])[\\da-f]{8}-(?:[\\da-f]{4}-){3}[\\da-f]{12}',
  '(?<![\\da-f])(?=[a-f]*\\d)[\\da-f]{8,}',
  '\\d{3,}',
  '(?<=[/_=#])\\d+(?![a-z\\d]|\\.\\d)',
  '(?<=\\?).+?(?="?$)',
].join('|'), 'gi');

interface Token {
  readonly text: string;
  /** What tells messages apart: of a number or a name nothing. */
  readonly key: string;
  /** In the pattern, where all messages have the same: a name, without the numbers in it. */
  readonly shown: string;
}

interface Parsed {
  readonly tokens: readonly Token[];
  /** Whether a space stands before each. */
  readonly spaced: readonly boolean[];
  readonly members: readonly number[];
}

interface Group {
  readonly keys: readonly string[];
  readonly messages: readonly Parsed[];
}

/**
 * The patterns of messages: those with the same words at the same places have one, whatever their
 * numbers, ids and names. A simpler kin of Drain (He, Zhu, Zheng, Lyu: "Drain: An Online Log
 * Parsing Approach with Fixed Depth Tree", ICWS 2017): since all messages are there at once, no
 * order of theirs matters, and no two are taken for one because they are alike: "connection
 * established" is not "connection refused". A message without any word of its own is in no
 * pattern, since `<*>` tells nobody anything.
 */
export function logPatternsOf(messages: readonly string[]): readonly LogPattern[] {
  let groups = grouped(parseAll(messages).map((message) =>
    ({ keys: message.tokens.map(({ key }) => key), messages: [message] })));
  for (let round = 0; round < widenings; round += 1) {
    const wider = widened(groups);
    if (wider === null) break;
    groups = grouped(wider);
  }
  const patterns = new Map<string, number[]>();
  for (const { messages: alike } of groups) {
    const pattern = patternOf(alike);
    if (!/\p{L}{2}/u.test(pattern)) continue;
    const members = alike.flatMap((message) => message.members);
    patterns.set(pattern, [...patterns.get(pattern) ?? [], ...members]);
  }
  return Array.from(patterns, ([pattern, members]) =>
    ({ pattern, members: members.sort((a, b) => a - b) }));
}

/** Each distinct message once, in the order of their texts. */
function parseAll(messages: readonly string[]): Parsed[] {
  const places = new Map<string, number[]>();
  for (const [index, message] of messages.entries()) {
    const same = places.get(message);
    if (same === undefined) places.set(message, [index]);
    else same.push(index);
  }
  const known = new Map<string, Token>();
  return Array.from(places).sort(([a], [b]) => compareText(a, b))
    .map(([message, members]) => ({ ...parse(message, known), members }));
}

function parse(message: string, known: Map<string, Token>): Omit<Parsed, 'members'> {
  // Of a request the method, the path and the protocol are words of their own.
  const text = message.replaceAll('<*>', '*').replace(/"([A-Z]{3,7} [^\s"]+ HTTP\/[\d.]+)"/, '$1');
  const found: Token[] = [];
  const spaced: boolean[] = [];
  const most = known.size < vocabularyMax ? tokensMax : tokensOfOddMax;
  let isStatusDue = text.includes('HTTP/');
  tokens.lastIndex = 0;
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    if (found.length === most) {
      found.push(literal('…'));
      break;
    }
    let token = isNumber(match[0]) ? number(match[0]) : known.get(match[0]);
    if (token === undefined) known.set(match[0], token = tokenOf(match[0]));
    if (isStatusDue && /^[1-5]\d\d$/.test(token.text)) {
      isStatusDue = false;
      token = literal(token.text);
    } else if (isCode(token, found)) {
      token = literal(token.text);
    }
    if (token.shown === wild && continues(found, spaced)) continue;
    found.push(token);
    spaced.push(text[match.index - 1] === ' ');
  }
  return { tokens: found, spaced };
}

function tokenOf(text: string): Token {
  if (text.length <= wordMax && !/\d|^["']|^\/.|@|:\/\//.test(text)) return literal(text);
  // A reason is often quoted: info: "Connection refused".
  if (/^["']\D*$/.test(text) && isFailing(text)) return literal(text);
  // The codes of errors look so: ORA-00942, AH00128.
  const shown = /^[A-Z]{1,5}-?\d{3,6}$/.test(text) ? text : text.replace(varying, wild);
  return { text, key: wild, shown };
}

function number(text: string): Token {
  return { text, key: wild, shown: wild };
}

function literal(text: string): Token {
  return { text, key: text, shown: text };
}

const numeric = new RegExp(
  '^(?:[-+]?\\d|[\\da-f]{1,4}:[\\da-f]*:|(?=[a-f]*\\d)[\\da-f]{8,}$|[\\da-f]{8}-[\\da-f-]{27}$)',
  'i',
);

function isNumber(text: string): boolean {
  return numeric.test(text);
}

/** Of "exit code 137" and "status=500" the number is what happened. */
function isCode({ text }: Token, before: readonly Token[]): boolean {
  if (!/^\d{1,3}$/.test(text)) return false;
  const mark = /^[=:(]$/.test(before.at(-1)?.text ?? '') ? -2 : -1;
  return code.test(before.at(mark)?.text ?? '');
}

/** Whether a number goes on with a list of them, which may be of any length. */
function continues(found: Token[], spaced: boolean[]): boolean {
  if (found.at(-1)?.shown === wild) return true;
  if (found.at(-1)?.text !== ',' || found.at(-2)?.shown !== wild) return false;
  found.pop();
  spaced.pop();
  return true;
}

function grouped(groups: readonly Group[]): Group[] {
  const byKeys = new Map<string, { keys: readonly string[]; messages: Parsed[] }>();
  for (const { keys, messages } of groups) {
    const key = keys.join(' ');
    const group = byKeys.get(key);
    if (group === undefined) byKeys.set(key, { keys, messages: [...messages] });
    else group.messages.push(...messages);
  }
  return [...byKeys.values()];
}

/** Words that turn out to be names, because so many stand at their place, become such. */
function widened(groups: readonly Group[]): Group[] | null {
  const nameable = new Map<string, boolean>();
  const places = groups.map(({ keys }) => placesOf(keys, nameable));
  const shared = sharedPlaces(places);
  if (shared.size === 0) return null;
  const takers = new Map<number, { values: number; lines: number }>();
  for (const [index, { messages }] of groups.entries()) {
    const lines = messages.reduce((sum, { members }) => sum + members.length, 0);
    for (const place of places[index] ?? []) {
      if (!shared.has(place)) continue;
      const taker = takers.get(place) ?? { values: 0, lines: 0 };
      takers.set(place, { values: taker.values + 1, lines: taker.lines + lines });
    }
  }
  return groups.map(({ keys, messages }, index) => ({
    messages,
    keys: keys.map((key, at) => {
      const taker = takers.get(places[index]?.[at] ?? noPlace);
      if (taker === undefined) return key;
      const { values, lines } = taker;
      return values > verbsMax || lines <= linesPerValueMax * values ? wild : key;
    }),
  }));
}

const noPlace = -1;

/**
 * For each word that may be a name, a number made of all that stands around it, which only
 * messages share that are equal but for this word. The first word is what a message is about, and
 * a word of failure is never a name.
 */
function placesOf(keys: readonly string[], nameable: Map<string, boolean>): number[] {
  const mixed = keys.map((key, at) => mix(key, at));
  const sum = mixed.reduce((all, each) => all + each, 0);
  return keys.map((key, at) => {
    if (at === 0) return noPlace;
    let isWord = nameable.get(key);
    if (isWord === undefined) {
      isWord = /^[\p{L}_.-]{2,}$/u.test(key) && !isFailing(key);
      nameable.set(key, isWord);
    }
    return isWord ? sum - (mixed[at] ?? 0) + mix('', at) : noPlace;
  });
}

/** 45 bits of a text at a place: as many sums as messages have tokens stay whole numbers. */
function mix(text: string, at: number): number {
  let high = Math.imul(at + 1, 0x9e3779b1);
  let low = Math.imul(at + 1, 0x85ebca6b);
  for (let index = 0; index < text.length; index += 1) {
    high = Math.imul(high ^ text.charCodeAt(index), 0x01000193);
    low = Math.imul(low ^ text.charCodeAt(index), 0xcc9e2d51);
    low ^= low >>> 15;
  }
  return (high >>> 0) * 0x2000 + (low >>> 19);
}

/** Those that enough words stand at; sorting finds them faster than counting each in a map. */
function sharedPlaces(places: readonly (readonly number[])[]): ReadonlySet<number> {
  const all = new Float64Array(places.length * (tokensMax + 1));
  let size = 0;
  for (const each of places) {
    for (const place of each) if (place !== noPlace) all[size++] = place;
  }
  all.subarray(0, size).sort();
  const shared = new Set<number>();
  for (let at = valuesMin - 1; at < size; at += 1) {
    const place = all[at] ?? noPlace;
    if (all[at - valuesMin + 1] === place) shared.add(place);
  }
  return shared;
}

function patternOf(messages: readonly Parsed[]): string {
  const [first] = messages;
  if (first === undefined) return '';
  const text = first.tokens.map(({ shown }, at) => {
    const others = messages.filter((message) => message.tokens[at]?.shown !== shown);
    const text = others.length === 0 ? shown
      : common([shown, ...new Set(others.map((message) => message.tokens[at]?.shown ?? ''))]);
    return first.spaced[at] === true ? ` ${text}` : text;
  }).join('');
  const plain = text.trim().replace(/\u0000(?:[ :-]?\u0000)+/g, wild).replaceAll(wild, '<*>');
  if (plain.length <= patternMax) return plain;
  return `${plain.slice(0, patternMax - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** What different names begin and end with, up to a mark within them: `orders-<*>`. */
function common(names: readonly string[]): string {
  const [first = ''] = names;
  const least = Math.min(...names.map(({ length }) => length));
  const isSame = (at: number): boolean => names.every((name) => name.at(at) === first.at(at));
  let head = 0;
  while (head < least && isSame(head)) head += 1;
  let tail = 0;
  while (tail < least - head && isSame(-1 - tail)) tail += 1;
  const begin = /^.*[^\p{L}\d]/u.exec(first.slice(0, head))?.[0] ?? '';
  const end = tail === 0 ? '' : /[^\p{L}\d].*$/u.exec(first.slice(-tail))?.[0] ?? '';
  return `${begin}${wild}${end}`;
}
