/** What the wires share: their types, and helpers to build requests and read answers. */
import { isWithinJsonLimits } from '../../lib/json-limits.ts';
import type { ModelReply, ModelRequest, ToolCall, Usage } from '../client/conversation.ts';
import type { ModelAccess } from '../client/model-access.ts';
import { ModelError } from '../client/model-error.ts';
import type { Quirks } from '../client/quirks.ts';

/** A provider's API. Pure: turns a request into HTTP, and an answer into a reply. */
export interface Wire {
  readonly build: (request: ModelRequest, model: AskedModel, quirks: Quirks) => BuiltRequest;
  /** Reads the body of a successful answer. Throws ModelError. */
  readonly parse: (body: unknown, ids: CallIds) => ModelReply;
}

/** `effort` is what it is to spend on thinking, in the provider's words; null is its default. */
export type AskedModel = Pick<ModelAccess, 'name' | 'effort'>;

export interface BuiltRequest {
  /** Relative to the base URL. */
  readonly path: string;
  /** In addition to those of every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Ids for calls that come without one. */
export interface CallIds {
  readonly taken: ReadonlySet<string>;
  /** Nine letters and digits, as Mistral requires. */
  readonly create: () => string;
}

/** JSON text; `{}` in place of invalid JSON, since servers parse it again. */
export function argumentsText(call: Pick<ToolCall, 'arguments' | 'argumentsError'>): string {
  return call.argumentsError === null ? JSON.stringify(call.arguments ?? {}) : '{}';
}

const nameLengthMax = 64;

/** The name of a called tool in a form that every server accepts when it is sent back. */
export function echoedName(called: string): string {
  return called.replace(/[^\w-]/g, '_').slice(0, nameLengthMax) || '_';
}

const errorLengthMax = 160;
/** Longer arguments are not parsed; a query takes 2 KiB at most. */
const argumentsLengthMax = 16 * 1024;

/** Parses arguments: JSON text, which some servers encode twice, an object, or nothing. */
export function parseArguments(
  raw: unknown,
  isEncodedTwice = false,
): Pick<ToolCall, 'arguments' | 'argumentsError'> {
  if (raw === undefined || raw === null || raw === '') return objectOrError({});
  if (typeof raw === 'object') return objectOrError(raw);
  if (typeof raw !== 'string') return notAnObject;
  if (raw.length > argumentsLengthMax || !isWithinJsonLimits(raw)) return oversized;
  try {
    const value: unknown = JSON.parse(raw);
    const isText = typeof value === 'string' && !isEncodedTwice;
    return isText ? parseArguments(value, true) : objectOrError(value);
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    const short = why.replace(/[\s\p{Cc}]+/gu, ' ').slice(0, errorLengthMax);
    return { arguments: null, argumentsError: `The arguments are not JSON: ${short}` };
  }
}

const oversized = {
  arguments: null, argumentsError: 'The arguments are too long, or nested too deep',
};
const notAnObject = { arguments: null, argumentsError: 'The arguments are not a JSON object' };

function objectOrError(value: unknown): Pick<ToolCall, 'arguments' | 'argumentsError'> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return notAnObject;
  return { arguments: value, argumentsError: null };
}

/** Why an answer of OpenAI's APIs ended. Calls count for more than the reason, often wrong. */
export function stopOf({ isFiltered, isRefusal, hasCalls, isCut }: {
  readonly isFiltered: boolean; readonly isRefusal: boolean; readonly hasCalls: boolean;
  readonly isCut: boolean;
}): ModelReply['stop'] {
  if (isFiltered) return 'filtered';
  if (isRefusal) return 'refusal';
  if (hasCalls) return 'tools';
  return isCut ? 'length' : 'end';
}

/** Null unless both counts are valid; `cached` is part of `input`, and 0 if it is no count. */
export function usageOf(input: unknown, output: unknown, cached: unknown): Usage | null {
  if (!isCount(input) || !isCount(output)) return null;
  return { input, output, cached: isCount(cached) ? Math.min(cached, input) : 0 };
}

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

export function malformed(what: string): ModelError {
  return new ModelError(`The model's answer has an unexpected shape: ${what}`, {
    type: 'malformed',
  });
}

/** The value if it is an object, else an empty one. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isPlain ? (value as Record<string, unknown>) : {};
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Each part of an answer becomes several objects and is sent back. */
const partsMax = 128;

/** The first parts of a list in an answer: far more than the calls that are made. */
export function firstParts(value: unknown): readonly unknown[] {
  return asList(value).slice(0, partsMax);
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
