import type { LabelSet } from '../alert/labels.ts';
import { numberOf } from '../lib/promql/promql-tree.ts';
import { secondsIn } from '../lib/time-units.ts';

/** A number in an annotation, in base units: seconds, bytes. */
export interface TextNumber {
  readonly annotation: string;
  /** As written, with its unit. */
  readonly text: string;
  readonly value: number;
  /** `seconds`, `bytes`, `percent`, `per_second` …; null for a bare number. */
  readonly unit: string | null;
  /** What it is, by the words in front of it. */
  readonly role: 'value' | 'limit' | 'window' | 'unclear';
}

const textMax = 4000;
const annotationsMax = 32;
const numbersMax = 24;

/** Annotations that say what is wrong; others hold links, parameters, runbooks, queries. */
const valueAnnotations = /^(?:summary|description|message|value|current_value)$/iu;

/**
 * The numbers in the annotations that say what is wrong, in order, without those that are part of a
 * URL, a name, a date, a parameter (`a=1&b=2`) or the value of a label, which templates insert.
 */
export function numbersInAnnotations(annotations: LabelSet, labels: LabelSet): TextNumber[] {
  const names = Object.entries(labels)
    .map(([, value]) => value)
    .filter((value) => value.length > 1 && value.length < 200 && /\d/u.test(value))
    .sort((a, b) => b.length - a.length);
  const found = Object.entries(annotations)
    .slice(0, annotationsMax)
    .filter(([name, text]) => valueAnnotations.test(name) && !/^[a-z]+:\/\//iu.test(text))
    .flatMap(([annotation, text]) => {
      const unnamed = names.reduce((rest, name) => rest.replaceAll(name, ' \u0000 '),
        text.slice(0, textMax));
      return numbersIn(unnamed, annotation);
    });
  return found.slice(0, numbersMax);
}

/** All numbers in one text, with unit and role. */
export function numbersIn(text: string, annotation: string): TextNumber[] {
  const isBare = annotation === 'value' || annotation === 'current_value';
  const numbers: TextNumber[] = [];
  for (const match of text.replace(address, ' ').matchAll(quantity)) {
    const { span, number = '', unit = '' } = match.groups ?? {};
    const read = span === undefined ? scaled(Number(number), unit) : spanOf(span);
    if (read === null || !Number.isFinite(read.value)) continue;
    const before = match.input.slice(Math.max(0, match.index - 40), match.index);
    const role = isBare ? 'value' : roleOf(before, read.unit);
    // JSON knows no -0.
    const value = read.value === 0 ? 0 : read.value;
    numbers.push({ annotation, text: match[0].trim(), ...read, value, role });
  }
  return numbers;
}

/** No scheme is longer; without a bound a long word would take quadratic time. */
const address = /[a-z][a-z0-9+.-]{0,30}:\/\/\S+/giu;

/**
 * A duration as humanizeDuration of Prometheus writes it, or a number with its unit. None with a
 * comma in it, which may separate thousands or decimals.
 */
const quantity = new RegExp(
  String.raw`(?<![\p{L}\p{N}_.:/\-#@]|\d,)(?:` +
    String.raw`(?<span>-?(?:\d+d )?(?:\d+h )?\d+m \d+s)|` +
    String.raw`(?<number>[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)(?!,\d)` +
    String.raw`(?:\s?(?<unit>%|percent\b|[kMGTPE]i?B(?:\/s)?\b|B(?:\/s)?\b|bytes?\b|[kMGT]i?\b|` +
    String.raw`(?:ms|us|µs|ns|s|sec|secs|seconds?|m|min|mins|minutes?|h|hours?|d|days?)\b|` +
    String.raw`(?:req(?:uests)?|ops|errors|messages|events)?\/s(?:ec)?\b|[rq]ps\b|°C|°F))?` +
    String.raw`)(?![\p{L}\p{N}_]|[.:/\-]\d|-\p{L})`,
  'gu',
);

export interface Quantity {
  readonly value: number;
  readonly unit: string | null;
}

function scaled(value: number, unit: string): Quantity | null {
  if (unit === '') return { value, unit: null };
  if (unit === '%' || unit === 'percent') return { value, unit: 'percent' };
  if (unit === '°C') return { value, unit: 'celsius' };
  if (unit === '°F') return null;
  const inSeconds = secondsIn(unit);
  if (inSeconds !== null) return { value: value * inSeconds, unit: 'seconds' };
  if (/^(?:req|requests|ops|errors|messages|events)?\/s|^[rq]ps/u.test(unit)) {
    return { value, unit: 'per_second' };
  }
  const [, prefix = '', binary = '', bytes = '', rate = ''] =
    /^([kMGTPE]?)(i?)(B|bytes?)?(\/s)?$/u.exec(unit) ?? [];
  const power = ['', 'k', 'M', 'G', 'T', 'P', 'E'].indexOf(prefix);
  const size = (binary === '' ? 1000 : 1024) ** power;
  // humanize1024 writes "3.4Gi"; the template's author adds the unit, or does not.
  if (bytes === '') return { value: value * size, unit: null };
  return { value: value * size, unit: rate === '' ? 'bytes' : 'bytes_per_second' };
}

function spanOf(span: string): Quantity {
  const total = numberOf(span);
  return { value: span.startsWith('-') ? -total : total, unit: 'seconds' };
}

/** Words right before a number: `threshold 5%`, `more than 3`, `for 10m`, `is 12`. */
const limitWords = endingWith(
  'threshold|limit|above|below|over|under|exceed(?:s|ed|ing)?|at least|at most|' +
    '(?:more|less|higher|lower|greater|fewer|longer) than|max(?:imum)?|min(?:imum)?|[<>]=?',
  'of|is|was|the',
);
const windowWords = endingWith(
  'for|last|past|within|in|during|every|since',
  '(?:more|longer) than|at least|over|the last|the|about',
);
const valueWords = endingWith(
  String.raw`\b(?:value|current(?:ly)?|now|is|was|at|are|has|reached|usage|used)\b|[=:]`,
  'value|is|now|at|only',
);

function endingWith(words: string, fillers: string): RegExp {
  return new RegExp(String.raw`(?:${words})(?: (?:${fillers}))*\s*[:=]?\s*\(?$`, 'iu');
}

function roleOf(before: string, unit: string | null): TextNumber['role'] {
  if (unit === 'seconds' && windowWords.test(before)) return 'window';
  if (limitWords.test(before)) return 'limit';
  return valueWords.test(before) ? 'value' : 'unclear';
}
