import {
  fieldsOf, FormatError, listOf, oneOf, optional, text, type Parser,
} from '../../lib/parse.ts';
import { shownText } from '../../report/shown-text.ts';
import {
  answerVerdicts, confidences, hypothesisStates,
  type AnsweredHypothesis, type AnsweredStep, type Fact, type ModelAnswer,
} from './answer-schema.ts';
import { objectsIn } from './json-in-text.ts';

export const summaryMax = 600;
const sentenceMax = 300;
const factsMax = 10;
const hypothesesMax = 5;
const stepsMax = 6;
const idsMax = 8;
/** The rest of a longer answer is ignored, in UTF-16 units. */
const answerMax = 256 * 1024;
const problemsMax = 10;

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
  const problems: string[] = [];
  const field = fieldsOf(value, 'answer');
  function read<T>(name: string, parser: Parser<T>, fallback: T): T {
    try {
      return field(name, parser);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      if (problems.length < problemsMax) problems.push(error.message);
      return fallback;
    }
  }
  const answer: ModelAnswer = {
    verdict: read('verdict', oneOf(...answerVerdicts), 'inconclusive'),
    confidence: read('confidence', oneOf(...confidences), 'low'),
    summary: read('summary', line(summaryMax), ''),
    facts: read('facts', atMost(factsMax, fact), []),
    hypotheses: read('hypotheses', optional(atMost(hypothesesMax, hypothesis), []), []),
    next_steps: read('next_steps', optional(atMost(stepsMax, step), []), []),
    suspicious_content:
      read('suspicious_content', optional(line(sentenceMax), null), null) || null,
  };
  return problems.length > 0 ? { answer: null, problems } : { answer, problems: [] };
}

const fact: Parser<Fact> = (value, path) => {
  const field = fieldsOf(value, path);
  return { claim: field('claim', line(sentenceMax)), evidence_ids: field('evidence_ids', idsIn) };
};

const hypothesis: Parser<AnsweredHypothesis> = (value, path) => {
  const field = fieldsOf(value, path);
  return {
    about: field('about', hypothesisIdIn),
    statement: field('statement', line(sentenceMax)),
    status: field('status', oneOf(...hypothesisStates)),
    for_ids: field('for_ids', idsIn),
    against_ids: field('against_ids', idsIn),
    reason: field('reason', optional(line(sentenceMax), '')),
  };
};

const step: Parser<AnsweredStep> = (value, path) => {
  const field = fieldsOf(value, path);
  return {
    action: field('action', line(sentenceMax)),
    why: field('why', optional(line(sentenceMax), '')),
    evidence_ids: field('evidence_ids', idsIn),
  };
};

/** Also reads `[E3]` and `e3`; entries that are no evidence ids are left out. */
export const idsIn: Parser<string[]> = (value, path) => {
  const named = optional(listOf(text), [])(value, path);
  const known = named.flatMap((each) => /^\W{0,2}(E\d{1,4})\W{0,2}$/iu.exec(each)?.[1] ?? []);
  return [...new Set(known.map((id) => id.toUpperCase()))].slice(0, idsMax);
};

/** Also reads `[H3]`, `h3` and `H3: its cause`; null for what is no hypothesis of the report. */
export const hypothesisIdIn: Parser<string | null> = (value, path) => {
  const said = optional(text, '')(value, path);
  return /^\W{0,2}(H\d{1,3})\b/iu.exec(said)?.[1]?.toUpperCase() ?? null;
};

function line(lengthMax: number): Parser<string> {
  return (value, path) => shownText(text(value, path), lengthMax);
}

function atMost<T>(max: number, item: Parser<T>): Parser<T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw new FormatError(path, 'an array', value);
    return listOf(item)(value.slice(0, max), path);
  };
}
