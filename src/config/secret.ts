import { readFile, stat } from 'node:fs/promises';
import { slept, type Clock } from '../lib/clock.ts';
import { Limiter } from '../lib/limiter.ts';
import { valuesIn, type SecretFormat } from './secret-format.ts';

interface SecretOrigin {
  /** The setting's name, e.g. `ACCESS_TOKEN`. */
  readonly name: string;
  /** The file it came from; null when the variable itself holds it. */
  readonly file: string | null;
  readonly format: SecretFormat;
}

interface FollowOptions {
  readonly clock: Clock;
  /** New values are valid from now on. */
  readonly onChange: (secret: Secret) => void;
  /**
   * The file could not be read; the old values stay valid. Called for every failed try; `isNews` is
   * true when the reason differs from that of the last try.
   */
  readonly onFailure: (secret: Secret, error: Error, isNews: boolean) => void;
}

const pollMs = 5000;
/** How long values that left the file stay valid, so that senders have time to switch. */
const overlapMs = 5 * 60_000;
const shownInstead = '[secret]';
/**
 * One file at a time, of all secrets: on a file system that hangs, each holds one of libuv's four
 * threads, without which the journal cannot be written. Older content never replaces newer, either.
 */
const reading = new Limiter(1);

/**
 * A setting whose values cannot leak into logs, errors, JSON or `inspect`: its fields are private.
 * It can follow the file it came from; one from a variable never changes.
 */
export class Secret {
  readonly name: string;
  readonly file: string | null;
  readonly #format: SecretFormat;
  #values: readonly string[];
  #outgoing: readonly { readonly value: string; readonly validUntil: number }[] = [];
  #following: FollowOptions | null = null;
  #lastSeen = '';
  #lastFailure = '';

  /** `values` has at least one member. */
  constructor({ name, file, format }: SecretOrigin, values: readonly string[]) {
    this.name = name;
    this.file = file;
    this.#format = format;
    this.#values = values;
  }

  /** Every value that is valid now, the newest first. */
  values(): readonly string[] {
    if (this.#outgoing.length === 0 || this.#following === null) return this.#values;
    const now = this.#following.clock.monotonic();
    this.#outgoing = this.#outgoing.filter(({ validUntil }) => now < validUntil);
    return [...this.#values, ...this.#outgoing.map(({ value }) => value)];
  }

  /**
   * What must not appear in any output: the values. Those of a headers setting are whole
   * `Name: value` lines, of which only what follows the name and the scheme is secret.
   */
  redactions(): readonly string[] {
    const values = this.values();
    if (!this.name.endsWith('_HEADERS')) return values;
    return values.flatMap((line) => {
      const colon = line.indexOf(':');
      if (tenantHeader.test(line.slice(0, colon).trimEnd())) return [];
      return [line.slice(colon + 1).trim().replace(/^(?:basic|bearer|token) +/i, '')];
    });
  }

  /** Polls the file every few seconds, until the function that it returns is called. */
  follow(options: FollowOptions): () => void {
    const stopped = new AbortController();
    this.#following = options;
    if (this.file !== null) void this.#poll(this.file, options, stopped.signal);
    return () => stopped.abort();
  }

  /** Reads the file it follows now, changed or not; resolves to whether that succeeded. */
  async reload(): Promise<boolean> {
    const [file, options] = [this.file, this.#following];
    if (file !== null && options !== null) {
      await this.#inTurn(options, () => this.#read(file, options));
    }
    return this.#lastFailure === '';
  }

  toString(): string {
    return shownInstead;
  }

  toJSON(): string {
    return shownInstead;
  }

  async #poll(file: string, options: FollowOptions, signal: AbortSignal): Promise<void> {
    do {
      await this.#inTurn(options, () => this.#readIfChanged(file, options));
    } while (await slept(options.clock, pollMs, signal));
  }

  #inTurn(options: FollowOptions, read: () => Promise<void>): Promise<void> {
    return reading.run(read).catch((error: unknown) => this.#fail(error, options));
  }

  /** Kubernetes updates a mounted secret by swapping a symbolic link, hence the inode. */
  async #readIfChanged(file: string, options: FollowOptions): Promise<void> {
    const { mtimeMs, ctimeMs, size, ino } = await stat(file);
    const seen = `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
    if (seen === this.#lastSeen && this.#lastFailure === '') return;
    await this.#read(file, options);
    this.#lastSeen = seen;
  }

  async #read(file: string, options: FollowOptions): Promise<void> {
    const values = valuesIn(await readFile(file, 'utf8'), this.#format);
    this.#lastFailure = '';
    if (values.join('\n') !== this.#values.join('\n')) this.#replace(values, options);
  }

  #replace(values: readonly string[], { clock, onChange }: FollowOptions): void {
    const validUntil = clock.monotonic() + overlapMs;
    const removed = this.#values.map((value) => ({ value, validUntil }));
    const outgoing = [...removed, ...this.#outgoing];
    this.#outgoing = outgoing.filter(({ value }) => !values.includes(value));
    this.#values = values;
    onChange(this);
  }

  #fail(error: unknown, { onFailure }: FollowOptions): void {
    const failure = error instanceof Error ? error : new Error(String(error));
    const isNews = failure.message !== this.#lastFailure;
    this.#lastFailure = failure.message;
    onFailure(this, failure, isNews);
  }
}

/** A tenant's name is no secret, and may be part of half the names in a cluster. */
const tenantHeader = /(?:orgid|tenant(?:-id)?|accountid|projectid)$/i;

/** Every text that no output may show. */
export function redactionsOf(secrets: readonly Secret[]): readonly string[] {
  return secrets.flatMap((secret) => secret.redactions());
}
