import { isLeftAlone } from './left-alone.ts';
import { secretNames } from './secret-names.ts';
import { matchesIn, ruleBehind, type RedactionRule, type Span } from './span.ts';

/** Values that do not stand beside their name: on the lines below it, and in Kubernetes Secrets. */

const opening = new RegExp(
  `^([ \\t]{0,40})(?:- )?["']?[\\w.-]{0,60}?(?:${secretNames}|pass)["']?:[ \\t]{0,4}` +
    '([|>][-+\\d]{0,2})?[ \\t]{0,8}\\r?\\n', 'gim',
);
const lengthMax = 16_384;

/** `password:` or `password: |`, and the value below, further to the right. */
function valueBelow(text: string, from: number, match: RegExpExecArray): Span | null {
  const { 1: indent = '', 2: block } = match;
  const value = block === undefined ? wordBelow(text, from, indent.length)
    : blockBelow(text, from, indent.length);
  return value === null || isLeftAlone(text.slice(value.from, value.to)) ? null : value;
}

const line = /([ \t]{1,200})(["']?)([^\s"'#[{&*!-][^\s"']{0,2000})\2[ \t]{0,8}(?:\r?\n|$)/y;

/** One word: what has blanks is a message, what ends with a colon another name. */
function wordBelow(text: string, at: number, indent: number): Span | null {
  line.lastIndex = at;
  const [, blanks = '', quote = '', word = ''] = line.exec(text) ?? [];
  if (blanks.length <= indent || word.length < 3 || word.endsWith(':')) return null;
  const from = at + blanks.length + quote.length;
  return { from, to: from + word.length };
}

function blockBelow(text: string, from: number, indent: number): Span | null {
  const further = new RegExp(`(?:[ \\t]{${indent + 1}}[^\\n]*(?:\\n|$)|[ \\t]*\\n)`, 'y');
  let to = from;
  while (to < text.length && to - from < lengthMax) {
    further.lastIndex = to;
    const [below = ''] = further.exec(text) ?? [];
    if (below === '') break;
    to += below.length;
  }
  const value = text.slice(from, to);
  const start = from + (/\S/.exec(value)?.index ?? value.length);
  const end = from + value.trimEnd().length;
  return start < end ? { from: start, to: end } : null;
}

const isManifest = /\bkind\\{0,7}["']?[ \t]{0,4}:[ \t]{0,4}\\{0,7}["']?Secret\b/;
const data = /\b(?:data|stringData)\\{0,7}["']?[ \t]{0,4}:[ \t]{0,4}(?=[\r\n{])/g;
/** A member of JSON or an indented line of YAML, up to its value. */
const member = new RegExp(
  '(?:[ \\t\\r\\n{,]{0,80}\\\\{0,7}"[\\w.-]{1,253}\\\\{0,7}"[ \\t]{0,4}:[ \\t]{0,4}\\\\{0,7}"' +
    '|\\r?\\n[ \\t]{1,80}[\\w.-]{1,253}:[ \\t]{1,4}["\']?)(?=[\\w+/=.-])', 'y',
);
const value = /[^\s"'\\,}]{1,16384}\\{0,7}["']?/y;

/** The values of a Secret's manifest: `kind: Secret`, `data: {user: …, password: …}`. */
function* manifestValues(text: string): Iterable<Span> {
  if (!isManifest.test(text)) return;
  let done = 0;
  for (const { index, 0: head } of matchesIn(text, data)) {
    if (index < done) continue;
    done = index + head.length;
    for (;;) {
      member.lastIndex = done;
      const [name] = member.exec(text) ?? [];
      if (name === undefined) break;
      const from = done + name.length;
      value.lastIndex = from;
      const [written = ''] = value.exec(text) ?? [];
      done = from + written.length;
      const to = from + written.replace(/\\{0,7}["']?$/, '').length;
      if (to > from && !isLeftAlone(text.slice(from, to))) yield { from, to };
    }
  }
}

export const yamlValues: readonly RedactionRule[] = [
  ruleBehind('below', opening, valueBelow),
  { name: 'manifest', find: manifestValues },
];
