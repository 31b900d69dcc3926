/** Ordinary unrest: values that wander, counts that scatter, the wave of the day. */
import { createRandom } from '../../random.ts';

/** After so long a level has forgotten where it was. */
const wanderSeconds = 600;

export class Noise {
  readonly #random: () => number;
  readonly #levels = new Map<string, number>();
  #kept = 0;
  #moved = 1;

  constructor(seed: number) {
    this.#random = createRandom(seed);
  }

  /** A step of so many seconds begins: short ones move a level less than long ones. */
  begin(dt: number): void {
    this.#kept = Math.exp(-dt / wanderSeconds);
    this.#moved = Math.sqrt(1 - this.#kept ** 2);
  }

  state(): readonly (readonly [string, number])[] {
    return [...this.#levels];
  }

  adopt(state: readonly (readonly [string, number])[]): void {
    for (const [name, level] of state) this.#levels.set(name, level);
  }

  /** Wanders slowly round 1, mostly within `spread`; one walk for each name, once in a step. */
  level(name: string, spread: number): number {
    const before = this.#levels.get(name) ?? 0;
    const now = before * this.#kept + this.normal() * this.#moved;
    this.#levels.set(name, now);
    return 1 + Math.max(-2.5, Math.min(2.5, now)) * spread * 0.6;
  }

  /** A whole number that scatters round the mean like independent events. */
  count(mean: number): number {
    if (mean <= 0) return 0;
    if (mean > 40) return Math.max(0, Math.round(mean + this.normal() * Math.sqrt(mean)));
    const limit = Math.exp(-mean);
    let count = 0;
    for (let product = this.#random(); product > limit; product *= this.#random()) count += 1;
    return count;
  }

  normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.#random()));
    return radius * Math.cos(2 * Math.PI * this.#random());
  }
}

/** Traffic at a time of day, 1 in the mean: low at 04:00 UTC, high at 16:00. */
export function dayWave(seconds: number): number {
  return 1 - 0.4 * Math.cos((seconds / 86_400 - 4 / 24) * 2 * Math.PI);
}
