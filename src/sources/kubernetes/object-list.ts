import { FormatError, lenient, plainObject, type Parser } from '../../lib/parse.ts';
import type { Bounded } from '../alertmanager.ts';
import { JsonReader } from '../json-reader.ts';

/**
 * Of one object, which is parsed as a whole. Its annotations may take 256 KiB, and all else of it
 * is some kilobytes (kubernetes/apimachinery: pkg/api/validation/objectmeta.go).
 */
const objectBytesMax = 512 * 1024;

/**
 * The answer to a list (kubernetes/apimachinery: meta/v1 ListMeta):
 * `{items: […], metadata: {continue?, remainingItemCount?}}`. What the parser refuses is left out.
 * Throws FormatError where it is no list.
 */
export function readList<T>(body: Buffer, item: Parser<T>, itemsMax: number): Bounded<T> {
  const items: T[] = [];
  let seen = 0;
  let omitted = 0;
  let isList = false;
  const reader = new JsonReader(body);
  const readItem = (): void => {
    const span = seen < itemsMax ? reader.span() : null;
    seen += 1;
    const isShort = span !== null && span.length <= objectBytesMax;
    const read = isShort ? lenient(item, null)(JSON.parse(span.toString()), 'items') : null;
    if (read === null) omitted += 1;
    else items.push(read);
  };
  reader.object((member) => {
    if (member === 'items') {
      isList = true;
      reader.arrayOrNull(readItem);
    } else if (member === 'metadata') {
      omitted += leftBehind(reader.value());
    }
  });
  reader.end();
  if (!isList) throw new FormatError('items', 'an array', undefined);
  return { items, omitted };
}

/** Without a number it is one at least. */
function leftBehind(metadata: unknown): number {
  const told: Readonly<Record<string, unknown>> = lenient(plainObject, {})(metadata, 'metadata');
  const { continue: next, remainingItemCount: left } = told;
  if (typeof next !== 'string' || next === '') return 0;
  return typeof left === 'number' ? left : 1;
}
