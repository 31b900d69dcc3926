import { createHash } from 'node:crypto';
import { programOptions } from './command-rules.ts';
import { formsOf, type KnownForm } from './known-secrets.ts';
import { isLeftAlone } from './left-alone.ts';
import { nameRules } from './name-rules.ts';
import { bearerTokens, placeRules } from './place-rules.ts';
import { bareTokens } from './random-tokens.ts';
import { isSecretName } from './secret-names.ts';
import type { RedactionRule } from './span.ts';
import { tokenRules } from './token-rules.ts';

/**
 * Removes secrets from texts before they are sent, stored or shown. Within one redactor the same
 * secret gets the same mask, such as `[secret-1]`, so that readers can still tell whether two are
 * equal. Masks are left as they are when a text is redacted again.
 */
export interface Redactor {
  /** Returns the text without known and suspected secrets, cut off after 1 MiB. */
  readonly redact: (text: string) => string;
  /** How many masks each rule has put in. `known`: the secrets passed to the redactor. */
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

/** Texts are cut to this length first. Each rule takes time proportional to the length. */
const lengthMax = 1_048_576;
/** A word of up to this length that the cut would split is left out: it may be a secret. */
const splitMax = 4096;
/** After this many different secrets, all others share one mask. */
const distinctMax = 10_000;
/** Longer secrets are remembered by their digests. */
const keptMax = 64;
/** Short texts without a secret are remembered, as names and the like come again and again. */
const plainTextsMax = 4096;
const plainTextMax = 256;

/** The surest first, those that guess last: by place, by form, by name, because it is random. */
const rules: readonly RedactionRule[] = [
  ...placeRules, ...tokenRules, bearerTokens, ...programOptions, ...nameRules, bareTokens,
];

export function createRedactor({ secrets }: { readonly secrets: readonly string[] }): Redactor {
  const known = formsOf(secrets);
  const counts = new Map<string, number>();
  const numbers = new Map<string, number>();
  const plainTexts = new Set<string>();

  function maskOf(rule: string, secret: string): string {
    counts.set(rule, (counts.get(rule) ?? 0) + 1);
    const isShort = secret.length <= keptMax;
    const key = isShort ? secret : createHash('sha256').update(secret).digest('base64');
    const number = numbers.get(key) ?? (numbers.size < distinctMax ? numbers.size + 1 : null);
    if (number === null) return '[secret]';
    numbers.set(key, number);
    return `[secret-${number}]`;
  }

  return {
    redact: (text) => {
      if (plainTexts.has(text)) return text;
      const shown = cut(text);
      const plain = withoutInvisible(shown);
      const masked = rules.reduce(
        (rest, rule) => masking(rest, rule, maskOf), maskKnown(plain, known, maskOf),
      );
      // Invisible characters are dropped only from texts with a secret, which they may have hidden.
      if (masked !== plain) return masked;
      if (text.length <= plainTextMax && plainTexts.size < plainTextsMax) plainTexts.add(text);
      return shown;
    },
    counts,
    get total() {
      return [...counts.values()].reduce((sum, count) => sum + count, 0);
    },
  };
}

type MaskOf = (rule: string, secret: string) => string;

function maskKnown(text: string, known: readonly KnownForm[], maskOf: MaskOf): string {
  return known.reduce((rest, { form, secret }) => {
    return rest.includes(form) ? rest.replaceAll(form, () => maskOf('known', secret)) : rest;
  }, text);
}

function masking(text: string, rule: RedactionRule, maskOf: MaskOf): string {
  const parts: string[] = [];
  let done = 0;
  for (const { from, to } of rule.find(text)) {
    parts.push(text.slice(done, from), maskOf(rule.name, text.slice(from, to)));
    done = to;
  }
  return done === 0 ? text : parts.join('') + text.slice(done);
}

function cut(text: string): string {
  if (text.length <= lengthMax) return text;
  const head = text.slice(0, lengthMax);
  const kept = head.slice(0, -splitMax) + head.slice(-splitMax).replace(/\S+$/, '');
  return `${kept}… (${text.length - kept.length} more characters)`;
}

/**
 * Removes characters that show nothing and would hide a secret from the rules: terminal escape
 * sequences, controls, soft hyphens, zero-width and bidirectional formatting characters, tags.
 */
function withoutInvisible(text: string): string {
  return text.replace(terminal, '').replace(invisible, '');
}

const terminal = new RegExp(
  '\\x1b(?:\\[[0-?]{0,32}[ -/]{0,8}[@-~]|\\][^\\x07\\x1b]{0,1000}(?:\\x07|\\x1b\\\\)|'
  + '[@-Z\\\\-_])',
  'g',
);
const invisible = new RegExp(
  '[\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5'
  + '\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff'
  + '\\uffa0\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}]',
  'gu',
);

const depthMax = 32;

/**
 * A copy of plain data with every text redacted. A text whose member has the name of a secret is
 * masked as a whole: as name and value are separate texts, no rule would see them together. Numbers
 * are kept, and what is nested deeper than anything in a report is left out.
 */
export function redactData<T>(value: T, redactor: Pick<Redactor, 'redact'>): T {
  return redacted(value, redactor.redact, depthMax) as T;
}

function redacted(value: unknown, redact: Redactor['redact'], depth: number): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.map((item: unknown) => redacted(item, redact, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([name, member]: [string, unknown]) => {
    const isSecret = typeof member === 'string' && isSecretName(name) && !isLeftAlone(member);
    return [redact(name), isSecret ? valueOf(member, redact) : redacted(member, redact, depth - 1)];
  }));
}

/** Masks the whole value with the rule for named values. */
function valueOf(member: string, redact: Redactor['redact']): string {
  const quoted = `password="${member.slice(0, 1024).replace(/["\n]/g, ' ')}"`;
  return redact(quoted).slice('password="'.length, -1);
}
