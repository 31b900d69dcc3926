/** Reads the command line of a script. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

type Option =
  | { readonly type: 'boolean'; readonly default?: boolean }
  | { readonly type: 'number'; readonly default?: number }
  | { readonly type: 'string'; readonly default?: string; readonly oneOf?: readonly string[] }
  | { readonly type: 'string'; readonly multiple: true; readonly default?: readonly string[] };

type Options = Readonly<Record<string, Option>>;

type Value<O extends Option> =
  O extends { type: 'boolean' } ? boolean
  : O extends { type: 'number' } ? number
  : O extends { multiple: true } ? readonly string[]
  : O extends { oneOf: readonly (infer Choice)[] } ? Choice
  : string;

type Values<T extends Options> = {
  readonly [Name in keyof T]:
    T[Name] extends { default: unknown } ? Value<T[Name]> : Value<T[Name]> | undefined;
};

/**
 * The options given to the script with this `import.meta.url`. `--help` prints the comment at the
 * top of the script and exits with 0. An unknown option, a number that is negative or not a number,
 * or a text that is not in `oneOf` is reported above that comment, and the exit code is 2.
 */
export function scriptOptions<const T extends Options>(script: string, options: T): Values<T> {
  if (process.argv.includes('--help')) {
    process.stdout.write(`${headOf(script)}\n`);
    process.exit(0);
  }
  try {
    return parse(options) as Values<T>;
  } catch (error) {
    return refuse(`${(error as Error).message}\n\n${headOf(script)}`);
  }
}

/** Prints what is wrong with the command line and exits with 2. */
export function refuse(problem: string): never {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}

function parse(options: Options): object {
  const asTexts = Object.fromEntries(Object.entries(options).map(([name, option]) => {
    return [name, option.type === 'number' ? { type: 'string' as const } : option];
  }));
  const { values } = parseArgs({ options: asTexts as Record<string, { type: 'string' }> });
  return Object.fromEntries(Object.entries(options).map(([name, option]) => {
    return [name, valueOf(name, option, values[name])];
  }));
}

function valueOf(name: string, option: Option, given: unknown): unknown {
  if (given === undefined) return option.default;
  if (option.type === 'number') {
    const number = Number(given);
    if (given !== '' && Number.isFinite(number) && number >= 0) return number;
    throw new RangeError(`--${name} must be a number of 0 or more, not '${String(given)}'`);
  }
  const choices = 'oneOf' in option ? option.oneOf : undefined;
  if (choices === undefined || choices.includes(String(given))) return given;
  throw new RangeError(`--${name} must be one of ${choices.join(', ')}, not '${String(given)}'`);
}

function headOf(script: string): string {
  const source = readFileSync(fileURLToPath(script), 'utf8');
  const [, comment = ''] = /^\/\*\*\n(.*?)\n \*\//s.exec(source) ?? [];
  return comment.replace(/^ \* ?/gm, '');
}
