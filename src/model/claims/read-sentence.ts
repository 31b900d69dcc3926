import { citedId } from './cited-ids.ts';
import { momentsIn, type SaidMoment } from './moments.ts';
import { namesIn } from './names.ts';
import { withDigits } from './number-words.ts';
import { quantitiesIn, type SaidQuantity } from './quantity-text.ts';
import { takeQuotes } from './quotes.ts';

/** A sentence taken apart into what can be looked up in the evidence. */
export interface Sentence {
  readonly quotes: readonly string[];
  readonly moments: readonly SaidMoment[];
  readonly quantities: readonly SaidQuantity[];
  readonly names: readonly string[];
  /** What is left when quotes, moments, quantities and names are taken out. */
  readonly words: string;
  /** The sentence without quotes and moments. */
  readonly text: string;
}

/** Numbers that label parts of the text and measure nothing. */
const structural = [
  citedId,
  /\b(?:step|hypothesis|option|phase) #?\d{1,2}(?![\d.,]*\d|\s?[%×/]|\s?[a-z])/gi,
  /^\s*(?:\d{1,2}[.)]|\(\d{1,2}\)) /g,
];

/** Reports write a score as `z=4.1`, which would otherwise be read as a name. */
const score = /(?<![\w.])z ?= ?(?=-?\d)/gi;

export function readSentence(said: string): Sentence {
  const plain = structural.reduce((text, pattern) => text.replace(pattern, ' '),
    said.normalize('NFKC')).replace(score, 'z of ');
  const { quotes, rest: unquoted } = takeQuotes(plain);
  const { moments, rest: text } = momentsIn(withDigits(unquoted));
  const { found, rest: words } = quantitiesIn(text);
  return {
    quotes, moments, text, words, names: namesIn(text),
    quantities: found.filter((one) => !isThought(one)),
  };
}

/** Things that a sentence counts in its own reasoning, not in the world. */
const thoughts = new RegExp(
  '^(?:(?:possible|likely|other|further|more|competing|plausible|different|next|open) )*' +
    '(?:hypothes[ie]s|explanations?|reasons?|possibilit(?:y|ies)|options?|scenarios?|' +
    'interpretations?|theor(?:y|ies)|questions?|pieces? of evidence|observations?|' +
    'caveats?|steps?)\\b',
  'i',
);
const thoughtsMax = 5;

function isThought({ kind, value, of, after }: SaidQuantity): boolean {
  return kind === 'bare' && of === null && value <= thoughtsMax && thoughts.test(after.trim());
}
