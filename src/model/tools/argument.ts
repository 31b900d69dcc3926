import { boolean, number, optional, shortText } from '../../lib/parse.ts';
import type { Shape } from '../shape.ts';

/** An argument of a tool; its reader may also throw a ToolProblem. */
export interface Argument<T> extends Shape<T> {
  readonly schema: { readonly type: string | readonly string[]; readonly description: string };
}

/** At most `lengthMax` UTF-16 units. */
export function textArgument(lengthMax: number, description: string): Argument<string> {
  return { schema: { type: 'string', description }, read: shortText(lengthMax) };
}

export function numberArgument(description: string): Argument<number> {
  return { schema: { type: 'number', description }, read: number };
}

export function flagArgument(description: string): Argument<boolean> {
  return { schema: { type: 'boolean', description }, read: boolean };
}

/** The description has to say what null means. */
export function orNull<T>({ schema, read }: Argument<T>): Argument<T | null> {
  return {
    schema: { ...schema, type: [schema.type, 'null'].flat() },
    read: optional<T, null>(read, null),
  };
}

/** A number brought within bounds; `otherwise` stands for null. */
export function numberWithin(
  { min, max, otherwise }: {
    readonly min: number; readonly max: number; readonly otherwise: number;
  },
  description: string,
): Argument<number> {
  const { schema, read } = orNull(numberArgument(description));
  return {
    schema,
    read: (value, path) => Math.min(max, Math.max(min, read(value, path) ?? otherwise)),
  };
}
