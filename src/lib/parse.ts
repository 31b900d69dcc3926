/**
 * Parsers turn untrusted values (a request body, a journal record, a worker's message) into typed
 * ones, or throw a {@linkcode FormatError} that says where and how they mismatch, never the value.
 */
export type Parser<T> = (value: unknown, path: string) => T;

export class FormatError extends Error {
  override readonly name = 'FormatError';
  readonly #mismatch: string;
  path: string;

  constructor(path: string, expected: string, actual: unknown) {
    const mismatch = `expected ${expected}, got ${describe(actual)}`;
    // Without a stack trace, which takes most of the time: a body may have thousands of errors.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(`${path}: ${mismatch}`);
    Error.stackTraceLimit = stackTraceLimit;
    this.#mismatch = mismatch;
    this.path = path;
  }

  /** Prepends the path of the enclosing object. */
  prefix(path: string): void {
    this.path = `${path}.${this.path}`;
    this.message = `${this.path}: ${this.#mismatch}`;
  }
}

export const text: Parser<string> = (value, path) => {
  if (typeof value !== 'string') throw new FormatError(path, 'a string', value);
  return value;
};

/** Text of at most `lengthMax` UTF-16 units. */
export function shortText(lengthMax: number): Parser<string> {
  return (value, path) => {
    const string = text(value, path);
    if (string.length > lengthMax) throw new FormatError(path, `at most ${lengthMax} long`, value);
    return string;
  };
}

export const number: Parser<number> = (value, path) => {
  if (typeof value !== 'number') throw new FormatError(path, 'a number', value);
  return value;
};

export const boolean: Parser<boolean> = (value, path) => {
  if (typeof value !== 'boolean') throw new FormatError(path, 'true or false', value);
  return value;
};

export function oneOf<const T extends string>(...allowed: readonly T[]): Parser<T> {
  return (value, path) => {
    const found = allowed.find((candidate) => candidate === value);
    if (found === undefined) throw new FormatError(path, `one of ${allowed.join(', ')}`, value);
    return found;
  };
}

export function listOf<T>(item: Parser<T>): Parser<T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw new FormatError(path, 'an array', value);
    return value.map((element: unknown, index) => item(element, `${path}[${index}]`));
  };
}

/** Replaces an absent or null value by `fallback`. */
export function optional<T, F>(parser: Parser<T>, fallback: F): Parser<T | F> {
  return (value, path) => (value === undefined || value === null ? fallback : parser(value, path));
}

/** Replaces whatever `parser` rejects by `fallback`: for what is only shown. */
export function lenient<T, F>(parser: Parser<T>, fallback: F): Parser<T | F> {
  return (value, path) => {
    // A shortcut: most such members are absent, and throwing is slow.
    if (value === undefined || value === null) return fallback;
    try {
      return parser(value, path);
    } catch (error) {
      if (error instanceof FormatError) return fallback;
      throw error;
    }
  };
}

/**
 * Reads an object's own members one by one: `field('labels', labelSet)`. Each parser gets only the
 * member's name; an error collects the rest of the path on its way out. Building the path for every
 * member, of which nearly all are fine, would take longer than parsing.
 */
export function fieldsOf(value: unknown, path: string): <T>(name: string, parser: Parser<T>) => T {
  const source = plainObject(value, path);
  return (name, parser) => {
    const own = Object.hasOwn(source, name) ? source[name] : undefined;
    try {
      return parser(own, name);
    } catch (error) {
      if (error instanceof FormatError) error.prefix(path);
      throw error;
    }
  };
}

/** An object with at least these members; the parsed one has no others. */
export function objectOf<T>(members: { readonly [Name in keyof T]-?: Parser<T[Name]> }): Parser<T> {
  const parsers = Object.entries(members) as [string, Parser<unknown>][];
  return (value, path) => {
    const field = fieldsOf(value, path);
    const parsed: Record<string, unknown> = {};
    for (const [name, parser] of parsers) parsed[name] = field(name, parser);
    return parsed as T;
  };
}

export function plainObject(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new FormatError(path, 'an object', value);
  }
  return value as Record<string, unknown>;
}

/** A member of a value that may be anything; undefined if it has none of its own by that name. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
