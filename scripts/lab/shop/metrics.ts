/** What one target exposes: its series and their values, as text for Prometheus. */
import { seriesText } from '../../ranking/openmetrics.ts';

export type Labels = Readonly<Record<string, string>>;

type Type = 'gauge' | 'counter' | 'histogram' | 'summary';

/** `name` with its suffix; `labels` without those that Prometheus adds. */
export interface Sample {
  readonly name: string;
  readonly labels: Labels;
  value: number;
}

/** What can be stored, and gone on from: for each family its name, its type and its samples. */
export type MetricsState = readonly (readonly [string, Type, readonly Sample[]])[];

/** How a histogram is divided, and how much its values differ. */
export interface HistogramShape {
  /** Upper bounds in the unit of the values, without the last one, +Inf. */
  readonly bounds: readonly number[];
  /** The larger, the closer the values are to each other; 4 makes a p95 of twice the median. */
  readonly steepness: number;
}

const ordinaryShape: HistogramShape = { bounds: [0.025, 0.1, 0.25, 0.5, 1, 2.5], steepness: 4 };

export class Metrics {
  readonly #families = new Map<string, { readonly type: Type; readonly keys: Set<string> }>();
  readonly #samples = new Map<string, Sample>();

  /** Sets a gauge. */
  set(name: string, labels: Labels, value: number): void {
    this.#sample(name, 'gauge', name, labels).value = value;
  }

  /** Adds to a counter, which begins at 0. */
  add(name: string, labels: Labels, by: number): void {
    this.#sample(name, 'counter', name, labels).value += by;
  }

  /** Adds `count` calls, of `seconds` in the mean, to a summary without quantiles. */
  summarize(name: string, labels: Labels, count: number, seconds: number): void {
    this.#sample(name, 'summary', `${name}_sum`, labels).value += count * seconds;
    this.#sample(name, 'summary', `${name}_count`, labels).value += count;
  }

  /** Adds `count` requests, of `seconds` in the mean, to a histogram. */
  observe(
    name: string,
    labels: Labels,
    count: number,
    seconds: number,
    { bounds, steepness }: HistogramShape = ordinaryShape,
  ): void {
    this.#sample(name, 'histogram', `${name}_sum`, labels).value += count * seconds;
    this.#sample(name, 'histogram', `${name}_count`, labels).value += count;
    const usual = seconds * 0.85;
    for (const bound of [...bounds, Infinity]) {
      const le = bound === Infinity ? '+Inf' : String(bound);
      const share = bound === Infinity ? 1 : 1 / (1 + (usual / bound) ** steepness);
      this.#sample(name, 'histogram', `${name}_bucket`, { ...labels, le }).value += count * share;
    }
  }

  /** Removes the series of this name, those with all of these labels. */
  remove(name: string, labels: Labels = {}): void {
    const family = this.#families.get(name);
    for (const key of family?.keys ?? []) {
      const own = this.#samples.get(key)?.labels ?? {};
      if (!Object.entries(labels).every(([label, value]) => own[label] === value)) continue;
      this.#samples.delete(key);
      family?.keys.delete(key);
    }
  }

  /** Null if there is no such series. */
  value(name: string, labels: Labels): number | null {
    return this.#samples.get(keyOf(name, labels))?.value ?? null;
  }

  /** As after the start of a process. */
  clear(): void {
    this.#families.clear();
    this.#samples.clear();
  }

  state(): MetricsState {
    return Array.from(this.#families, ([name, { type, keys }]) => {
      return [name, type, [...keys].flatMap((key) => this.#samples.get(key) ?? [])] as const;
    });
  }

  adopt(state: MetricsState): void {
    this.clear();
    for (const [family, type, samples] of state) {
      for (const { name, labels, value } of samples) {
        this.#sample(family, type, name, labels).value = value;
      }
    }
  }

  samples(): Iterable<Sample> {
    return this.#samples.values();
  }

  text(): string {
    const lines: string[] = [];
    for (const [name, { type, keys }] of this.#families) {
      lines.push(`# HELP ${name} ${name.replaceAll('_', ' ')}`, `# TYPE ${name} ${type}`);
      for (const key of keys) {
        const sample = this.#samples.get(key);
        if (sample === undefined) continue;
        lines.push(`${seriesText(sample.name, sample.labels)} ${valueText(sample)}`);
      }
    }
    return `${lines.join('\n')}\n`;
  }

  #sample(family: string, type: Type, name: string, labels: Labels): Sample {
    const key = keyOf(name, labels);
    const known = this.#samples.get(key);
    if (known !== undefined) return known;
    const sample = { name, labels, value: 0 };
    this.#samples.set(key, sample);
    const { keys } = this.#families.get(family) ?? { keys: new Set<string>() };
    this.#families.set(family, { type, keys: keys.add(key) });
    return sample;
  }
}

function keyOf(name: string, labels: Labels): string {
  let key = name;
  for (const label in labels) key += `\n${label}\n${labels[label]}`;
  return key;
}

/** Counts are whole numbers, though the shop computes them as fractions; seconds are none. */
export function valueText({ name, value }: Sample): string {
  if (/_(bucket|count)$|_total$/.test(name)
    && !/_seconds_total$/.test(name)) return String(Math.floor(value));
  return String(Math.round(value * 1e6) / 1e6);
}
