import { isFailing } from './log-words.ts';

/** A pattern, and the messages that share it. */
interface LogPattern {
  /** One line, hardly longer than a message: the common text, with `<*>` where messages differ. */
  readonly pattern: string;
  /** Indexes into the list of messages, ascending. */
  readonly members: readonly number[];
}

/** Later tokens hardly ever distinguish events. */
const tokensMax = 36;
/** A longer word is an id, a secret or a blob. */
const wordLengthMax = 40;
/**
 * If messages that are otherwise equal have this many different words in one place, each in few
 * lines, these words are names, of users for instance. Verbs recur in many lines, and there are
 * never more than `verbsMax` of them.
 */
const namesMin = 4;
const linesPerNameMax = 3;
const verbsMax = 16;
/** Two names in one message take two rounds to find. */
const roundsMax = 2;

/** Marks what varies or may vary; messages contain no control characters. */
const wild = '\u0000';

/** A quoted value, an address, a number with what is attached to it, a word, or a mark. */
const tokenForm = new RegExp([
  '"(?:Mozilla/[^"]*|[^\\s"]*(?: [^\\s"]*){0,2})"',
  '(?<!\\w)\'[^\\s\']*(?: [^\\s\']*){0,2}\'(?!\\w)',
  '\\w+://[^\\s"\'<>,;)\\]}]+',
  '(?:[\\da-f]{1,4}:){2,7}[\\da-f:.]*',
  '[-+]?\\d(?:[\\w%]|[.-](?=\\w)|[:,/+](?=-?\\d)|/(?=[a-z]{3}/))*',
  '[^\\s"\'=:,;()\\[\\]{}<>|]+',
  '\\S',
].join('|'), 'gi');

/** The word before a number that says what happened. */
const beforeCode = /(?:^|[_.])(?:status|(?:status|exit)?code|errno|signal)$|^HTTP\/[\d.]+$/i;

/** Numbers, addresses, ids and hashes. A single digit in a name may belong to a host name. */
const varying = new RegExp([
  '^[-+]?\\d.*$',
  '^[\\da-f]{1,4}:[\\da-f]*:.*$',
  '\\d+(?:\\.\\d+){3}(?::\\d+)?',
  '(?<![\\da-f])[\\da-f]{8}-(?:[\\da-f]{4}-){3}[\\da-f]{12}',
  '(?<![\\da-f])(?=[a-f]*\\d)[\\da-f]{8,}',
  '\\d{3,}',
  '(?<=[/_=#])\\d+(?![a-z\\d]|\\.\\d)',
  '(?<=\\?).+?(?="?$)',
].join('|'), 'gi');

interface Token {
  /** What distinguishes messages; `wild` for numbers, ids and the like. */
  readonly key: string;
  /** What the pattern shows if it is the same in all messages: the text, numbers replaced. */
  readonly shown: string;
  readonly isSpaced: boolean;
}

interface Group {
  readonly keys: readonly string[];
  readonly messages: readonly { readonly tokens: readonly Token[]; readonly index: number }[];
}

/**
 * Groups messages by pattern: messages with the same words in the same places share one, whatever
 * their numbers, ids and names. A simpler relative of Drain (He, Zhu, Zheng, Lyu: "Drain: An Online
 * Log Parsing Approach with Fixed Depth Tree", ICWS 2017). All messages are known from the start,
 * so their order does not matter, and none are merged for mere similarity: "connection established"
 * stays apart from "connection refused". A message without a constant word has no pattern, as `<*>`
 * alone says nothing.
 */
export function logPatternsOf(messages: readonly string[]): readonly LogPattern[] {
  let groups = grouped(messages.map((message, index) => {
    const tokens = tokensOf(message);
    return { keys: tokens.map(({ key }) => key), messages: [{ tokens, index }] };
  }));
  for (let round = 0; round < roundsMax; round += 1) {
    const wider = grouped(widened(groups));
    if (wider.length === groups.length) break;
    groups = wider;
  }
  const members = new Map<string, number[]>();
  for (const group of groups) {
    const pattern = patternOf(group);
    if (!/\p{L}{2}/u.test(pattern)) continue;
    const own = group.messages.map(({ index }) => index);
    members.set(pattern, [...members.get(pattern) ?? [], ...own]);
  }
  return Array.from(members, ([pattern, own]) => ({ pattern, members: own.sort((a, b) => a - b) }));
}

function tokensOf(message: string): Token[] {
  // Method, path and protocol of a request are separate tokens.
  const line = message.replaceAll('<*>', '*').replace(/"([A-Z]{3,7} [^\s"]+ HTTP\/[\d.]+)"/, '$1');
  const tokens: Token[] = [];
  let wordBefore = '';
  for (const { 0: text, index } of line.matchAll(tokenForm)) {
    const isSpaced = line[index - 1] === ' ';
    if (tokens.length === tokensMax) {
      tokens.push({ key: '…', shown: '…', isSpaced });
      break;
    }
    // In "exit code 137" and "status=500" the number says what happened.
    const isKept = isWord(text) || (/^\d{1,3}$/.test(text) && beforeCode.test(wordBefore));
    const [key, shown] = isKept ? [text, text] : [wild, withoutNumbers(text)];
    tokens.push({ key, shown, isSpaced });
    if (!/^[=:(]$/.test(text)) wordBefore = text;
  }
  return tokens;
}

/** Terms whose digits are not a number. */
const term = /^(?:x509|oauth2|http[23]|sha(?:1|256|384|512)|md5|utf-?(?:8|16)|base64|ipv[46])$/i;

function isWord(text: string): boolean {
  if (term.test(text)) return true;
  if (text.length <= wordLengthMax && !/\d|^["']|^\/.|@|:\/\//.test(text)) return true;
  // A reason is often quoted: info: "Connection refused".
  return /^["']\D*$/.test(text) && isFailing(text);
}

function withoutNumbers(text: string): string {
  // Error codes look like this: ORA-00942, AH00128.
  return /^[A-Z]{1,5}-?\d{3,6}$/.test(text) ? text : text.replace(varying, wild);
}

function grouped(groups: readonly Group[]): Group[] {
  const byKeys = new Map<string, { keys: Group['keys']; messages: Group['messages'][number][] }>();
  for (const { keys, messages } of groups) {
    const all = keys.join(' ');
    const group = byKeys.get(all);
    if (group === undefined) byKeys.set(all, { keys, messages: [...messages] });
    else group.messages.push(...messages);
  }
  return [...byKeys.values()];
}

/** Turns words that prove to be names into wildcards, except the first word of a message. */
function widened(groups: readonly Group[]): Group[] {
  const byRest = new Map<string, { names: number; lines: number }>();
  const places = groups.map(({ keys, messages }) => {
    const all = keys.join(' ');
    let end = -1;
    return keys.map((key, at) => {
      const start = end + 1;
      end = start + key.length;
      if (at === 0 || !isNameable(key)) return null;
      const rest = `${all.slice(0, start)}${all.slice(end)}`;
      const place = byRest.get(rest) ?? { names: 0, lines: 0 };
      byRest.set(rest, place);
      place.names += 1;
      place.lines += messages.length;
      return place;
    });
  });
  return groups.map(({ keys, messages }, index) => ({
    messages,
    keys: keys.map((key, at) => {
      const { names, lines } = places[index]?.[at] ?? { names: 0, lines: 0 };
      const isName = names > verbsMax || (names >= namesMin && lines <= linesPerNameMax * names);
      return isName ? wild : key;
    }),
  }));
}

function isNameable(word: string): boolean {
  return /^[\p{L}_.-]{2,}$/u.test(word) && !isFailing(word);
}

function patternOf({ messages }: Group): string {
  const text = (messages[0]?.tokens ?? []).map(({ isSpaced }, at) => {
    const shown = common(new Set(messages.map(({ tokens }) => tokens[at]?.shown ?? '')));
    return isSpaced ? ` ${shown}` : shown;
  }).join('');
  // A list of numbers may be of any length.
  return text.trim().replace(/\u0000(?:[:,-]? ?\u0000)+/g, wild).replaceAll(wild, '<*>');
}

/** A wildcard for different texts, with what they begin with up to a mark and their last mark. */
function common(names: ReadonlySet<string>): string {
  const [first = ''] = names;
  if (names.size === 1) return first;
  let head = first;
  for (const name of names) {
    while (!name.startsWith(head)) head = head.slice(0, -1);
  }
  const last = /[^\p{L}\d]?$/u.exec(first)?.[0] ?? '';
  const isShared = [...names].every((name) => name.endsWith(last));
  return `${/^.*[^\p{L}\d]/u.exec(head)?.[0] ?? ''}${wild}${isShared ? last : ''}`;
}
