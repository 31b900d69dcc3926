import { withoutCommands } from './commands.ts';

const lengthMax = 20_000;
const knownMax = 2_000_000;

/**
 * Makes a model's text safe to show: nothing to follow and nothing to run. Removes markup, and
 * those addresses, commands, images and packages that are not literally in a text of `known`. Cut
 * after 20 000 UTF-16 units.
 */
export function cleanProse(text: string, known: readonly string[]): string {
  const allowed = known.join('\n').slice(0, knownMax).toLowerCase();
  const screen: Screen = (kind, match) => isAllowed(allowed, match) ? match : `[${kind} removed]`;
  const screenAddress = (found: string): string => {
    const bare = found.replace(punctuation, '');
    return screen('address', bare) + found.slice(bare.length);
  };
  const short = text.slice(0, lengthMax).normalize('NFKC').replace(hidden, '');
  const plain = withoutMarkup(short, screen);
  const clean = plain.split('\n')
    .map((line) => withoutCommands(line, (match) => screen('command', match)))
    .join('\n')
    .replace(address, screenAddress)
    .replace(email, (found) => screen('e-mail', found))
    .replace(image, (found) => screen('image', found))
    .replace(installed, (_all, verb: string, name: string) => `${verb} ${screen('package', name)}`)
    .replace(fetched, screenAddress)
    .replace(host, (found) => (/^[\w-]+\.sh$/i.test(found) ? found : screen('address', found)));
  return clean.replace(/[ \t]{2,}/g, ' ').trim();
}

/** Returns the passage itself if it may stay, else its replacement. */
type Screen = (
  kind: 'address' | 'e-mail' | 'command' | 'image' | 'package', found: string,
) => string;

const codeBlock = /```[^\n`]{0,40}\n([^`]{0,4000})```/g;
const markedLink = /!?\[([^\]\n]{0,300})\](?:\([^)\n]{0,2000}\)|\[[^\]\n]{0,300}\])/g;
const linkTarget = /^ {0,3}\[[^\]\n]{1,300}\]:[^\n]{0,2000}$/gm;
const tag = /<\/?[a-z!][^<>\n]{0,1000}>/gi;

function withoutMarkup(text: string, screen: Screen): string {
  return text
    .replace(codeBlock, (_all, code: string) => screen('command', code.trim()))
    .replace(markedLink, (_all, label: string) => label)
    .replace(linkTarget, '')
    .replace(tag, (found) => /^<(?:https?:|mailto:)/i.test(found) ? found.slice(1, -1) : '');
}

const hidden = new RegExp(
  '[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e'
  + '\\u2060-\\u206f\\ufeff\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}]',
  'gu',
);
/** At the end of an address, it belongs to the sentence. */
const punctuation = /[).,;:!?\]]+$/;
const rest = '[^\\s"\'<>`]';
const address = new RegExp(
  `\\b[a-z][a-z0-9+.-]{1,20}:\\/\\/${rest}{1,2000}|` +
    `\\b(?:data|javascript|mailto|vbscript):${rest}{1,2000}|` +
    `(?<![\\w/])\\/\\/[a-z0-9-]{1,63}\\.${rest}{1,500}|\\bwww\\.${rest}{1,500}`,
  'gi',
);
const email = /(?<![\w.+-])[\w.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4}/gi;
/** An image path with a tag or a digest, but not `prometheus:9090` or a time. */
const image = new RegExp(
  '(?<![\\w./-])(?:[a-z0-9-]{1,63}(?:\\.[a-z0-9-]{1,63}){0,4}(?::\\d{1,5})?\\/)?' +
    '(?:[a-z0-9._-]{1,100}\\/){0,4}[a-z][a-z0-9._-]{0,100}' +
    '(?::(?=[\\w.-]*[a-z.])v?\\d[\\w.-]{0,60}|:latest\\b|@sha256:[a-f0-9]{6,64})(?![\\w.-])',
  'gi',
);
const installed = new RegExp(
  '\\b((?:npm|pnpm|yarn|pip3?|gem|cargo|go|apt(?:-get)?|yum|dnf|apk|brew|helm) ' +
    '(?:install|add|get|i)|install(?:ing)? (?:the )?(?:package|library|chart|plugin))' +
    ' (?!\\[)([\\w@./-]{2,100})',
  'gi',
);
/** Host names in top-level domains that are open to anybody. */
const host = new RegExp(
  '(?<![\\w@./-])(?:[a-z0-9-]{1,63}\\.){1,4}(?:com|net|org|io|dev|app|xyz|info|biz|sh|me|co|ru|' +
    `cn|top|site|online|cloud|ai|link|tk|de|uk)(?::\\d{1,5})?(?:\\/${rest}{0,500})?(?![\\w-])`,
  'gi',
);
/** Host names of any domain, and IP addresses, with a path to fetch; not `10.0.0.0/8`. */
const fetched = new RegExp(
  '(?<![\\w@./-])(?:(?:[a-z0-9-]{1,63}\\.){1,4}[a-z]{2,24}|\\d{1,3}(?:\\.\\d{1,3}){3})' +
    `(?::\\d{1,5})?\\/(?=[^\\s\\d])${rest}{1,500}`,
  'gi',
);

/** Whether the known texts contain the passage literally, not as part of a longer name. */
function isAllowed(known: string, found: string): boolean {
  const sought = found.toLowerCase();
  if (sought === '') return true;
  for (let at = known.indexOf(sought); at !== -1; at = known.indexOf(sought, at + 1)) {
    const [before, after] = [known.charAt(at - 1), known.charAt(at + sought.length)];
    if (!/[\w-]/.test(before) && !/[\w-]/.test(after)) return true;
  }
  return false;
}
