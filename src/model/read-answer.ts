import {
  fieldsOf, FormatError, lenient, listOf, oneOf, optional, text, type Parser,
} from '../lib/parse.ts';
import { shownText } from '../report/shown-text.ts';
import {
  answerVerdicts, confidences, hypothesisStates,
  type AnsweredHypothesis, type AnsweredStep, type Fact, type ModelAnswer,
} from './answer-schema.ts';
import { fencedIn } from './code-fence.ts';

export const summaryMax = 600;
const sentenceMax = 300;
const factsMax = 10;
const hypothesesMax = 5;
const stepsMax = 6;
const missingMax = 6;
const idsMax = 8;
/** Longer answers are not looked at beyond this, in UTF-16 units. */
const answerMax = 256 * 1024;
const problemsMax = 10;

export type ReadAnswer =
  | { readonly answer: ModelAnswer; readonly problems: readonly [] }
  /** What to tell the model, a line each. */
  | { readonly answer: null; readonly problems: readonly string[] };

/**
 * What a model concluded, read from its text: bare JSON, JSON in a code fence, or the first object
 * in prose. Texts and lists are cut to bounds; what is missing or of another type is a problem.
 */
export function readAnswer(said: string): ReadAnswer {
  const value = jsonIn(said.slice(0, answerMax));
  if (value === undefined) {
    return { answer: null, problems: ['The answer holds no complete JSON object.'] };
  }
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
    missing_data: read('missing_data', optional(atMost(missingMax, line(sentenceMax)), []), []),
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
    about: hypothesisId(field('about', optional(text, null))),
    statement: field('statement', line(sentenceMax)),
    status: field('status', oneOf(...hypothesisStates)),
    confidence: field('confidence', lenient(oneOf(...confidences), 'low')),
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

/** Also `[E3]` and `e3`; what names no evidence is left out. */
export const idsIn: Parser<string[]> = (value, path) => {
  const named = optional(listOf(text), [])(value, path);
  const known = named.flatMap((each) => /^\W{0,2}(E\d{1,4})\W{0,2}$/iu.exec(each)?.[1] ?? []);
  return [...new Set(known.map((id) => id.toUpperCase()))].slice(0, idsMax);
};

function hypothesisId(said: string | null): string | null {
  return /^\W{0,2}(H\d{1,3})\b/iu.exec(said ?? '')?.[1]?.toUpperCase() ?? null;
}

function line(lengthMax: number): Parser<string> {
  return (value, path) => shownText(text(value, path), lengthMax);
}

function atMost<T>(max: number, item: Parser<T>): Parser<T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw new FormatError(path, 'an array', value);
    return listOf(item)(value.slice(0, max), path);
  };
}

/** Bare, in a code fence or in prose. Undefined when there is no whole object. */
export function jsonIn(said: string): object | undefined {
  const fenced = fencedIn(said);
  const candidates = [said, ...(fenced === null ? [] : [fenced]), ...firstObject(said)];
  for (const candidate of candidates) {
    const value = parsed(candidate);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  }
  return undefined;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

/** From the first brace to the one that closes it, braces inside texts left alone. */
function firstObject(said: string): string[] {
  const from = said.indexOf('{');
  if (from === -1) return [];
  let depth = 0;
  let isInText = false;
  for (let at = from; at < said.length; at += 1) {
    const sign = said[at];
    if (isInText) {
      if (sign === '\\') at += 1;
      else if (sign === '"') isInText = false;
    } else if (sign === '"') isInText = true;
    else if (sign === '{') depth += 1;
    else if (sign === '}' && --depth === 0) return [said.slice(from, at + 1)];
  }
  return [];
}
