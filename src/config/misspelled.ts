import type { Environment, Variable } from './variables.ts';

/** Words that other programs use in such names, with the ones used here. */
const otherWords: ReadonlyMap<string, string> = new Map([
  ['AM', 'ALERTMANAGER'], ['PROM', 'PROMETHEUS'],
  ['ADDR', 'URL'], ['ADDRESS', 'URL'], ['ENDPOINT', 'URL'], ['URI', 'URL'],
  ['USERNAME', 'USER'], ['PASS', 'PASSWORD'], ['PROXY', 'PROXIES'], ['BASE', ''],
]);

/** The unit at the end of a name, which may be missing or be another one. */
const unit = /_(SECONDS|DAYS|BYTES|MB)$/;

/**
 * One sentence for each variable that has no effect and whose name is surely meant for one of
 * `known` that is not set. An environment is full of names of others: nothing is said of one that
 * takes more than a slip of the fingers, a unit left out or another usual word.
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
      ? [] : [`${name} is not a setting and has no effect: ${meant.name} may be meant`];
  });
}

interface Shape {
  readonly name: string;
  readonly words: readonly string[];
  /** The same for names that differ in nothing but spelling. */
  readonly plain: string;
}

/** `prometheusUrl` and `prometheus-url` are the same words. */
function shapeOf(name: string): Shape {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase()
    .split(/[^A-Z0-9]+/).filter((word) => word !== '');
  const usual = words.map((word) => otherWords.get(word) ?? word).join('_');
  return { name, words, plain: usual.replace(unit, '').replaceAll('_', '') };
}

function spellings({ name, isSecret }: Variable): readonly string[] {
  return isSecret ? [name, `${name}_FILE`] : [name];
}

/** The same words, however they are joined; or the file of what can only be given itself. */
function isSame(given: Shape, meant: Shape): boolean {
  if (meant.words.length === 1) return given.name.toUpperCase() === meant.name;
  return given.plain === meant.plain || given.name === `${meant.name}_FILE`;
}

function isNear({ words }: Shape, meant: Shape): boolean {
  return meant.words.length > 1 && meant.words.length === words.length
    && meant.words.every((word, index) => isSlip(words[index] ?? '', word));
}

/** Letters lost, doubled or swapped behind the first: one, or in a long word two. */
function isSlip(given: string, meant: string): boolean {
  if (given === meant) return true;
  if (given[0] !== meant[0] || Math.abs(given.length - meant.length) > 2) return false;
  return editsBetween(given, meant) <= (meant.length < 6 ? 1 : 2);
}

/** Another letter counts as two: short words that differ by one are different words. */
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
