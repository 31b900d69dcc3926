/**
 * How fast alerts are acknowledged, each fsynced before its 200, compared with a bare `node:http`
 * server that only parses the same body: in one run, in alternating slices, with the same client.
 *
 *   npx tsx scripts/bench-intake.ts [--alerts 1] [--busy] [--backlog 0] [--per-second 1000]
 *       [--pairs 10] [--slice-ms 1000] [--connections 64] [--main dist/main.js] [--dir FOLDER]
 *       [--fastify FOLDER] [--alertmanager]
 *   npx tsx scripts/bench-intake.ts --big
 *
 * --busy adds a second service whose workers analyse during its slices; the first's never do.
 * --backlog queues this many alerts there first, for rates that would not keep its workers busy.
 * --per-second posts at this rate instead of as fast as it is answered, to measure latencies.
 * --fastify adds slices of Fastify, which does the same checks but stores nothing; the folder is
 * one in which `npm install fastify` was run.
 * --alertmanager adds slices of a real Alertmanager's `POST /api/v2/alerts`, which stores nothing.
 * --big compares posting single notifications of 10 000 alerts with JSON.parse of the same body.
 * The resident memory at the end includes every alert that was posted and not analysed.
 * Nothing is asserted. The results hold for this disk and the loopback network only.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { residentMemoryMb } from '../test/support/programs/process-memory.ts';
import type { Program } from '../test/support/programs/programs.ts';
import { startAnalyst, unlimited, type Analyst } from '../test/support/programs/running-analyst.ts';
import { startIdleAlertmanager } from './bench/alertmanager-server.ts';
import { bareServerPath } from './bench/bare-server.ts';
import { fillSlots, makeBody, type TakenBy } from './bench/body.ts';
import { fastifyServerPath } from './bench/fastify-server.ts';
import { machine, median, quantile } from './bench/figures.ts';
import {
  loadGeneratorPath, type SliceOrder, type SliceResult,
} from './bench/load-generator.ts';
import { nextMessage } from './bench/next-message.ts';
import { scriptOptions } from './script-options.ts';

interface Bench {
  readonly alerts: number;
  /** The service whose workers analyse; null to leave it out. */
  readonly busy: Parkable | null;
  /** Alerts queued for those workers before the first slice. */
  readonly backlog: number;
  readonly perSecond: number | null;
  /** The folder in which Fastify is installed; null to leave it out. */
  readonly fastify: string | null;
  /** Null to leave it out. */
  readonly alertmanager: Place | null;
  readonly pairs: number;
  readonly sliceMs: number;
  readonly connections: number;
}

/** A service whose workers get nothing to do while the file exists. */
interface Parkable {
  readonly analyst: Analyst;
  readonly parkFile: string;
}

interface Series {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  readonly takenBy: TakenBy;
  /** Removed during the slice; null keeps the workers parked. */
  readonly parkFile: string | null;
  readonly slices: SliceResult[];
}

const bigAlerts = 10_000;
const bigRounds = 7;
const backlogGroup = 500;
/** The load generator numbers its alerts from the time on: those of the backlog must differ. */
const numbersAhead = 1e10;
const parkWorkersUrl = new URL('bench/park-workers.mjs', import.meta.url).href;

await main();

async function main(): Promise<void> {
  const values = scriptOptions(import.meta.url, {
    alerts: { type: 'number', default: 1 },
    busy: { type: 'boolean', default: false },
    backlog: { type: 'number', default: 0 },
    'per-second': { type: 'number' },
    big: { type: 'boolean', default: false },
    pairs: { type: 'number', default: 10 },
    'slice-ms': { type: 'number', default: 1000 },
    connections: { type: 'number', default: 64 },
    main: { type: 'string' },
    fastify: { type: 'string' },
    alertmanager: { type: 'boolean', default: false },
    dir: { type: 'string', default: tmpdir() },
  });
  const directory = mkdtempSync(join(values.dir, 'alert-analyst-bench-'));
  const started: Program[] = [];
  const start = async (name: string): Promise<Parkable> => {
    const parked = await startParked(join(directory, name), values.main);
    started.push(parked.analyst.program);
    return parked;
  };
  const startOther = async (): Promise<Place> => {
    const { port, program } = await startIdleAlertmanager(directory);
    started.push(program);
    return { port, pid: program.pid };
  };
  try {
    const { analyst } = await start('quiet');
    console.log(machine());
    if (values.big) await benchBig(analyst);
    else {
      const { alerts, backlog, pairs, connections } = values;
      await benchSlices(analyst, {
        alerts, backlog, pairs, connections, sliceMs: values['slice-ms'],
        busy: values.busy ? await start('busy') : null,
        perSecond: values['per-second'] ?? null,
        fastify: values.fastify ?? null,
        alertmanager: values.alertmanager ? await startOther() : null,
      });
    }
  } finally {
    for (const program of started) await program.stop('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
}

async function startParked(directory: string, main: string | undefined): Promise<Parkable> {
  const parkFile = `${directory}-park`;
  writeFileSync(parkFile, '');
  const analyst = await startAnalyst({
    dataDirectory: directory,
    main,
    env: {
      ...unlimited,
      QUEUE_LIMIT: '1000000',
      NODE_OPTIONS: `--import=${parkWorkersUrl}`,
      PARK_FILE: parkFile,
    },
  });
  return { analyst, parkFile };
}

async function benchSlices(analyst: Analyst, bench: Bench): Promise<void> {
  const generator = fork(loadGeneratorPath, { serialization: 'advanced' });
  const others = [fork(bareServerPath)];
  if (bench.fastify !== null) others.push(fork(fastifyServerPath, [bench.fastify]));
  try {
    const [bare, fastify] = await Promise.all(others.map(placeOf));
    if (bare === undefined) return;
    const series = [seriesOf('bare', bare), seriesOf('analyst', placeOfService(analyst))];
    if (fastify !== undefined) series.push(seriesOf('fastify', fastify));
    if (bench.alertmanager !== null) {
      series.push({ ...seriesOf('alertmanager', bench.alertmanager), takenBy: 'alertmanager' });
    }
    if (bench.busy !== null) {
      const { analyst: busy, parkFile } = bench.busy;
      series.push({ ...seriesOf('analyst, workers busy', placeOfService(busy)), parkFile });
      await postBacklog(busy, bench.backlog);
    }
    const { alerts, connections, perSecond, sliceMs: ms } = bench;
    for (let round = -1; round < bench.pairs; round += 1) {
      for (const { port, takenBy, parkFile, slices } of series) {
        if (parkFile !== null) rmSync(parkFile);
        const order = { alerts, connections, perSecond, ms, port, takenBy };
        const result = await slice(generator, order);
        if (parkFile !== null) writeFileSync(parkFile, '');
        if (round >= 0) slices.push(result);
      }
    }
    report(series, bench);
  } finally {
    for (const child of [generator, ...others]) child.kill();
  }
}

type Place = Pick<Series, 'port' | 'pid'>;

function seriesOf(name: string, place: Place): Series {
  return { name, ...place, takenBy: 'webhook', parkFile: null, slices: [] };
}

async function placeOf(server: ChildProcess): Promise<Place> {
  return { port: await nextMessage<number>(server), pid: server.pid ?? 0 };
}

function placeOfService({ url, program }: Analyst): Place {
  return { port: Number(new URL(url).port), pid: program.pid };
}

async function postBacklog({ url }: Analyst, alerts: number): Promise<void> {
  const { bytes, slots } = makeBody(backlogGroup);
  let next = Date.now() * 1_000 + numbersAhead;
  for (let posted = 0; posted < alerts; posted += backlogGroup) {
    next = fillSlots(bytes, slots, next);
    await post(url, bytes);
  }
}

async function post(url: string, body: Uint8Array): Promise<void> {
  const response = await fetch(`${url}/webhook`, { method: 'POST', body });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

function slice(generator: ChildProcess, order: SliceOrder): Promise<SliceResult> {
  generator.send(order);
  return nextMessage(generator);
}

function report(series: readonly Series[], bench: Bench): void {
  const { alerts, pairs, sliceMs, connections, perSecond } = bench;
  const { bytes } = makeBody(alerts);
  const pace = perSecond === null ? '' : `${perSecond} requests/s, `;
  console.log(
    `${pairs} rounds of ${sliceMs} ms each, ${connections} connections, ${pace}` +
      `${alerts} new alerts per request, ${bytes.length} bytes`,
  );
  const compared = series.filter(({ name }) => name === 'bare' || name === 'alertmanager');
  for (const { name, slices, pid } of series) {
    const rates = slices.map(rate);
    const latencies = slices.flatMap(({ latenciesMs }) => [...latenciesMs]);
    const errors = slices.reduce((sum, slice) => sum + slice.errors, 0);
    const at = (share: number): string => quantile(latencies, share).toFixed(2);
    console.log(
      `${name.padEnd(22)} ${median(rates).toFixed(0).padStart(6)} requests/s ` +
        `[${Math.min(...rates).toFixed(0)}-${Math.max(...rates).toFixed(0)}]  ` +
        `p50 ${at(0.5)} p99 ${at(0.99)} p99.9 ${at(0.999)} ms  ` +
        `${latencies.length} samples, ${errors} errors, then ${memory(pid)}`,
    );
    for (const other of compared) {
      if (other.name === name) continue;
      const ratios = slices.map((own, index) => rate(own) / rate(other.slices[index] ?? own));
      console.log(
        `${' '.repeat(22)} ${median(ratios).toFixed(2)} of ${other.name} ` +
          `[${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}]`,
      );
    }
  }
}

async function benchBig({ url, program }: Analyst): Promise<void> {
  const { bytes, slots } = makeBody(bigAlerts);
  const posts: number[] = [];
  const parses: number[] = [];
  let next = Date.now() * 1_000;
  for (let round = -1; round < bigRounds; round += 1) {
    next = fillSlots(bytes, slots, next);
    const parsedFrom = performance.now();
    JSON.parse(bytes.toString());
    const postedFrom = performance.now();
    await post(url, bytes);
    const answeredAt = performance.now();
    if (round < 0) continue;
    parses.push(postedFrom - parsedFrom);
    posts.push(answeredAt - postedFrom);
  }
  const ratios = posts.map((ms, index) => ms / (parses[index] ?? ms));
  console.log(
    `one notification of ${bigAlerts} alerts, ${bytes.length} bytes, ${bigRounds} rounds\n` +
      `to the 200: ${range(posts)} ms; JSON.parse: ${range(parses)} ms; ratio ${range(ratios)}; ` +
      `then ${memory(program.pid)}`,
  );
}

function memory(pid: number): string {
  return `${residentMemoryMb(pid).toFixed(0)} MB resident`;
}

function rate({ count, ms }: SliceResult): number {
  return (count / ms) * 1_000;
}

function range(values: readonly number[]): string {
  const shown = [median(values), Math.min(...values), Math.max(...values)].map((v) => v.toFixed(1));
  return `${shown[0]} [${shown[1]}-${shown[2]}]`;
}
