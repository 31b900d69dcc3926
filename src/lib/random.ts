/** Returns a number from 0 up to, but not including, 1. Injected, so that tests can choose it. */
export type Random = () => number;

export const systemRandom: Random = () => Math.random();
