/** Reads the labelled single series of a checkout of numenta/NAB, or of its `data` and `labels`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One evenly spaced series, and where its anomalies are. */
export interface LabelledSeries {
  readonly name: string;
  readonly values: Float64Array;
  readonly pointsPerDay: number;
  /** Indexes at which an anomaly is labelled. */
  readonly anomalies: readonly number[];
  /** Whether a point from index `from` up to but not including `to` lies in an anomaly window. */
  isNearAnomaly(from: number, to: number): boolean;
}

/** Metrics of servers and cloud services, and series whose anomalies have a known cause. */
const folders = ['realAWSCloudwatch', 'realKnownCause'];

type Labels = Readonly<Record<string, readonly string[]>>;
type Windows = Readonly<Record<string, readonly (readonly [string, string])[]>>;

export function readLabelledSeries(root: string): LabelledSeries[] {
  const labels = readJson<Labels>(join(root, 'labels', 'combined_labels.json'));
  const windows = readJson<Windows>(join(root, 'labels', 'combined_windows.json'));
  return folders.flatMap((folder) => {
    return readdirSync(join(root, 'data', folder)).sort().map((file) => {
      const key = `${folder}/${file}`;
      const text = readFileSync(join(root, 'data', key), 'utf8');
      return parseSeries(text, { key, labels: labels[key] ?? [], windows: windows[key] ?? [] });
    });
  });
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}

function parseSeries(
  text: string,
  { key, labels, windows }: {
    readonly key: string; readonly labels: readonly string[]; readonly windows: Windows[string];
  },
): LabelledSeries {
  const rows = text.trim().split('\n').slice(1).map((line) => line.split(','));
  const times = rows.map(([time = '']) => secondsOf(time));
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  const step = steps.sort((a, b) => a - b)[steps.length >> 1] ?? 300;
  const spans = windows.map(([from, to]) => [secondsOf(from), secondsOf(to)] as const);
  const at = (index: number): number => times[index] ?? Infinity;
  return {
    name: key, values: Float64Array.from(rows, ([, value]) => Number(value)),
    pointsPerDay: Math.round(86_400 / step),
    anomalies: labels.map((label) => times.findIndex((time) => time >= secondsOf(label)))
      .filter((index) => index >= 0),
    isNearAnomaly: (from, to) =>
      spans.some(([start, end]) => at(to - 1) >= start && at(from) <= end),
  };
}

/** The data has no time zone; UTC will do, as only differences matter. */
function secondsOf(time: string): number {
  return Date.parse(`${time.replace(' ', 'T').replace(/\.\d+$/, '')}Z`) / 1000;
}
