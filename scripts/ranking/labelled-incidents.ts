/** Reads the labelled incidents in a folder such as test/fixtures/labelled-incidents. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { databaseCases, meshCases, serverCases, type PackedCases } from './further-systems.ts';
import {
  toCandidate, type LabelledCase, type LabelledIncidents, type QuietWindow,
} from './labelled-case.ts';

interface Timeline {
  readonly times: readonly number[];
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
}

interface PackedTimelines {
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

/** By the name in each file. */
const readers = new Map<string, (packed: never) => Partial<LabelledIncidents>>([
  ['petshop', (packed: PackedTimelines) =>
    ({ cases: petShopCases(packed), quiet: quietPetShop(packed) })],
  ['nezha-online-boutique', (packed: PackedTimelines) =>
    ({ cases: nezhaCases(packed), quiet: quietNezha(packed) })],
  ['cloudops-boutique', (packed: PackedCases) => ({ cases: meshCases(packed) })],
  ['dbsherlock', (packed: PackedCases) => ({ cases: databaseCases(packed) })],
  ['smd', (packed: PackedCases) => ({ cases: serverCases(packed) })],
  ['asd', (packed: PackedCases) => ({ cases: serverCases(packed) })],
]);

/** Those of every packed recording below the folder. */
export function readLabelledIncidents(folder: string): LabelledIncidents {
  const read = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json.gz')).sort()
    .map((name): Partial<LabelledIncidents> => {
      const packed: unknown = JSON.parse(gunzipSync(readFileSync(join(folder, name))).toString());
      const { dataset } = packed as { readonly dataset: string };
      const reader = readers.get(dataset);
      if (reader === undefined) throw new Error(`${name}: nothing reads the recording ${dataset}`);
      return reader(packed as never);
    });
  return {
    cases: read.flatMap(({ cases = [] }) => cases),
    quiet: read.flatMap(({ quiet = [] }) => quiet),
  };
}

function petShopCases(packed: PackedTimelines): LabelledCase[] {
  return packed.cases.map(({ id, pre, post, truth, target }) => {
    const before = packed.timelines[pre.tl];
    const after = packed.timelines[post.tl];
    const candidates = Object.keys(before?.series ?? {}).filter(isPlainStatistic)
      .filter((name) => after?.series[name] !== undefined)
      .map((name) => toCandidate('PetShop', name, [
        ...(before?.series[name] ?? []), ...(after?.series[name] ?? []),
      ]));
    const own = `${target?.node}|${target?.metric}|${target?.agg}`;
    return {
      id, dataset: 'PetShop', system: 'PetShop', fault: truth.fault, ranked: 'components',
      answers: new Set([truth.component]),
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
const nezhaOwn = `${nezhaAlerting}|LatencyP90(s)`;

function nezhaCases(packed: PackedTimelines): LabelledCase[] {
  const day = packed.timelines['day'];
  if (day === undefined) return [];
  return packed.cases.map(({ id, truth, inject_time: at = 0, next_inject: next }) => {
    const from = indexAt(day, at - nezhaBefore * 60);
    const split = indexAt(day, at);
    const to = indexAt(day, Math.min(at + nezhaAfter * 60, next ?? Infinity));
    const all = nezhaCandidates(day, from, to);
    return {
      id, dataset: 'Nezha', system: 'Online Boutique', fault: truth.fault, ranked: 'components',
      answers: new Set([truth.component]), split: split - from,
      candidates: all.filter(({ component }) => component !== nezhaAlerting),
      alerting: nezhaAlerting,
      own: all.find((each) => each.id === nezhaOwn) ?? null,
    };
  });
}

/** Without node metrics, which are recorded once for each pod on the node and belong to none. */
function nezhaCandidates(
  day: Timeline,
  from: number,
  to: number,
): LabelledCase['candidates'] {
  return Object.entries(day.series)
    .filter(([name]) => name === nezhaOwn || !/^front_service\||\|Node/.test(name))
    .map(([name, values]) => toCandidate('Nezha', name, values.slice(from, to)));
}

function indexAt({ times }: Timeline, seconds: number): number {
  const index = times.findIndex((time) => time >= seconds);
  return index < 0 ? times.length : index;
}

function quietPetShop(packed: PackedTimelines): QuietWindow[] {
  const normal = packed.timelines['normal'];
  if (normal === undefined) return [];
  const [before, after] = [240, 12];
  const windows: QuietWindow[] = [];
  for (let from = 0; from + before + after <= normal.times.length; from += 4 * after) {
    const candidates = Object.entries(normal.series).filter(([name]) => isPlainStatistic(name))
      .map(([name, values]) =>
        toCandidate('PetShop', name, values.slice(from, from + before + after)));
    windows.push({ dataset: 'PetShop', split: before, candidates });
  }
  return windows;
}

/** How long after an injection its fault may still show. */
const faultSeconds = 15 * 60;

function quietNezha(packed: PackedTimelines): QuietWindow[] {
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
