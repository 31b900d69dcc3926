/**
 * Answers of the query API of Prometheus and compatible servers: Thanos, Mimir, VictoriaMetrics
 * (prometheus/prometheus: web/api/v1/api.go, docs/querying/api.md). Bounds are enforced here as
 * well, since older servers ignore `limit`.
 */
import type { LabelSet } from '../alert/labels.ts';
import { FormatError } from '../lib/parse.ts';
import { shortened } from '../lib/shortened.ts';
import { AnswerRoom, readBounded, unwanted, type Bounded } from './answer-room.ts';
import { JsonReader } from './json-reader.ts';
import type { IndexSpan, TimeGrid } from './time-grid.ts';

/** What a server says about the quality of its answer. */
export interface AnswerNotes {
  readonly warnings: readonly string[];
  /** Part of the data was unavailable; set by VictoriaMetrics, while Thanos sends warnings. */
  readonly isPartial: boolean;
}

interface InstantSample {
  readonly labels: LabelSet;
  /** May be NaN or infinite. */
  readonly value: number;
}

export interface InstantAnswer {
  /** A scalar is one sample without labels; native histograms are left out. */
  readonly samples: readonly InstantSample[];
  /** Samples beyond the bound. */
  readonly omitted: number;
  readonly notes: AnswerNotes;
}

export interface RangeSeries {
  readonly labels: LabelSet;
  /** One for each point of the grid; NaN if there is no sample or it is not finite. */
  readonly values: Float64Array;
  /** How many samples were infinite. */
  readonly infinite: number;
  /** Where there are samples that are not finite; null without any. */
  readonly valueless: IndexSpan | null;
}

export interface RangeAnswer {
  readonly grid: TimeGrid;
  readonly series: readonly RangeSeries[];
  /** Series beyond the bounds. */
  readonly omitted: number;
  readonly notes: AnswerNotes;
}

/** The samples of one series as they were scraped, in order of time. */
export interface RawSeries {
  readonly labels: LabelSet;
  /** When each was scraped; wall time in milliseconds. */
  readonly timesMs: readonly number[];
  readonly values: readonly number[];
}

export interface RawAnswer {
  readonly series: readonly RawSeries[];
  /** Series beyond the bounds. */
  readonly omitted: number;
  readonly notes: AnswerNotes;
}

export interface SeriesAnswer {
  readonly series: readonly LabelSet[];
  readonly omitted: number;
  readonly notes: AnswerNotes;
}

export interface AnswerBounds {
  readonly seriesMax: number;
  /** For all series together, at 8 bytes each. */
  readonly pointsMax: number;
}

const notesMax = 20;
const noteLengthMax = 500;

/** Reads `{status, data, warnings?}`; `readData` gets the reader positioned at the data. */
export function readEnvelope<T>(
  body: Buffer,
  readData: (reader: JsonReader) => T,
): { readonly data: T; readonly notes: AnswerNotes } {
  const reader = new JsonReader(body);
  const notes = { warnings: [] as string[], isPartial: false };
  let status: unknown = null;
  const data: T[] = [];
  reader.object((name) => {
    if (name === 'status') status = reader.value();
    else if (name === 'warnings') notes.warnings = notesOf(reader);
    else if (name === 'isPartial') notes.isPartial = reader.value() === true;
    else if (name === 'data') data.push(readData(reader));
  });
  reader.end();
  if (status !== 'success') throw new FormatError('status', '"success"', status);
  if (data.length === 0) throw new FormatError('data', 'a value', undefined);
  return { data: data.at(-1) as T, notes };
}

function notesOf(reader: JsonReader): string[] {
  const notes: string[] = [];
  reader.arrayOrNull(() => {
    if (notes.length < notesMax) notes.push(shortened(reader.text(), noteLengthMax));
  });
  return notes;
}

/** The answer to `/api/v1/query`. */
export function readInstant(body: Buffer, samplesMax: number): InstantAnswer {
  const { data, notes } = readEnvelope(body, (envelope): Bounded<InstantSample> => {
    const { type, result } = typedResult(envelope, 'scalar', 'vector');
    const reader = new JsonReader(result);
    if (type === 'scalar') return { items: [{ labels: {}, value: readValue(reader) }], omitted: 0 };
    const room = new AnswerRoom();
    return readBounded(reader, { max: samplesMax, room }, () => readSample(reader, room));
  });
  return { samples: data.items, omitted: data.omitted, notes };
}

/** Unwanted if it is a native histogram; null if its labels are too long. */
function readSample(reader: JsonReader, room: AnswerRoom): InstantSample | typeof unwanted | null {
  let labels: LabelSet | null = {};
  let value: number | null = null;
  reader.object((name) => {
    if (name === 'metric') labels = room.labels(() => reader.value());
    else if (name === 'value') value = readValue(reader);
  });
  if (value === null) return unwanted;
  return labels && { labels, value };
}

/** The value of a `[time, value]` pair. */
function readValue(reader: JsonReader): number {
  const pair: number[] = [];
  reader.array(() => pair.push(reader.number()));
  const [, value] = pair;
  if (value === undefined) throw new FormatError('value', 'a pair', pair);
  return value;
}

/** The answer to `/api/v1/query_range`, laid out on the grid that was asked for. */
export function readRange(body: Buffer, grid: TimeGrid, bounds: AnswerBounds): RangeAnswer {
  const max = Math.min(bounds.seriesMax, Math.floor(bounds.pointsMax / grid.count));
  const room = new AnswerRoom();
  const { data, notes } = readEnvelope(body, (envelope) => {
    const reader = new JsonReader(typedResult(envelope, 'matrix').result);
    return readBounded(reader, { max, room }, () => readSeries(reader, grid, room));
  });
  return { grid, series: data.items, omitted: data.omitted, notes };
}

/** Unwanted if it has only native histograms; null if its labels are too long. */
function readSeries(
  reader: JsonReader,
  { startMs, stepMs, count }: TimeGrid,
  room: AnswerRoom,
): RangeSeries | typeof unwanted | null {
  let labels: LabelSet | null = {};
  let infinite = 0;
  let valueless: IndexSpan | null = null;
  let isSampled = false;
  const values = new Float64Array(count).fill(Number.NaN);
  reader.object((name) => {
    if (name === 'metric') labels = room.labels(() => reader.value());
    else if (name === 'values') {
      reader.numberPairs((seconds, value) => {
        isSampled = true;
        // Servers may shift the grid to multiples of the step: take the nearest point.
        const index = Math.round((seconds * 1000 - startMs) / stepMs);
        if (index < 0 || index >= count) return;
        const isFinite = Number.isFinite(value);
        values[index] = isFinite ? value : Number.NaN;
        if (isFinite) return;
        valueless = { first: valueless?.first ?? index, last: index };
        if (!Number.isNaN(value)) infinite += 1;
      });
    }
  });
  if (labels === null) return null;
  return isSampled ? { labels, values, infinite, valueless } : unwanted;
}

/** The answer to an instant query for a range of raw samples, such as `up[5m]`. */
export function readRaw(body: Buffer, seriesMax: number, samplesMax: number): RawAnswer {
  const room = new AnswerRoom();
  const { data, notes } = readEnvelope(body, (envelope) => {
    const reader = new JsonReader(typedResult(envelope, 'matrix').result);
    return readBounded(reader, { max: seriesMax, room }, () =>
      readRawSeries(reader, samplesMax, room));
  });
  return { series: data.items, omitted: data.omitted, notes };
}

/** At most the first `samplesMax` samples; a series without any number is not wanted. */
function readRawSeries(
  reader: JsonReader,
  samplesMax: number,
  room: AnswerRoom,
): RawSeries | typeof unwanted | null {
  let labels: LabelSet | null = {};
  const timesMs: number[] = [];
  const values: number[] = [];
  reader.object((name) => {
    if (name === 'metric') labels = room.labels(() => reader.value());
    else if (name === 'values') {
      reader.numberPairs((seconds, value) => {
        if (timesMs.length >= samplesMax || !Number.isFinite(value)) return;
        timesMs.push(Math.round(seconds * 1000));
        values.push(value);
      });
    }
  });
  if (labels === null) return null;
  return timesMs.length > 0 ? { labels, timesMs, values } : unwanted;
}

/** The answer to `/api/v1/series`, also of Loki. */
export function readSeriesList(body: Buffer, seriesMax: number): SeriesAnswer {
  const room = new AnswerRoom();
  const { data, notes } = readEnvelope(body, (reader) => {
    const bounds = { max: seriesMax, room, orNull: true };
    return readBounded(reader, bounds, () => room.labels(() => reader.value()));
  });
  return { series: data.items, omitted: data.omitted, notes };
}

/**
 * The members of `data`, whose type must be one of the expected; the result stays unread since
 * `resultType` may follow it.
 */
export function typedResult(
  reader: JsonReader,
  ...expected: readonly string[]
): { type: string; result: Buffer } {
  let type = '';
  let result: Buffer | null = null;
  reader.object((name) => {
    if (name === 'resultType') type = reader.text();
    else if (name === 'result') result = reader.span();
  });
  if (result === null) throw new FormatError('data.result', 'a value', undefined);
  if (!expected.includes(type)) throw new FormatError('resultType', expected.join(' or '), type);
  return { type, result };
}
