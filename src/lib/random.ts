/** From 0 up to 1; whoever needs chance is handed one, so that tests can choose it. */
export type Random = () => number;

export const systemRandom: Random = () => Math.random();
