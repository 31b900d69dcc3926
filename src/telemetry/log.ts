/**
 * Each entry is exactly one line, whatever it contains: much of what is logged comes from outside,
 * and a line break or terminal sequence in it must not forge or hide an entry.
 */
import type { Writable } from 'node:stream';
import { shortened } from '../lib/shortened.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFormat = 'json' | 'pretty';
type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds `fields` to every line, e.g. `log.with({ component: 'queue' })`. */
  with(fields: LogFields): Logger;
}

interface LogSettings {
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly now: () => number;
  readonly write: (line: string, level: LogLevel) => void;
  /**
   * Secrets that must not appear in a line; called for every line, since secrets rotate. Those
   * shorter than four characters are not redacted, as that would blank out ordinary words.
   */
  readonly redact?: () => readonly string[];
}

/** How values are made loggable. */
interface Limits {
  readonly secrets: readonly string[];
  readonly isStackShown: boolean;
}

const levelRank: Readonly<Record<LogLevel, number>> = { debug: 10, info: 20, warn: 30, error: 40 };

const lengthMax = 512;
const stackLengthMax = 4096;
const itemsMax = 32;
const depthMax = 6;
const redactedLengthMin = 4;

/** C0 and C1 controls, DEL, line separators, bidirectional controls and the byte order mark. */
const unprintable =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

export function createLogger(settings: LogSettings, bound: LogFields = {}): Logger {
  const emit = (level: LogLevel) => (message: string, fields: LogFields = {}): void => {
    if (levelRank[level] < levelRank[settings.level]) return;
    const limits = { secrets: secretForms(settings), isStackShown: settings.level === 'debug' };
    const time = new Date(settings.now()).toISOString();
    const entry = { time, level, message: plainText(message, limits) };
    const shown = plainFields({ ...bound, ...fields }, limits);
    const line = settings.format === 'json' ? jsonLine(entry, shown) : prettyLine(entry, shown);
    settings.write(line, level);
  };
  return {
    debug: emit('debug'),
    info: emit('info'),
    warn: emit('warn'),
    error: emit('error'),
    with: (fields) => createLogger(settings, { ...bound, ...fields }),
  };
}

/** Bytes that a log's reader may leave unread, besides the kernel's buffer. */
const unreadBytesMax = 1024 * 1024;

/**
 * Writes lines to a stream whose reader may hang: those beyond what it may leave unread are lost.
 * `onLost` is called with their number, before the first line that is written after they were read.
 */
export function lineWriter(
  stream: Pick<Writable, 'write' | 'writableLength'>, onLost: (lines: number) => void,
): (line: string) => void {
  let lost = 0;
  return (line) => {
    if (stream.writableLength > unreadBytesMax) {
      lost += 1;
      return;
    }
    if (lost > 0 && stream.writableLength === 0) {
      const lines = lost;
      lost = 0;
      onLost(lines);
    }
    stream.write(line);
  };
}

interface Entry {
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
}

/** A field cannot override the entry's own time, level or message. */
function jsonLine({ time, level, message }: Entry, fields: LogFields): string {
  const head = { time, level, message };
  return `${printable(JSON.stringify({ ...head, ...fields, ...head }))}\n`;
}

function prettyLine({ time, level, message }: Entry, fields: LogFields): string {
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
  const line = `${time.slice(11, 23)} ${level.toUpperCase().padEnd(5)} ${message}${pairs.join('')}`;
  return `${printable(line)}\n`;
}

/** These characters can occur only inside JSON strings, where `\\uXXXX` is JSON's own escape. */
function printable(line: string): string {
  return line.replace(unprintable, (character) =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Longest first: if one secret is the beginning of another, the longer must be redacted whole. */
function secretForms(settings: LogSettings): readonly string[] {
  const secrets = settings.redact?.() ?? [];
  return secrets
    .filter((secret) => secret.length >= redactedLengthMin)
    .flatMap((secret) => [secret, percentEncoded(secret)])
    .toSorted((a, b) => b.length - a.length);
}

/** As a secret would look inside a URL. */
function percentEncoded(secret: string): string {
  return encodeURIComponent(secret.replace(/\p{Surrogate}/gu, ''));
}

/** Redacts before it cuts, as a secret that is cut would no longer be recognised. */
function plainText(text: string, limits: Limits, limit = lengthMax): string {
  let shown = text;
  for (const secret of limits.secrets) shown = shown.replaceAll(secret, '[redacted]');
  return shortened(shown, limit);
}

function plainFields(fields: LogFields, limits: Limits, depth = 0): LogFields {
  const entries = Object.entries(fields)
    .filter(([, value]) => value !== undefined && typeof value !== 'function');
  const shown = entries.slice(0, itemsMax).map(([name, value]) =>
    [plainText(name, limits), plain(value, limits, depth)] as const);
  return Object.fromEntries(shown);
}

/** A copy that JSON can write, bounded in length, breadth and depth. */
function plain(value: unknown, limits: Limits, depth: number): unknown {
  if (typeof value === 'string') return plainText(value, limits);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= depthMax) return '…';
  if (value instanceof Error) return plainError(value, limits, depth);
  if (Array.isArray(value)) {
    return value.slice(0, itemsMax).map((item) => plain(item, limits, depth + 1));
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return plain(value.toJSON(), limits, depth + 1);
  }
  return plainFields({ ...value }, limits, depth + 1);
}

function plainError(error: Error, limits: Limits, depth: number): LogFields {
  const { name, message, cause } = error;
  const shown: Record<string, unknown> = { name, message };
  if ('code' in error) shown['code'] = error.code;
  if (error instanceof AggregateError) shown['errors'] = error.errors;
  if (cause !== undefined) shown['cause'] = cause;
  const fields = plainFields(shown, limits, depth + 1);
  if (!limits.isStackShown && !isUnexpected(error)) return fields;
  return { ...fields, stack: plainText(framesOf(error), limits, stackLengthMax) };
}

/** Raised by the language or an assertion: a bug, for which the stack is needed. */
function isUnexpected(error: Error): boolean {
  return (
    error instanceof TypeError ||
    error instanceof ReferenceError ||
    error instanceof RangeError ||
    ('code' in error && error.code === 'ERR_ASSERTION')
  );
}

/** The frames of the stack, without the message, which is a field of its own. */
function framesOf(error: Error): string {
  const lines = (error.stack ?? '').split('\n');
  return lines.filter((line) => /^\s+at /.test(line)).map((line) => line.trim()).join('\n');
}
