/**
 * What investigations cost those who deliver alerts: a service takes webhooks at a set rate while
 * so many investigations run, and while none does, in alternating slices of the same process.
 *
 *   npx tsx scripts/bench-investigating.ts [--investigating 8] [--per-second 100,1000] [--pairs 10]
 *       [--slice-ms 2000] [--connections 64] [--main dist/main.js] [--dir FOLDER]
 *
 * The investigations are of other alerts, which wait since before and go first, being graver: what
 * is posted adds none. They ask a Prometheus of this machine that takes 40 ms for each answer, the
 * largest of 100 series; so processor time of it and of the generator is missing to the service.
 * Each rate is measured with repeats of alerts that are known, and with new ones.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { residentMemoryMb } from '../test/support/programs/process-memory.ts';
import { startAnalyst, unlimited } from '../test/support/programs/running-analyst.ts';
import {
  loadGeneratorPath, type SliceOrder, type SliceResult,
} from './bench/load-generator.ts';
import { machine, quantile } from './bench/figures.ts';
import { slowPrometheusPath, type Asked } from './bench/slow-prometheus.ts';
import { scriptOptions } from './script-options.ts';

const options = scriptOptions(import.meta.url, {
  investigating: { type: 'string', default: '8' },
  'per-second': { type: 'string', default: '100,1000' },
  pairs: { type: 'string', default: '10' },
  'slice-ms': { type: 'string', default: '2000' },
  connections: { type: 'string', default: '64' },
  main: { type: 'string' },
  dir: { type: 'string', default: tmpdir() },
});
const parkWorkersUrl = new URL('bench/park-workers.mjs', import.meta.url).href;
const investigationsPerWorker = 4;
const alertsPerPost = 50;
const warmUpMs = 1500;
let posted = 0;

interface Stand {
  readonly url: string;
  readonly pid: number;
  readonly parkFile: string;
  readonly generator: ChildProcess;
  readonly prometheus: ChildProcess;
}

interface Side {
  readonly name: string;
  readonly latencies: number[];
  errors: number;
  investigations: number;
  bytes: number;
  /** Processor time of the thread that takes alerts. */
  mainMs: number;
}

await main();

async function main(): Promise<void> {
  const directory = mkdtempSync(join(options.dir, 'alert-analyst-bench-'));
  const children = [loadGeneratorPath, slowPrometheusPath].map((path) =>
    fork(path, { serialization: 'advanced' }));
  const [generator, prometheus] = children;
  if (generator === undefined || prometheus === undefined) return;
  const [port] = (await once(prometheus, 'message')) as [number];
  const parkFile = join(directory, 'park');
  writeFileSync(parkFile, '');
  const { url, program } = await startAnalyst({
    dataDirectory: join(directory, 'data'),
    ...(options.main !== undefined && { main: options.main }),
    env: {
      ...unlimited, QUEUE_LIMIT: '1000000', PROMETHEUS_URL: `http://127.0.0.1:${port}`,
      NODE_OPTIONS: `--import=${parkWorkersUrl}`, PARK_FILE: parkFile,
      WORKERS: String(Math.ceil(Number(options.investigating) / investigationsPerWorker)),
      INVESTIGATIONS_PER_WORKER: String(investigationsPerWorker),
    },
  });
  try {
    console.log(machine());
    const stand = { url, pid: program.pid, parkFile, generator, prometheus };
    for (const perSecond of options['per-second'].split(',').map(Number)) {
      for (const repeats of [true, false]) await measure(stand, { perSecond, repeats });
    }
  } finally {
    for (const child of children) child.kill();
    await program.stop('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
}

type Pace = Required<Pick<SliceOrder, 'repeats'>> & { readonly perSecond: number };

async function measure(stand: Stand, { perSecond, repeats }: Pace): Promise<void> {
  const order: SliceOrder = {
    port: Number(new URL(stand.url).port), ms: Number(options['slice-ms']), alerts: 1,
    connections: Number(options.connections), perSecond, repeats, severity: 'info',
  };
  const [idle, busy] = [newSide('idle'), newSide(`${options.investigating} investigating`)];
  for (let round = -1; round < Number(options.pairs); round += 1) {
    await untilQuiet(stand);
    await slice(stand, order, round < 0 ? newSide('') : idle);
    await postWaiting(stand.url);
    rmSync(stand.parkFile);
    await delay(warmUpMs);
    await slice(stand, order, round < 0 ? newSide('') : busy);
    writeFileSync(stand.parkFile, '');
  }
  console.log(`${perSecond} requests/s, ${repeats ? 'repeats' : 'new alerts'}, ` +
    `${options.pairs} pairs of ${order.ms} ms, load ${loadavg()[0]?.toFixed(1)}`);
  for (const side of [idle, busy]) report(side);
  console.log(`then ${residentMemoryMb(stand.pid).toFixed(0)} MB resident`);
}

function newSide(name: string): Side {
  return { name, latencies: [], errors: 0, investigations: 0, bytes: 0, mainMs: 0 };
}

async function slice(stand: Stand, order: SliceOrder, side: Side): Promise<void> {
  const before = await asked(stand);
  const mainBefore = mainThreadMs(stand.pid);
  stand.generator.send(order);
  const [result] = (await once(stand.generator, 'message')) as [SliceResult];
  side.mainMs += mainThreadMs(stand.pid) - mainBefore;
  const after = await asked(stand);
  side.latencies.push(...result.latenciesMs);
  side.errors += result.errors;
  side.investigations += after.investigations - before.investigations;
  side.bytes += after.bytes - before.bytes;
}

async function asked({ prometheus }: Stand): Promise<Asked> {
  prometheus.send('how much');
  return (await once(prometheus, 'message'))[0] as Asked;
}

/** Of the first thread of a process, which has its number, in ticks of 10 ms. */
function mainThreadMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8');
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
  return 10 * ((user ?? NaN) + (system ?? NaN));
}

/** Until what was under way when the workers were parked has ended. */
async function untilQuiet(stand: Stand): Promise<void> {
  for (let last = -1; ;) {
    const { requests, open } = await asked(stand);
    if (open === 0 && requests === last) return;
    last = requests;
    await delay(500);
  }
}

/** Enough for one slice, each of an incident of its own, so that none is spared by a storm. */
async function postWaiting(url: string): Promise<void> {
  const startsAt = new Date(Date.now() - 5 * 60_000).toISOString();
  const alerts = Array.from({ length: alertsPerPost }, () => {
    const own = (posted += 1).toString(36);
    return {
      status: 'firing', startsAt, annotations: { summary: `It is 4.2 at ${own}` },
      labels: {
        alertname: `Errors${own}High`, severity: 'critical', namespace: `shop-${own}`,
        job: `api-${own}`, instance: `pod-${own}:80`,
      },
      generatorURL: `http://p/graph?g0.expr=${encodeURIComponent('errors_total > 1')}`,
    };
  });
  const body = JSON.stringify({ version: '4', status: 'firing', receiver: 'bench', alerts });
  const response = await fetch(`${url}/webhook`, { method: 'POST', body });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
}

function report({ name, latencies, errors, investigations, bytes, mainMs }: Side): void {
  const at = (share: number): string => quantile(latencies, share).toFixed(2).padStart(7);
  console.log(`  ${name.padEnd(18)} p50 ${at(0.5)} p99 ${at(0.99)} p99.9 ${at(0.999)} ms  ` +
    `${latencies.length} samples, ${errors} errors; main thread ` +
    `${(mainMs / latencies.length).toFixed(3)} ms of processor per request; ` +
    `${investigations} investigations begun, ${(bytes / 2 ** 20).toFixed(0)} MiB read`);
}
