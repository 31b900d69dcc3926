import type { IncomingHttpHeaders } from 'node:http';
import { numberInHeader, retryAfterMs } from '../../lib/retry-after.ts';
import { secondsIn } from '../../lib/time-units.ts';
import { asObject, asText } from '../wires/wire.ts';
import { ModelError, type ModelErrorType } from './model-error.ts';

/** A server's error answer. Its texts have not been cleaned yet. */
export interface Refusal {
  readonly status: number;
  /** The message; may be empty. */
  readonly text: string;
  /** Error codes and types, joined by spaces. */
  readonly code: string;
  /** The field at fault, where the server names it. */
  readonly param: string;
  readonly retryAfterMs: number | null;
  /** The header `x-should-retry`; null without it. */
  readonly shouldRetry: boolean | null;
}

const textLengthMax = 4000;
/** Length of codes and of the name of a field, in UTF-16 units. */
const nameLengthMax = 400;

/**
 * Reads the errors of all providers: `{error: {message, type, code, param}}`, the same in a list or
 * without the outer object, `{error: 'text'}`, `{detail}`, and HTML pages.
 */
export function readRefusal(answer: {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** The body before it was parsed, for what is not JSON. */
  readonly text: string;
  /** Wall time, for dates in `retry-after`. */
  readonly now: number;
}): Refusal {
  const { status, headers, body, text, now } = answer;
  const outer = asObject(Array.isArray(body) ? body[0] : body);
  const inner = typeof outer['error'] === 'object' ? asObject(outer['error']) : outer;
  const details = asObject(inner['details']);
  const message = firstText(
    inner['message'], outer['error'], outer['message'], outer['detail'],
  ) ?? (body === undefined ? withoutTags(text) : withoutInput(outer['detail'] ?? body));
  // Here OpenRouter has the provider's own words.
  const raw = asText(asObject(inner['metadata'])['raw']).replace(/[{}"\\[\]\s]+/g, ' ');
  const codes = [inner['code'], inner['type'], details['error_code'], outer['code']];
  return {
    status: status === 200 ? statusIn(inner['code']) : status,
    text: `${message} ${raw}`.trim().slice(0, textLengthMax),
    code: codes.filter((code) => typeof code === 'string').join(' ').slice(0, nameLengthMax),
    param: (firstText(inner['param']) ?? '').slice(0, nameLengthMax),
    retryAfterMs: retryAfter(headers, now) ?? pauseIn(message),
    shouldRetry: shouldRetry(headers),
  };
}

/** Validation errors repeat the request as `input`; that is not the server's own text. */
function withoutInput(details: unknown): string {
  return JSON.stringify(details, (name, value: unknown) => name === 'input' ? undefined : value);
}

/** The status that an error would have which came with 200, from its body. */
function statusIn(code: unknown): number {
  // An object may have a `toString` that is no function.
  const codeText = typeof code === 'number' || typeof code === 'string' ? String(code) : '';
  if (/^[45]\d\d$/.test(codeText)) return Number(codeText);
  return /rate_limit/.test(codeText) ? 429 : /invalid|_policy/.test(codeText) ? 400 : 500;
}

/** `clean` removes secrets and unprintable characters from what the server said. */
export function errorOfRefusal(refusal: Refusal, clean: (text: string) => string): ModelError {
  const { status, retryAfterMs } = refusal;
  const cleaned = clean(refusal.text);
  const message = `The model's server answered ${status}${cleaned === '' ? '' : `: ${cleaned}`}`;
  return new ModelError(message, { type: typeOf(refusal), retryAfterMs });
}

const quota = new RegExp([
  'insufficient_quota', 'credit_balance_exhausted', 'credit balance', 'spend(ing)?_?.?limit',
  'billing', 'exceeded your current quota', 'insufficient (credits|balance|funds)',
  'usage limits?\\b', 'budget.{0,3}(has been )?exceeded',
].join('|'), 'i');
const context = new RegExp([
  'context_length_exceeded', 'prompt is too long', 'maximum context length',
  'context (window|size|limit|length)', 'request_too_large', 'too many tokens',
  'input is too long', 'tokens` must be <=', 'maximum prompt length',
  'model_context_window_exceeded', '(?:input|prompt|request) (?:[\\w()]+ ){0,8}exceed.{0,60}token',
].join('|'), 'i');
const model = /invalid model name/i;
const key = /(incorrect|invalid).api.key|api key not valid/i;
const filtered = new RegExp([
  'content.?(filter|policy|management|exists risk)', 'inappropriate content', 'moderation',
  'flagged', '\\b(bio|cyber)_policy', 'invalid_prompt',
].join('|'), 'i');

function typeOf({ status, text, code }: Refusal): ModelErrorType {
  const all = `${code} ${text}`;
  if (status === 402) return 'quota';
  // Messages about limits per minute mention the billing page as well.
  const isPaced = status === 429 && (/rate_limit_exceeded/.test(code) || pauseIn(text) !== null);
  if (!isPaced && quota.test(all) && [400, 403, 429].includes(status)) return 'quota';
  if (status === 400 && key.test(all)) return 'unauthorized';
  if (filtered.test(all) && [400, 403, 422].includes(status)) return 'filtered';
  // llama.cpp answers 500 where the others answer 400.
  if (context.test(all) && [400, 413, 422, 500].includes(status)) return 'context';
  // At OpenAI, a request of more tokens than a minute has will not succeed later.
  if (status === 429 && /tokens must be reduced/.test(text)) return 'context';
  if (status === 400 && model.test(text)) return 'not_found';
  if (/tool_use_failed|json_validate_failed/.test(all)) return 'malformed';
  return types.get(status) ?? (status >= 500 ? 'server_error' : 'refused');
}

const types: ReadonlyMap<number, ModelErrorType> = new Map([
  [401, 'unauthorized'], [403, 'unauthorized'], [404, 'not_found'], [405, 'not_found'],
  [407, 'unauthorized'], [408, 'server_error'], [409, 'server_error'], [410, 'not_found'],
  [413, 'context'], [429, 'rate_limited'], [503, 'overloaded'], [529, 'overloaded'],
]);

/** Longer waits are cut to this. */
const retryAfterMaxMs = 3_600_000;

function retryAfter(headers: IncomingHttpHeaders, now: number): number | null {
  const exact = numberInHeader(headers['retry-after-ms']);
  const ms = exact ?? retryAfterMs(headers['retry-after'], now);
  return ms === null || ms < 0 ? null : Math.min(ms, retryAfterMaxMs);
}

const pause = new RegExp(
  '\\b(?:try again|retry) (?:in|after) (?:about |approximately |~)?' +
    '((?:\\d{1,9}(?:\\.\\d{1,9})?\\s?(?:ms|[hm](?=[\\d\\s])|' +
    '(?:[hms]|milliseconds?|secs?|seconds?|mins?|minutes?|hours?)\\b)\\s?){1,4})', 'i',
);

/** Reads "Please try again in 1m7.5s", for servers that send no header. */
function pauseIn(message: string): number | null {
  const [, text = ''] = pause.exec(message) ?? [];
  const parts = [...text.matchAll(/([\d.]+)\s?(ms|milliseconds?|[hms])/gi)]
    .map(([, number, unit = '']) => Number(number) * 1000 * (secondsIn(unit.toLowerCase()) ?? 0));
  const ms = parts.reduce((sum, part) => sum + part, 0);
  return parts.length === 0 ? null : Math.min(ms, retryAfterMaxMs);
}

function shouldRetry(headers: IncomingHttpHeaders): boolean | null {
  const header = headers['x-should-retry'];
  return header === 'true' ? true : header === 'false' ? false : null;
}

function firstText(...values: readonly unknown[]): string | null {
  const found = values.find((value) => typeof value === 'string' && value !== '');
  return typeof found === 'string' ? found : null;
}

function withoutTags(text: string): string {
  return text
    .slice(0, 4 * textLengthMax)
    .replace(/<(script|style|head)\b[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^<>]*>/g, ' ');
}
