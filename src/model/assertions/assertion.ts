import { optional, text, type Parser } from '../../lib/parse.ts';
import { shownText } from '../../report/shown-text.ts';
import { objectShape, type Shape, type Shapes } from '../shape.ts';

export const assertionKinds = [
  'value', 'moved', 'compare', 'order', 'same_time', 'count', 'top', 'none', 'unknown', 'said',
] as const;
export type AssertionKind = (typeof assertionKinds)[number];

/** `value`, `moved`, `compare` and `count` have two or more each; the others have none. */
const relations = [
  'yes', 'no', 'rose', 'fell', 'same', 'changed', 'above', 'below', 'about', 'all', 'some', 'none',
] as const;

/**
 * What a model says is so: a relation between values of the evidence, which code computes. One flat
 * object for all kinds, as small models and strict servers fill it; what a kind has no use for is
 * null.
 */
export interface Assertion {
  /** An {@link AssertionKind}, as the model wrote it. */
  readonly is: string;
  /** Addresses of values of the evidence, or of an item as a whole. */
  readonly a: string | null;
  readonly b: string | null;
  readonly rel: string | null;
  readonly quote: string | null;
}

const textMax = 300;

/** Null for an empty text as well, which models write for nothing. */
const readText: Parser<string | null> = (value, path) =>
  shownText(optional(text, '')(value, path), textMax).trim() || null;

const nullable: Shape<string | null> = { schema: { type: ['string', 'null'] }, read: readText };

export const assertionMembers: Shapes<Assertion> = {
  is: {
    schema: { type: 'string', enum: assertionKinds },
    read: (value, path) => readText(value, path)?.toLowerCase() ?? '',
  },
  a: nullable, b: nullable,
  rel: {
    schema: { type: ['string', 'null'], enum: [...relations, null] },
    read: (value, path) => readText(value, path)?.toLowerCase() ?? null,
  },
  quote: nullable,
};

export const assertionShape: Shape<Assertion> = objectShape(assertionMembers);
