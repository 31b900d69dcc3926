import type { Clock } from '../lib/clock.ts';
import { redactionsOf, type Secret } from './secret.ts';
import { SecretFile, type OnSecretFailure } from './secret-file.ts';

interface WatchOptions {
  readonly clock: Clock;
  /** The file of the secret called `name` has new values. */
  readonly onChange: (name: string) => void;
  readonly onFailure: OnSecretFailure;
}

/** All configured secrets with their current values: those from files follow the files. */
export class Secrets {
  readonly #secrets: readonly Secret[];
  readonly #files = new Map<Secret, SecretFile>();

  constructor(secrets: readonly Secret[]) {
    this.#secrets = secrets;
  }

  watch({ clock, onChange, onFailure }: WatchOptions): void {
    for (const secret of this.#secrets) {
      this.#files.set(secret, SecretFile.watch(secret, {
        clock, onFailure, onChange: ({ name }) => onChange(name),
      }));
    }
  }

  /** Every value of the secret that is valid now, the newest first; none for null. */
  valuesOf(secret: Secret | null): readonly string[] {
    if (secret === null) return noValues;
    return this.#files.get(secret)?.current() ?? secret.revealAll();
  }

  /** Every text that no output may show. */
  redactions(): readonly string[] {
    return this.#secrets.flatMap((secret) => redactionsOf(secret, this.valuesOf(secret)));
  }

  /** Reads all files again now; resolves to whether all could be read. */
  async reload(): Promise<boolean> {
    const areRead = await Promise.all([...this.#files.values()].map((file) => file.reload()));
    return areRead.every((isRead) => isRead);
  }

  stop(): void {
    for (const file of this.#files.values()) file.stop();
  }
}

/** Always the same array, so that what callers derive from it can be cached by identity. */
const noValues: readonly string[] = [];
