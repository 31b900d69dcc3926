import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { bucketBound, headLines, labelPairs, sampleLine } from './exposition.ts';

/** Every label with all its possible values: input from outside never creates a series. */
type LabelSets = Readonly<Record<string, readonly string[]>>;

/** A label that declares `other` takes any text; what is not declared counts as `other`. */
type LabelsOf<L extends LabelSets> = {
  readonly [Name in keyof L]: 'other' extends L[Name][number] ? string : L[Name][number];
};

interface Declaration {
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Ends with the unit; that of a counter, in `_total`. */
  readonly name: string;
  readonly help: string;
  readonly labels?: LabelSets;
  /** Upper bounds of a histogram, ascending; `+Inf` is added. */
  readonly buckets?: readonly number[];
}

type LabelsIn<D extends Declaration> =
  D extends { readonly labels: infer L extends LabelSets } ? L : Record<never, never>;

type MetricOf<D extends Declaration> = {
  counter: Counter<LabelsIn<D>>; gauge: Gauge<LabelsIn<D>>; histogram: Histogram<LabelsIn<D>>;
}[D['type']];

/** The metrics that a table declares, by the table's keys. */
export type MetricsOf<T extends Readonly<Record<string, Declaration>>> = {
  readonly [Key in keyof T]: MetricOf<T[Key]>;
};

/** Those of the Go client: 5 ms to 10 s. */
const defaultBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const seriesMax = 1000;

/** A label, with the index of each of its values. */
interface Label {
  readonly name: string;
  readonly places: ReadonlyMap<string, number>;
}

/** The cells of a metric, one per combination of label values, all created up front. */
class Series<T> {
  readonly #labels: readonly Label[];
  readonly #cells: readonly { readonly pairs: string; readonly cell: T }[];

  constructor(labels: LabelSets, create: () => T) {
    this.#labels = Object.entries(labels).map(([name, values]) =>
      ({ name, places: new Map([...new Set(values)].map((value, place) => [value, place])) }));
    const names = Object.keys(labels);
    const sets = this.#labels.map(({ places }) => [...places.keys()]);
    this.#cells = [...combinations(sets)].map((values) => {
      const pairs = labelPairs(names.map((name, index) => [name, values[index] ?? '']));
      return { pairs, cell: create() };
    });
    assert(this.#cells.length <= seriesMax, `at most ${seriesMax} series per metric`);
  }

  of(labels: Readonly<Record<string, string>> | undefined): T {
    const found = this.#cells[this.#placeOf(labels)];
    if (found === undefined) assert.fail(`a label value is not declared: ${inspect(labels)}`);
    return found.cell;
  }

  *[Symbol.iterator](): Iterator<readonly [pairs: string, cell: T]> {
    for (const { pairs, cell } of this.#cells) yield [pairs, cell];
  }

  /** Index among the cells, where the last label varies fastest; NaN for an undeclared value. */
  #placeOf(labels: Readonly<Record<string, string>> | undefined): number {
    let place = 0;
    for (const { name, places } of this.#labels) {
      const own = places.get(labels?.[name] ?? '') ?? places.get('other') ?? NaN;
      place = place * places.size + own;
    }
    return place;
  }
}

function* combinations(sets: readonly (readonly string[])[]): Iterable<readonly string[]> {
  const [first, ...rest] = sets;
  if (first === undefined) return yield [];
  for (const value of first) {
    for (const others of combinations(rest)) yield [value, ...others];
  }
}

/** One number per combination of label values. */
class Numbers {
  protected readonly series: Series<{ value: number }>;

  constructor(labels: LabelSets) {
    this.series = new Series(labels, () => ({ value: 0 }));
  }

  *samples(name: string): Iterable<string> {
    for (const [pairs, { value }] of this.series) yield sampleLine(name, pairs, value);
  }
}

/** An undeclared label value is an assertion error, as in the other kinds of metrics. */
class Counter<const L extends LabelSets = LabelSets> extends Numbers {
  inc(labels?: LabelsOf<L>, by = 1): void {
    assert(by >= 0, 'a counter only grows');
    this.series.of(labels).value += by;
  }
}

class Gauge<const L extends LabelSets = LabelSets> extends Numbers {
  set(value: number, labels?: LabelsOf<L>): void {
    this.series.of(labels).value = value;
  }
}

interface Distribution {
  /** Observations per bucket, not cumulative; the last bucket is `+Inf`. */
  readonly counts: number[];
  sum: number;
}

class Histogram<const L extends LabelSets = LabelSets> {
  readonly #bounds: readonly number[];
  readonly #series: Series<Distribution>;

  constructor(labels: L, bounds: readonly number[] = defaultBuckets) {
    assert(bounds.every((bound, index) => index === 0 || bound > (bounds[index - 1] ?? 0)));
    this.#bounds = bounds;
    const create = (): Distribution => ({ counts: [...bounds, Infinity].map(() => 0), sum: 0 });
    this.#series = new Series(labels, create);
  }

  /** In the unit that the metric's name ends with. Ignores NaN. */
  observe(value: number, labels?: LabelsOf<L>): void {
    if (Number.isNaN(value)) return;
    const cell = this.#series.of(labels);
    const found = this.#bounds.findIndex((bound) => value <= bound);
    const index = found === -1 ? this.#bounds.length : found;
    cell.counts[index] = (cell.counts[index] ?? 0) + 1;
    cell.sum += value;
  }

  *samples(name: string): Iterable<string> {
    for (const [pairs, { counts, sum }] of this.#series) {
      let count = 0;
      for (const [index, inBucket] of counts.entries()) {
        count += inBucket;
        const le = labelPairs([['le', bucketBound(this.#bounds[index] ?? Infinity)]]);
        const all = pairs === '' ? le : `${pairs},${le}`;
        yield sampleLine(`${name}_bucket`, all, count);
      }
      yield sampleLine(`${name}_sum`, pairs, sum);
      yield sampleLine(`${name}_count`, pairs, count);
    }
  }
}

interface Family {
  readonly name: string;
  readonly head: string;
  readonly samples: () => Iterable<string>;
}

/** All metrics of the process; renders them as text. */
export class Registry {
  readonly #families: Family[] = [];
  readonly #beforeRender: (() => void)[] = [];

  declare<const D extends Declaration>(declaration: D): MetricOf<D> {
    const { type, name, labels = {}, buckets } = declaration;
    const metric = type === 'counter' ? new Counter(labels)
      : type === 'gauge' ? new Gauge(labels) : new Histogram(labels, buckets);
    this.#add(declaration, () => metric.samples(name));
    return metric as MetricOf<D>;
  }

  declareAll<const T extends Readonly<Record<string, Declaration>>>(table: T): MetricsOf<T> {
    const metrics = Object.entries(table).map(([key, each]) => [key, this.declare(each)] as const);
    return Object.fromEntries(metrics) as MetricsOf<T>;
  }

  /** A metric without labels that is read at every scrape, which null leaves it out of. */
  collect(declaration: Omit<Declaration, 'labels' | 'buckets'>, read: () => number | null): void {
    this.#add(declaration, () => {
      const value = read();
      return value === null ? [] : [sampleLine(declaration.name, '', value)];
    });
  }

  /** Runs `prepare` once per scrape, before anything is collected. */
  beforeRender(prepare: () => void): void {
    this.#beforeRender.push(prepare);
  }

  /** In Prometheus' text format 0.0.4; its media type is `expositionContentType`. */
  render(): string {
    for (const prepare of this.#beforeRender) prepare();
    let text = '';
    for (const { head, samples } of this.#families) {
      const lines = [...samples()];
      if (lines.length > 0) text += head + lines.join('');
    }
    return text;
  }

  #add({ type, name, help }: Declaration, samples: Family['samples']): void {
    assert(/^[a-z][a-z0-9_]*$/.test(name), `${name} is not the name of a metric`);
    assert(type !== 'counter' || name.endsWith('_total'), `${name} must end in _total`);
    assert(!this.#families.some((family) => family.name === name), `${name} is declared twice`);
    this.#families.push({ name, head: headLines(name, type, help), samples });
  }
}
