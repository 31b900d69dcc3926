/** Reads the labelled incidents in a folder such as test/fixtures/labelled-incidents. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { ChangeCandidate } from '../../src/statistics/change-candidate.ts';
import { classifyMetric } from '../../src/statistics/names/metric-class.ts';

export interface LabelledCase {
  readonly id: string;
  readonly dataset: string;
  readonly fault: string;
  /** The component the fault was injected into. */
  readonly culprit: string;
  /** Index of the first point with the fault. */
  readonly split: number;
  readonly candidates: readonly ChangeCandidate[];
  /** The component that alerts; it does not count in the scores. */
  readonly alerting: string;
  /** The series that the alert is about. */
  readonly own: ChangeCandidate | null;
}

/** A period without a fault, ranked as if there had been one. */
export interface QuietWindow {
  readonly dataset: string;
  readonly split: number;
  readonly candidates: readonly ChangeCandidate[];
}

interface Timeline {
  readonly times: readonly number[];
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
}

interface Packed {
  readonly timelines: Readonly<Record<string, Timeline>>;
  readonly cases: readonly {
    readonly id: string;
    readonly pre: { readonly tl: string };
    readonly post: { readonly tl: string };
    readonly truth: { readonly component: string; readonly fault: string };
    readonly target?: { readonly node: string; readonly metric: string; readonly agg: string };
    readonly inject_time?: number;
    readonly next_inject?: number | null;
  }[];
}

export interface LabelledIncidents {
  readonly cases: readonly LabelledCase[];
  readonly quiet: readonly QuietWindow[];
}

export function readLabelledIncidents(folder: string): LabelledIncidents {
  const shop = readPacked(join(folder, 'petshop', 'low_traffic.json.gz'));
  const days = readdirSync(join(folder, 'nezha')).filter((name) => name.endsWith('.json.gz')).sort()
    .map((name) => readPacked(join(folder, 'nezha', name)));
  return {
    cases: [...petShopCases(shop), ...days.flatMap(nezhaCases)],
    quiet: [...quietPetShop(shop), ...days.flatMap(quietNezha)],
  };
}

function readPacked(path: string): Packed {
  return JSON.parse(gunzipSync(readFileSync(path)).toString('utf8')) as Packed;
}

function petShopCases(packed: Packed): LabelledCase[] {
  return packed.cases.map(({ id, pre, post, truth, target }) => {
    const before = packed.timelines[pre.tl];
    const after = packed.timelines[post.tl];
    const candidates = Object.keys(before?.series ?? {}).filter(isPlainStatistic)
      .filter((name) => after?.series[name] !== undefined)
      .map((name) => toCandidate(name, [
        ...(before?.series[name] ?? []), ...(after?.series[name] ?? []),
      ]));
    const own = `${target?.node}|${target?.metric}|${target?.agg}`;
    return {
      id, dataset: 'PetShop', fault: truth.fault, culprit: truth.component,
      split: before?.times.length ?? 0, candidates, alerting: target?.node ?? '',
      own: candidates.find((candidate) => candidate.id === own) ?? null,
    };
  });
}

/** With a handful of requests per point, percentiles only repeat the average. */
function isPlainStatistic(name: string): boolean {
  return /\|(Average|Sum)$/.test(name);
}

const nezhaBefore = 30;
const nezhaAfter = 5;
const nezhaAlerting = 'front_service';

function nezhaCases(packed: Packed): LabelledCase[] {
  const day = packed.timelines['day'];
  if (day === undefined) return [];
  return packed.cases.map(({ id, truth, inject_time: at = 0, next_inject: next }) => {
    const from = indexAt(day, at - nezhaBefore * 60);
    const split = indexAt(day, at);
    const to = indexAt(day, Math.min(at + nezhaAfter * 60, next ?? Infinity));
    const all = nezhaCandidates(day, from, to);
    return {
      id, dataset: 'Nezha', fault: truth.fault, culprit: truth.component, split: split - from,
      candidates: all.filter(({ component }) => component !== nezhaAlerting),
      alerting: nezhaAlerting,
      own: all.find((each) => each.id === `${nezhaAlerting}|LatencyP90(s)`) ?? null,
    };
  });
}

/** Node metrics are recorded once for each pod on the node, so they belong to no pod: left out. */
function nezhaCandidates(day: Timeline, from: number, to: number): ChangeCandidate[] {
  return Object.entries(day.series).filter(([name]) => !name.includes('|Node'))
    .map(([name, values]) => toCandidate(name, values.slice(from, to)));
}

function indexAt({ times }: Timeline, seconds: number): number {
  const index = times.findIndex((time) => time >= seconds);
  return index < 0 ? times.length : index;
}

function toCandidate(id: string, values: readonly (number | null)[]): ChangeCandidate {
  const [component = '', metric = ''] = id.split('|');
  const { signal, side, kind, unit } = classifyMetric(metric);
  // The recorded values are levels and rates, so what the name says is a counter is a gauge here.
  return {
    id, component, metric, unit, signal, side, kind: kind === 'counter' ? 'gauge' : kind,
    values: Float64Array.from(values, (value) => value ?? Number.NaN),
    named: null, labels: {}, valueless: null,
  };
}

function quietPetShop(packed: Packed): QuietWindow[] {
  const normal = packed.timelines['normal'];
  if (normal === undefined) return [];
  const [before, after] = [240, 12];
  const windows: QuietWindow[] = [];
  for (let from = 0; from + before + after <= normal.times.length; from += 4 * after) {
    const candidates = Object.entries(normal.series).filter(([name]) => isPlainStatistic(name))
      .map(([name, values]) => toCandidate(name, values.slice(from, from + before + after)));
    windows.push({ dataset: 'PetShop', split: before, candidates });
  }
  return windows;
}

/** How long after an injection its fault may still show. */
const faultSeconds = 15 * 60;

function quietNezha(packed: Packed): QuietWindow[] {
  const day = packed.timelines['day'];
  if (day === undefined) return [];
  const [before, after] = [180, 30];
  const windows: QuietWindow[] = [];
  for (let from = 0; from + before + after <= day.times.length; from += after) {
    const start = (day.times[from] ?? 0) - faultSeconds;
    const end = day.times[from + before + after - 1] ?? 0;
    const isFaulty = packed.cases.some(({ inject_time: at = 0 }) => at > start && at <= end);
    if (isFaulty) continue;
    const candidates = nezhaCandidates(day, from, from + before + after);
    windows.push({ dataset: 'Nezha', split: before, candidates });
  }
  return windows;
}
