import { writeFileAtomically } from '../lib/atomic-file.ts';
import type { Clock } from '../lib/clock.ts';
import { type FileSystem, withFile } from '../lib/file-system.ts';
import { fieldsOf, FormatError, number, text } from '../lib/parse.ts';
import { dayMs } from '../lib/time-units.ts';

/** Tokens reserved for one request in progress. */
export interface Reservation {
  readonly day: string;
  readonly tokens: number;
}

interface BudgetLimits {
  readonly clock: Clock;
  readonly tokensPerDay: number;
}

interface BudgetOptions extends BudgetLimits {
  readonly path: string;
  readonly files: FileSystem;
  /** Called when the file could not be read or written. */
  readonly onTrouble: (error: unknown) => void;
}

/**
 * The tokens of a UTC day, kept across restarts. Before a request is made, all tokens that it may
 * use are written to disk as used; the number is corrected afterwards. So the limit is exceeded
 * only by what a provider counts beyond the estimate of a request.
 */
export class TokenBudget {
  readonly #limits: BudgetLimits;
  /** Null: kept in memory only. */
  readonly #file: BudgetOptions | null;
  #day: string;
  /** Including reserved tokens. */
  #used: number;
  #writing: Promise<void> = Promise.resolve();
  /** A day whose used tokens are unknown; null for none. */
  #uncountedDay: string | null = null;

  private constructor(limits: BudgetLimits, file: BudgetOptions | null, kept: Kept | null) {
    this.#limits = limits;
    this.#file = file;
    this.#day = kept?.day ?? '';
    this.#used = kept?.tokens ?? 0;
  }

  /** If the file cannot be read, the day counts as used up, as nobody knows what was spent. */
  static async open(options: BudgetOptions): Promise<TokenBudget> {
    const { files, path, clock, tokensPerDay, onTrouble } = options;
    try {
      return new TokenBudget(options, options, await readKept(files, path));
    } catch (error) {
      onTrouble(error);
      const day = dayOf(clock.now());
      const budget = new TokenBudget(options, options, { day, tokens: tokensPerDay });
      budget.#uncountedDay = day;
      return budget;
    }
  }

  /** For one run of a command: starts at zero and is not stored. */
  static ofRun(limits: BudgetLimits): TokenBudget {
    return new TokenBudget(limits, null, null);
  }

  /** Tokens of the day that are used or reserved. */
  get used(): number {
    this.#turnDay();
    return this.#used;
  }

  get left(): number {
    return Math.max(0, this.#limits.tokensPerDay - this.used);
  }

  /** False when the day counts as used up because its file could not be read. */
  get isCounted(): boolean {
    this.#turnDay();
    return this.#day !== this.#uncountedDay;
  }

  get shareUsed(): number {
    return this.used / this.#limits.tokensPerDay;
  }

  /** Resolves once the reservation is on disk, or with why there is none: as in `Permit`. */
  async reserve(tokens: number): Promise<Reservation | 'budget' | 'uncounted'> {
    if (tokens > this.left) return this.isCounted ? 'budget' : 'uncounted';
    const reservation = { day: this.#day, tokens };
    this.#used += tokens;
    try {
      await this.#write();
      return reservation;
    } catch (error) {
      this.#correct(reservation, 0);
      this.#file?.onTrouble(error);
      return 'uncounted';
    }
  }

  /** Replaces the reservation by the tokens that the request used. */
  account(reservation: Reservation, tokens: number): void {
    this.#correct(reservation, tokens);
    this.#write().catch((error: unknown) => this.#file?.onTrouble(error));
  }

  /** Resolves when all writes have ended. */
  idle(): Promise<void> {
    return this.#writing;
  }

  #correct({ day, tokens: reserved }: Reservation, tokens: number): void {
    this.#turnDay();
    if (day === this.#day) this.#used = Math.max(0, this.#used - reserved + tokens);
  }

  /**
   * A new day starts at zero. A clock that is set back by up to a day keeps the day; if it was
   * further ahead, its count becomes today's.
   */
  #turnDay(): void {
    const now = this.#limits.clock.now();
    const today = dayOf(now);
    if (today > this.#day) this.#used = 0;
    else if (dayOf(now + dayMs) >= this.#day) return;
    this.#day = today;
  }

  #write(): Promise<void> {
    const written = this.#writing.then(() => {
      if (this.#file === null) return;
      const { files, path } = this.#file;
      const kept: Kept = { day: this.#day, tokens: this.#used };
      return writeFileAtomically(files, path, [Buffer.from(`${JSON.stringify(kept)}\n`)]);
    });
    this.#writing = written.catch(() => undefined); // The caller handles the error.
    return written;
  }
}

interface Kept {
  readonly day: string;
  readonly tokens: number;
}

/** Size of the file; a longer one is not valid. */
const bytesMax = 1024;

/** Null when there is no file yet. */
async function readKept(files: FileSystem, path: string): Promise<Kept | null> {
  if (await files.stat(path) === null) return null;
  const bytes = Buffer.alloc(bytesMax);
  const length = await withFile(files, path, (file) => file.read(bytes, 0));
  const field = fieldsOf(JSON.parse(bytes.toString('utf8', 0, length)) as unknown, 'budget');
  const kept = { day: field('day', text), tokens: field('tokens', number) };
  if (!/^\d{4}-\d\d-\d\d$/.test(kept.day) || !(kept.tokens >= 0)) {
    throw new FormatError('budget', 'a day and its tokens', kept);
  }
  return kept;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
