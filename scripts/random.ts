import { seededRandom } from '../test/support/random.ts';

/** Numbers from 0 up to but not including 1; the same seed gives the same sequence. */
export type Random = () => number;

export function createRandom(seed: number): Random {
  const next = seededRandom(seed);
  return () => next() / 2 ** 32;
}

/** A whole number from `min` to `max`, both included. */
export function pickInteger(random: Random, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1));
}
