import type { Clock } from '../lib/clock.ts';
import { redactionsOf, type Secret } from './secret.ts';
import { SecretFile, type OnSecretFailure } from './secret-file.ts';

interface WatchOptions {
  readonly clock: Clock;
  /** The secret's file has new values. */
  readonly onChange: (name: string) => void;
  readonly onFailure: OnSecretFailure;
}

/** All secrets of the configuration as they are now: those that came from files follow them. */
export class Secrets {
  readonly #secrets: readonly Secret[];
  readonly #files = new Map<Secret, SecretFile>();

  constructor(secrets: readonly Secret[]) {
    this.#secrets = secrets;
  }

  /** Begins to follow the files. */
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

  /** Everything that no output may show. */
  redactions(): readonly string[] {
    return this.#secrets.flatMap((secret) => redactionsOf(secret, this.valuesOf(secret)));
  }

  /** Reads all files again now; resolves to whether all of them could be. */
  async reload(): Promise<boolean> {
    const areRead = await Promise.all([...this.#files.values()].map((file) => file.reload()));
    return areRead.every((isRead) => isRead);
  }

  stop(): void {
    for (const file of this.#files.values()) file.stop();
  }
}

/** Always the same list: who keeps something derived from it need not derive it again. */
const noValues: readonly string[] = [];
