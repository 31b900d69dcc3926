import { cellAt, Problem, type CitedItems } from './cell.ts';
import { valueText } from './cell-text.ts';
import { holdsName, namesIn } from './names.ts';
import { ordersIn } from './orders.ts';

export interface Filled {
  readonly text: string;
  /** Ids of the items whose values were filled in, and of those cited. */
  readonly evidence: readonly string[];
}

export interface FillContext {
  readonly evidence: CitedItems;
  /** All that the evidence says, in lower case: names come only from there. */
  readonly known: string;
}

const braces = /\{([^{}\n]{1,220})\}/gu;
/** `[E3, E7]`, `(E3)`, `E3`, `H1`. */
const citation = /[[(]?(?<![\w-])[EH]\d{1,4}(?:,\s?[EH]\d{1,4})*(?![\w.-])[\])]?/gu;
/** "One" is also a pronoun, and ordinals put sentences in order. */
const numberWords = new RegExp(
  '\\b(?:zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|' +
    'seven|eigh|nine)teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|' +
    'thousands?|millions?|billions?|dozens?|half|halved|twice|thrice|double[ds]?|triple[ds]?|' +
    'quadrupled?|\\w+fold)\\b', 'iu',
);

/**
 * A sentence of a model's own words with the values that it refers to in braces, as in
 * `{E9.after}`. Throws a Problem if it has numbers of its own, names that no evidence has, or tells
 * the reader to do something.
 */
export function filled(sentence: string, { evidence, known }: FillContext): Filled {
  const ids: string[] = [];
  const bare = sentence.replace(braces, ' ').replace(citation, ' ');
  const names = namesIn(bare);
  const unknown = names.find((name) => !holdsName(known, name));
  if (unknown !== undefined) throw new Problem(`No evidence names ${unknown}.`);
  const plain = names.reduce((text, name) => text.replaceAll(name, ' '), bare);
  const number = /\p{N}[\p{N}.,:]*/u.exec(plain)?.[0] ?? numberWords.exec(plain)?.[0];
  if (number !== undefined) {
    throw new Problem(`"${number}" is a number of your own: refer to a value, as in {E9.after}.`);
  }
  const [order] = ordersIn(bare);
  if (order !== undefined) throw new Problem(`"${order.trim()}" tells the reader what to do.`);
  const text = sentence.replace(braces, (_all, address: string) => {
    const cell = cellAt(address, evidence);
    if (cell.value.kind === 'text') throw new Problem(`{${address}} is a text, not a value.`);
    ids.push(cell.item.id);
    return valueText(cell);
  });
  const cited = text.match(/(?<![\w-])E\d{1,4}(?![\w-])/gu) ?? [];
  const stranger = cited.find((id) => !evidence.has(id));
  if (stranger !== undefined) throw new Problem(`There is no evidence ${stranger}.`);
  return { text: text.trim(), evidence: [...new Set([...ids, ...cited])] };
}

/** Ids behind a full stop are of the sentence before it. */
const sentenceEnd =
  /(?<=[.!?](?:\s?[[(]E\d[^\])]{0,60}[\])])?)\s+(?!\(E\d)(?=[\p{Lu}\d"'({])/u;

/** Splits at a full stop only where a new sentence follows; `e.g. this` stays whole. */
export function sentencesOf(text: string): string[] {
  return text.split(sentenceEnd).filter((sentence) => sentence.trim() !== '');
}
