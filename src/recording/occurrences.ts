import type { AskedSource } from '../sources/asked-source.ts';
import type { SourceRequest } from '../sources/source-client.ts';
import type { RecordedQuery } from './recording.ts';

/** Numbers the repetitions of the same question, or of the same timer, in one investigation. */
export class Occurrences {
  readonly #counts = new Map<string, number>();

  question(source: AskedSource, { path, parameters = [] }: SourceRequest): RecordedQuery {
    const nth = this.#count(JSON.stringify([source, path, parameters]));
    return { source, path, parameters, nth };
  }

  sleep(ms: number): number {
    return this.#count(`slept ${ms}`);
  }

  #count(key: string): number {
    const count = this.#counts.get(key) ?? 0;
    this.#counts.set(key, count + 1);
    return count;
  }
}
