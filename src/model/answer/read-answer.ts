import { fieldsOf, FormatError } from '../../lib/parse.ts';
import { objectShape, type Shape, type Shapes } from '../shape.ts';
import type { Assertions } from './answer-schema.ts';
import { objectsIn } from './json-in-text.ts';

/** The rest of a longer answer is ignored, in UTF-16 units. */
const answerMax = 256 * 1024;

type ReadAnswer<T> =
  | { readonly answer: T; readonly problems: readonly [] }
  /** What to tell the model, one line each. */
  | { readonly answer: null; readonly problems: readonly string[] };

/**
 * Reads a model's answer of these members from its text: bare JSON, or an object in a code fence or
 * in prose. Texts and lists are cut to bounds; a member that is missing or has another type is a
 * problem.
 */
export function readModelAnswer<T extends Assertions>(
  content: string,
  members: Shapes<T>,
): ReadAnswer<T> {
  const [first, ...others] = objectsIn(content.slice(0, answerMax), 'findings')
    .map((value) => readObject(value, members));
  if (first === undefined) {
    return { answer: null, problems: ['The answer holds no complete JSON object.'] };
  }
  return [first, ...others].find(({ answer }) => answer !== null) ?? first;
}

function readObject<T>(value: object, members: Shapes<T>): ReadAnswer<T> {
  const field = fieldsOf(value, 'answer');
  const problems = Object.entries<Shape<unknown>>(members).flatMap(([name, { read }]) => {
    try {
      field(name, read);
      return [];
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      return [error.message];
    }
  });
  return problems.length > 0 ? { answer: null, problems }
    : { answer: objectShape(members).read(value, 'answer'), problems: [] };
}
