/** Whether a figure grows without bound, judged from samples that go up and down. */

export interface Sample {
  readonly seconds: number;
  readonly value: number;
}

export interface Trend {
  readonly perHour: number;
  /** Twice the standard error of `perHour`; infinite with two samples or fewer. */
  readonly plusMinus: number;
}

/**
 * The smallest sample of each stretch of `stretchSeconds`. Garbage that is not collected yet only
 * adds to the memory in use, so a leak shows as a rising floor.
 */
export function floorsOf(samples: readonly Sample[], stretchSeconds: number): Sample[] {
  const floors = new Map<number, Sample>();
  for (const sample of samples) {
    const stretch = Math.floor(sample.seconds / stretchSeconds);
    const floor = floors.get(stretch);
    if (floor === undefined || sample.value < floor.value) floors.set(stretch, sample);
  }
  return [...floors.values()];
}

/** The slope of the least-squares line. */
export function trendOf(samples: readonly Sample[]): Trend {
  const count = samples.length;
  const mean = (of: (sample: Sample) => number): number =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / count;
  const [time, value] = [mean(({ seconds }) => seconds), mean((sample) => sample.value)];
  const spread = count * mean(({ seconds }) => (seconds - time) ** 2);
  const both = count * mean((sample) => (sample.seconds - time) * (sample.value - value));
  const slope = spread === 0 ? 0 : both / spread;
  const squares = count * mean((sample) =>
    (sample.value - value - slope * (sample.seconds - time)) ** 2);
  const error = count > 2 ? Math.sqrt(squares / (count - 2) / spread) : Infinity;
  return { perHour: slope * 3600, plusMinus: 2 * error * 3600 };
}

/** Whether it grows by more than `allowedPerHour`, and significantly so. */
export function grows({ perHour, plusMinus }: Trend, allowedPerHour: number): boolean {
  return perHour > allowedPerHour && perHour - plusMinus > 0;
}

/** Whether the samples suffice to say that it does not grow by more than `allowedPerHour`. */
export function isSteady({ perHour, plusMinus }: Trend, allowedPerHour: number): boolean {
  return perHour + plusMinus <= allowedPerHour;
}
