import { listOf, objectOf, oneOf, optional, type Parser } from '../lib/parse.ts';

/** What a model is to write: as the schema asks for it, and as it is read. */
export interface Shape<T> {
  /**
   * JSON Schema in the subset that every provider supports: objects require all of their members
   * and allow no others, and there are no bounds on lengths or numbers.
   */
  readonly schema: object;
  /** Throws a FormatError. */
  readonly read: Parser<T>;
}

export type Shapes<T> = { readonly [Name in keyof T]: Shape<T[Name]> };

export function objectShape<T>(members: Shapes<T>): Shape<T> {
  const all = Object.entries<Shape<unknown>>(members);
  const properties = Object.fromEntries(all.map(([name, { schema }]) => [name, schema]));
  const readers = Object.fromEntries(all.map(([name, { read }]) => [name, read]));
  return {
    schema: {
      type: 'object', additionalProperties: false, required: Object.keys(properties), properties,
    },
    read: objectOf(readers) as Parser<T>,
  };
}

/** Items beyond `max` are not read. */
export function listShape<T>({ schema, read }: Shape<T>, max: number): Shape<T[]> {
  return {
    schema: { type: 'array', items: schema },
    read: (value, path) => listOf(read)(Array.isArray(value) ? value.slice(0, max) : value, path),
  };
}

export function choiceShape<const T extends string>(...values: readonly T[]): Shape<T> {
  return { schema: { type: 'string', enum: values }, read: oneOf(...values) };
}

/** The schema requires it, but if it is absent or null it is read as `fallback`. */
export function orElse<T, F>({ schema, read }: Shape<T>, fallback: F): Shape<T | F> {
  return { schema, read: optional(read, fallback) };
}
