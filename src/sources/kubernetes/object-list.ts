import { FormatError, lenient, plainObject, type Parser } from '../../lib/parse.ts';
import type { Bounded } from '../answer-room.ts';
import { JsonReader } from '../json-reader.ts';

/**
 * Largest object that is parsed. Annotations may take 256 KiB, everything else takes a few
 * kilobytes (kubernetes/apimachinery: pkg/api/validation/objectmeta.go).
 */
const objectBytesMax = 512 * 1024;

/**
 * The answer to a list request (kubernetes/apimachinery: meta/v1 ListMeta):
 * `{items: […], metadata: {continue?, remainingItemCount?}}`. Items that the parser refuses are
 * left out and counted as omitted. Throws FormatError for anything but a list.
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

/** How many items the server left out: at least 1 if it does not give the number. */
function leftBehind(metadata: unknown): number {
  const members: Readonly<Record<string, unknown>> = lenient(plainObject, {})(metadata, 'metadata');
  const { continue: next, remainingItemCount: left } = members;
  if (typeof next !== 'string' || next === '') return 0;
  return typeof left === 'number' ? left : 1;
}
