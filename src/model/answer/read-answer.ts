import { fieldsOf, FormatError } from '../../lib/parse.ts';
import type { Shape } from '../shape.ts';
import { answerMembers, answerShape, type ModelAnswer } from './answer-schema.ts';
import { objectsIn } from './json-in-text.ts';

/** The rest of a longer answer is ignored, in UTF-16 units. */
const answerMax = 256 * 1024;

type ReadAnswer =
  | { readonly answer: ModelAnswer; readonly problems: readonly [] }
  /** What to tell the model, one line each. */
  | { readonly answer: null; readonly problems: readonly string[] };

/**
 * Reads a model's conclusion from its text: bare JSON, or an object in a code fence or in prose.
 * Texts and lists are cut to bounds; a member that is missing or has another type is a problem.
 */
export function readAnswer(said: string): ReadAnswer {
  const [first, ...others] = objectsIn(said.slice(0, answerMax), 'verdict').map(readObject);
  if (first === undefined) {
    return { answer: null, problems: ['The answer holds no complete JSON object.'] };
  }
  return [first, ...others].find(({ answer }) => answer !== null) ?? first;
}

function readObject(value: object): ReadAnswer {
  const field = fieldsOf(value, 'answer');
  const problems = Object.entries<Shape<unknown>>(answerMembers).flatMap(([name, { read }]) => {
    try {
      field(name, read);
      return [];
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      return [error.message];
    }
  });
  return problems.length > 0 ? { answer: null, problems }
    : { answer: answerShape.read(value, 'answer'), problems: [] };
}
