import { shortened } from '../lib/shortened.ts';
import { Secret } from './secret.ts';
import { singleValue, readSecretFile, type SecretFormat } from './secret-format.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads one variable's text; throws an Error whose message completes "NAME must be …". */
export type Reader<T> = (raw: string) => T;

/** What `--help` shows of a variable. */
export interface Variable {
  readonly name: string;
  readonly help: string;
  readonly fallback: string;
  readonly group: string;
  /** Whether the file that `NAME_FILE` names may hold the value instead. */
  readonly isSecret: boolean;
}

interface VariableText<F extends string | null> {
  /** The default, as it would be set; null for none. */
  readonly fallback: F;
  /** The default as shown, where its text would not be clear. */
  readonly shown?: string;
  readonly help: string;
  /** The value may contain a secret, so error messages do not show it. */
  readonly isPrivate?: boolean;
}

interface SecretText {
  readonly format?: SecretFormat;
  readonly help: string;
}

const shownLengthMax = 80;

/**
 * Reads settings from the environment, records every variable for `--help`, and collects all
 * problems so that an operator can fix them in one go. A variable set to nothing counts as unset.
 */
export class Variables {
  readonly known: Variable[] = [];
  readonly problems: string[] = [];
  readonly warnings: string[] = [];
  readonly secrets: Secret[] = [];
  readonly environment: Environment;
  #group = '';

  constructor(environment: Environment) {
    this.environment = environment;
  }

  /** Variables read from here on are listed under `title`. */
  group(title: string): void {
    this.#group = title;
  }

  /** Whether a variable that has been read, or its `_FILE` variant if it is a secret, is set. */
  isSet(name: string): boolean {
    if (this.raw(name) !== null) return true;
    const isSecret = this.known.some((variable) => variable.isSecret && variable.name === name);
    return isSecret && this.raw(`${name}_FILE`) !== null;
  }

  /** Two variables; one has no meaning without the other. */
  requireBoth(one: string, other: string): void {
    if (this.isSet(one) === this.isSet(other)) return;
    this.problems.push(`${one} and ${other} must be set together, or not at all`);
  }

  /** Warns of those that are set, as they need another variable. */
  warnOfIdle(names: readonly string[], needed: string): void {
    const idle = names.filter((name) => this.isSet(name));
    if (idle.length === 0) return;
    this.warnings.push(`${idle.join(', ')} without ${needed} has no effect`);
  }

  raw(name: string): string | null {
    return this.environment[name] || null;
  }

  read<T>(name: string, reader: Reader<T>, about: VariableText<string>): T;
  read<T>(name: string, reader: Reader<T>, about: VariableText<null>): T | null;
  read<T>(name: string, reader: Reader<T>, about: VariableText<string | null>): T | null {
    const { fallback, help } = about;
    this.#remember({ name, help, fallback: about.shown ?? fallback ?? 'unset', isSecret: false });
    const byDefault = fallback === null ? null : reader(fallback);
    const raw = this.raw(name);
    if (raw === null) return byDefault;
    try {
      if (isQuoted(raw)) throw new Error('written without quotation marks');
      return reader(raw.trim());
    } catch (error) {
      const given = about.isPrivate === true ? valueGiven : quoted(raw);
      this.problems.push(`${name} must be ${reasonOf(error)}, not ${given}`);
      return byDefault;
    }
  }

  /** Reads a variable whose value no output ever shows, not even an error; null when unset. */
  readSecret(name: string, { format = singleValue, help }: SecretText): Secret | null {
    this.#remember({ name, help, fallback: 'unset', isSecret: true });
    const raw = this.raw(name);
    const file = this.raw(`${name}_FILE`);
    if (raw !== null && file !== null) {
      this.problems.push(`${name} and ${name}_FILE are both set: give only one of them`);
      return null;
    }
    if (raw === null && file === null) return null;
    try {
      const values = file === null ? format(raw ?? '') : readSecretFile(file, format);
      this.#warnOfDecorations(name, values);
      const secret = new Secret({ name, file, format }, values);
      this.secrets.push(secret);
      return secret;
    } catch (error) {
      this.problems.push(secretProblem(name, file, error));
      return null;
    }
  }

  /** Warns of quotation marks and of `Bearer`: either may be intended, so both are kept. */
  #warnOfDecorations(name: string, values: readonly string[]): void {
    if (values.some(isQuoted)) {
      this.warnings.push(`${name} is in quotation marks, which count as part of the value`);
    }
    if (name.endsWith('_TOKEN') && values.some((value) => /^bearer /i.test(value))) {
      this.warnings.push(`${name} begins with "Bearer", which counts as part of the value`);
    }
  }

  #remember(variable: Omit<Variable, 'group'>): void {
    this.known.push({ ...variable, group: this.#group });
  }
}

function secretProblem(name: string, file: string | null, error: unknown): string {
  if (file === null) return `${name} ${reasonOf(error)}`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : null;
  const reason = code === null ? `the file ${reasonOf(error)}` : `cannot be read (${code})`;
  return `${name}_FILE: ${quoted(file)}: ${reason}`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const valueGiven = 'the value given';

/** Quotes the value, unless it looks like a URL that may hold a secret (before `@`, after `?`). */
function quoted(raw: string): string {
  if (/[@?]/.test(raw)) return valueGiven;
  return JSON.stringify(shortened(raw, shownLengthMax));
}

/** Docker's `--env-file` keeps quotation marks as part of the value. */
function isQuoted(raw: string): boolean {
  return /^\s*(["']).*\1\s*$/s.test(raw);
}
