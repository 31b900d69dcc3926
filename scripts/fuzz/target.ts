import { chanceOf, type Chance } from './chance.ts';

/** Code that reads input from outside, and what must hold for any input. */
export interface Target {
  readonly name: string;
  /** Generates one case and checks it. Throws if something does not hold. */
  run(chance: Chance): Promise<void> | void;
}

/** A case that failed; its seed reproduces it. */
export interface Broken {
  readonly target: string;
  readonly seed: number;
  readonly message: string;
}

export interface FuzzOptions {
  readonly targets: readonly Target[];
  readonly firstSeed: number;
  /** Asked before each round, in which every target has one case. */
  readonly goesOn: (rounds: number) => boolean;
  /** Milliseconds, on any clock. */
  readonly now: () => number;
  /** A case that takes longer fails, too. */
  readonly caseMsMax: number;
  readonly onBroken?: (broken: Broken) => void;
}

export interface Fuzzed {
  readonly cases: number;
  readonly broken: readonly Broken[];
  readonly slowestMs: number;
}

export async function fuzz(options: FuzzOptions): Promise<Fuzzed> {
  const broken: Broken[] = [];
  let cases = 0;
  let slowestMs = 0;
  for (let round = 0; options.goesOn(round); round += 1) {
    for (const target of options.targets) {
      const seed = options.firstSeed + round;
      const startedAt = options.now();
      let message = await problemOf(target, seed);
      const ms = options.now() - startedAt;
      cases += 1;
      slowestMs = Math.max(slowestMs, ms);
      if (ms > options.caseMsMax) message ??= `took ${Math.round(ms)} ms`;
      if (message === null) continue;
      const found = { target: target.name, seed, message };
      broken.push(found);
      options.onBroken?.(found);
    }
  }
  return { cases, broken, slowestMs };
}

async function problemOf(target: Target, seed: number): Promise<string | null> {
  try {
    await target.run(chanceOf(seed));
    return null;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

/** What `action` returns; null if it throws an error that it is documented to throw. */
export function orDeclared<T>(
  action: () => T,
  isDeclared: (error: unknown) => boolean,
): { readonly value: T } | null {
  try {
    return { value: action() };
  } catch (error) {
    if (isDeclared(error)) return null;
    throw error;
  }
}
