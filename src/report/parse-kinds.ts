import { fieldsOf, lenient, listOf, oneOf, text } from '../lib/parse.ts';
import { causeKinds, factsOf, type CauseFacts } from './kinds.ts';

const stated = { kind: lenient(oneOf(...causeKinds), undefined), text: lenient(text, undefined) };

/** The facts in what was stored of a cause; those that another version wrote otherwise are none. */
export function causeFactsIn(value: unknown): CauseFacts {
  const field = fieldsOf(value, 'cause');
  return factsOf({
    kind: field('kind', stated.kind), about: field('about', lenient(listOf(text), undefined)),
    detail: field('detail', stated.text),
    family_cause: field('family_cause', stated.text), alert: field('alert', stated.text),
  });
}
