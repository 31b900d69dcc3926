import { readFile, stat } from 'node:fs/promises';
import type { Clock } from '../lib/clock.ts';
import { type Secret, valuesIn } from './secret.ts';

/**
 * The file could not be read; the old values stay valid. Called for every failed try; `isNews` is
 * true when the reason differs from that of the last try.
 */
export type OnSecretFailure = (secret: Secret, error: Error, isNews: boolean) => void;

interface SecretFileOptions {
  readonly clock: Clock;
  /** New values are valid from now on. */
  readonly onChange: (secret: Secret) => void;
  readonly onFailure: OnSecretFailure;
}

const pollMs = 5000;
/** How long values that left the file stay valid, so that senders have time to switch. */
const overlapMs = 5 * 60_000;

/** A secret that follows its file. A secret from a variable never changes. */
export class SecretFile {
  readonly #secret: Secret;
  readonly #options: SecretFileOptions;
  readonly #stopped = new AbortController();
  #values: readonly string[];
  #outgoing: readonly { readonly value: string; readonly validUntil: number }[] = [];
  #lastSeen = '';
  #lastFailure = '';
  #reading: Promise<void> = Promise.resolve();

  /** Polls the file every few seconds until `stop`. */
  static watch(secret: Secret, options: SecretFileOptions): SecretFile {
    const file = new SecretFile(secret, options);
    if (secret.file !== null) void file.#poll(secret.file);
    return file;
  }

  constructor(secret: Secret, options: SecretFileOptions) {
    this.#secret = secret;
    this.#options = options;
    this.#values = secret.revealAll();
  }

  /** Every value that is valid now, the newest first. */
  current(): readonly string[] {
    if (this.#outgoing.length === 0) return this.#values;
    const now = this.#options.clock.monotonic();
    this.#outgoing = this.#outgoing.filter(({ validUntil }) => now < validUntil);
    return [...this.#values, ...this.#outgoing.map(({ value }) => value)];
  }

  /** Reads the file now, changed or not (on SIGHUP); resolves to whether that succeeded. */
  async reload(): Promise<boolean> {
    const { file } = this.#secret;
    if (file !== null) await this.#inTurn(() => this.#read(file));
    return this.#lastFailure === '';
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #poll(file: string): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await this.#inTurn(() => this.#readIfChanged(file));
      await this.#options.clock.sleep(pollMs, signal).catch(() => undefined);
    }
  }

  /** One read at a time, so that older content never replaces newer. */
  #inTurn(read: () => Promise<void>): Promise<void> {
    this.#reading = this.#reading.then(read).catch((error: unknown) => this.#fail(error));
    return this.#reading;
  }

  /** Kubernetes updates a mounted secret by swapping a symbolic link, hence the inode. */
  async #readIfChanged(file: string): Promise<void> {
    const { mtimeMs, ctimeMs, size, ino } = await stat(file);
    const seen = `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
    if (seen === this.#lastSeen && this.#lastFailure === '') return;
    await this.#read(file);
    this.#lastSeen = seen;
  }

  async #read(file: string): Promise<void> {
    const values = valuesIn(await readFile(file, 'utf8'), this.#secret.format);
    this.#lastFailure = '';
    if (values.join('\n') !== this.#values.join('\n')) this.#replace(values);
  }

  #replace(values: readonly string[]): void {
    const validUntil = this.#options.clock.monotonic() + overlapMs;
    const removed = this.#values.map((value) => ({ value, validUntil }));
    const outgoing = [...removed, ...this.#outgoing];
    this.#outgoing = outgoing.filter(({ value }) => !values.includes(value));
    this.#values = values;
    this.#options.onChange(this.#secret);
  }

  #fail(error: unknown): void {
    const failure = error instanceof Error ? error : new Error(String(error));
    const isNews = failure.message !== this.#lastFailure;
    this.#lastFailure = failure.message;
    this.#options.onFailure(this.#secret, failure, isNews);
  }
}
