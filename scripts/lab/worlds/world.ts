/**
 * A system of its own for one incident, instead of the shop: other programs, names and labels. It
 * begins with a day of history, in which nothing happens but what its steps make happen.
 */
import type { LabIncident, Truth } from '../incident.ts';
import type { Rule } from '../rules.ts';
import type { Labels } from '../shop/metrics.ts';
import { Shop } from '../shop/shop.ts';
import { Target } from '../shop/target.ts';

export const daySeconds = 86_400;

/** A target with whatever labels; `job` and `instance` are among them. */
export class Endpoint extends Target {
  readonly #labels: Labels;

  constructor(labels: Labels) {
    super(labels['job'] ?? '', labels['instance'] ?? '', null);
    this.#labels = labels;
  }

  override labels(): Labels {
    return this.#labels;
  }
}

/** Places what is scraped, and returns what happens in a step of so many seconds. */
export type Build = (world: World) => (dt: number) => void;

/** It is driven, stored and scraped as the shop is. */
export class World extends Shop {
  readonly #endpoints: Endpoint[] = [];
  readonly #step: (dt: number) => void;
  #began: number | null = null;
  #isOver = false;

  constructor(origin: number, seed: number, build: Build) {
    super(origin, seed);
    this.#step = build(this);
  }

  place(labels: Labels): Endpoint {
    const endpoint = new Endpoint(labels);
    this.#endpoints.push(endpoint);
    return endpoint;
  }

  /** Seconds since the end of its history; negative in it. */
  get clock(): number {
    return this.now - this.origin - daySeconds;
  }

  /** Seconds since the incident began; null before it and after it. */
  get age(): number | null {
    return this.#isOver ? null : this.ageOfAll;
  }

  /** As `age`, for what goes on after the incident. */
  get ageOfAll(): number | null {
    return this.#began === null ? null : this.now - this.#began;
  }

  begin(): void {
    this.#began = this.now;
  }

  /** Whether the step that ends now passed this time of the clock. */
  passes(clock: number, dt: number): boolean {
    return this.clock >= clock && this.clock - dt < clock;
  }

  override targets(): readonly Target[] {
    return this.#endpoints;
  }

  override advance(seconds: number): void {
    const dt = seconds - this.now;
    this.now = seconds;
    this.noise.begin(dt);
    this.#step(dt);
  }

  override restore(): void {
    this.#isOver = true;
  }
}

export interface WorldPlan {
  readonly name: string;
  readonly what: string;
  readonly truth: Truth;
  readonly rules: readonly Rule[];
  readonly proofs: readonly string[];
  readonly firesWithinSeconds?: number;
  readonly build: Build;
}

/** An incident in a world of its own. */
export function inWorld({ build, ...plan }: WorldPlan): LabIncident {
  return {
    ...plan, seen: false,
    world: (origin, seed) => new World(origin, seed, build),
    cause: (shop) => {
      if (shop instanceof World) shop.begin();
    },
    end: () => undefined,
  };
}
