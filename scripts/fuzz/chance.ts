import { seededRandom } from '../../test/support/random.ts';

/** The random decisions of one case; the same seed gives the same decisions. */
export interface Chance {
  /** A whole number from 0 up to but not including `count`. */
  below(count: number): number;
  /** True once in `count` times. */
  oneIn(count: number): boolean;
  pick<T>(items: readonly T[]): T;
}

export function chanceOf(seed: number): Chance {
  // Neighbouring seeds start with similar numbers; an extra step of the generator separates them.
  const next = seededRandom(seededRandom(Math.imul(seed, 0x9e3779b1))());
  const below = (count: number): number => next() % Math.max(1, count);
  return {
    below,
    oneIn: (count) => below(count) === 0,
    pick: <T>(items: readonly T[]): T => {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('Nothing to pick from');
      return item;
    },
  };
}
