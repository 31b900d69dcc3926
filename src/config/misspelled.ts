import type { Environment, Variable } from './variables.ts';

/** Words that other programs use in the names of their variables, with ours. */
const otherWords: ReadonlyMap<string, string> = new Map([
  ['AM', 'ALERTMANAGER'], ['PROM', 'PROMETHEUS'],
  ['ADDR', 'URL'], ['ADDRESS', 'URL'], ['ENDPOINT', 'URL'], ['URI', 'URL'],
  ['USERNAME', 'USER'], ['PASS', 'PASSWORD'], ['PROXY', 'PROXIES'], ['BASE', ''],
]);

/** The unit at the end of a name: people leave it out or write another one. */
const unit = /_(SECONDS|DAYS|BYTES|MB)$/;

/**
 * Returns a warning for each variable that has no effect but is very likely a misspelling of one of
 * `known` that is not set. An environment is full of other programs' variables, so only a typo, a
 * missing unit or another common word counts as a misspelling.
 */
export function misspelled(
  environment: Environment,
  known: readonly Variable[],
): readonly string[] {
  const isSet = (name: string): boolean => Boolean(environment[name]);
  const taken = new Set(known.flatMap(spellings));
  const missing = known.flatMap((variable) => {
    const names = spellings(variable);
    return names.some(isSet) ? [] : names.map(shapeOf);
  });
  return Object.keys(environment).flatMap((name) => {
    if (taken.has(name) || !isSet(name)) return [];
    const given = shapeOf(name);
    const meant = missing.find((each) => isSame(given, each))
      ?? missing.find((each) => isNear(given, each));
    return meant === undefined
      ? [] : [`${name} is not a setting and has no effect (did you mean ${meant.name}?)`];
  });
}

interface Shape {
  readonly name: string;
  readonly words: readonly string[];
  /** The name without unit and separators, each word in our spelling. */
  readonly plain: string;
}

/** Splits a name into words, so that `prometheusUrl` and `prometheus-url` look the same. */
function shapeOf(name: string): Shape {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase().split(/[^A-Z0-9]+/);
  const usual = words.map((word) => otherWords.get(word) ?? word).join('_');
  return { name, words, plain: usual.replace(unit, '').replaceAll('_', '') };
}

function spellings({ name, isSecret }: Variable): readonly string[] {
  return isSecret ? [name, `${name}_FILE`] : [name];
}

/** Same words in any spelling, or a `_FILE` for a variable that cannot be read from a file. */
function isSame(given: Shape, meant: Shape): boolean {
  if (meant.words.length === 1) return given.name.toUpperCase() === meant.name;
  return given.plain === meant.plain || given.name === `${meant.name}_FILE`;
}

function isNear({ words }: Shape, meant: Shape): boolean {
  return meant.words.length > 1 && meant.words.length === words.length
    && meant.words.every((word, index) => isTypo(words[index] ?? '', word));
}

/** Letters lost, added or swapped after the first: one, or two in a long word. */
function isTypo(given: string, meant: string): boolean {
  if (given === meant) return true;
  return given[0] === meant[0] && editsBetween(given, meant) <= (meant.length < 5 ? 1 : 2);
}

/** Edit distance with swaps. A replaced letter counts twice: `PORT` is not a typo of `HOST`. */
function editsBetween(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Infinity;
  for (let row = 1; row <= a.length; row += 1) {
    rows.push([row]);
    for (let column = 1; column <= b.length; column += 1) {
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      rows[row]?.push(Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 2),
        isSwapped ? at(row - 2, column - 2) + 1 : Infinity,
      ));
    }
  }
  return at(a.length, b.length);
}
