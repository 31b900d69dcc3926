/**
 * How much running investigations slow the webhook down: one service takes notifications at a fixed
 * rate, in alternating slices with the given number of investigations running and with none.
 *
 *   npx tsx scripts/bench-investigating.ts [--investigating 8] [--per-second 100,1000] [--pairs 10]
 *       [--slice-ms 2000] [--connections 64] [--main dist/main.js] [--dir FOLDER]
 *
 * The investigations are of other alerts, queued before and more severe, so the posted ones add
 * none. They query a fake Prometheus that takes 40 ms to answer with up to 100 series; it and the
 * load generator share the machine's processors with the service. Each rate is measured with
 * repeats of known alerts and with new alerts.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { postNotification } from '../test/support/http/post-notification.ts';
import { residentMemoryMb } from '../test/support/programs/process-memory.ts';
import { startAnalyst, unlimited, type Analyst } from '../test/support/programs/running-analyst.ts';
import { machine, quantile } from './bench/figures.ts';
import {
  loadGeneratorPath, type SliceOrder, type SliceResult,
} from './bench/load-generator.ts';
import { nextMessage } from './bench/next-message.ts';
import { slowPrometheusPath, type Asked } from './bench/slow-prometheus.ts';
import { scriptOptions } from './script-options.ts';

const options = scriptOptions(import.meta.url, {
  investigating: { type: 'number', default: 8 },
  'per-second': { type: 'string', default: '100,1000' },
  pairs: { type: 'number', default: 10 },
  'slice-ms': { type: 'number', default: 2000 },
  connections: { type: 'number', default: 64 },
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
  /** Processor time of the main thread, which takes alerts. */
  mainMs: number;
}

await main();

async function main(): Promise<void> {
  const directory = mkdtempSync(join(options.dir, 'alert-analyst-bench-'));
  const generator = fork(loadGeneratorPath, { serialization: 'advanced' });
  const prometheus = fork(slowPrometheusPath, { serialization: 'advanced' });
  let analyst: Analyst | null = null;
  try {
    const parkFile = join(directory, 'park');
    writeFileSync(parkFile, '');
    const port = await nextMessage<number>(prometheus);
    analyst = await startAnalyst({
      dataDirectory: join(directory, 'data'),
      main: options.main,
      env: {
        ...unlimited, QUEUE_LIMIT: '1000000', PROMETHEUS_URL: `http://127.0.0.1:${port}`,
        NODE_OPTIONS: `--import=${parkWorkersUrl}`, PARK_FILE: parkFile,
        WORKERS: String(Math.ceil(options.investigating / investigationsPerWorker)),
        INVESTIGATIONS_PER_WORKER: String(investigationsPerWorker),
      },
    });
    console.log(machine());
    const { url, program: { pid } } = analyst;
    for (const perSecond of options['per-second'].split(',').map(Number)) {
      for (const repeats of [true, false]) {
        await measure({ url, pid, parkFile, generator, prometheus }, { perSecond, repeats });
      }
    }
  } finally {
    for (const child of [generator, prometheus]) child.kill();
    await analyst?.program.stop('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
}

type Pace = Required<Pick<SliceOrder, 'repeats'>> & { readonly perSecond: number };

async function measure(stand: Stand, { perSecond, repeats }: Pace): Promise<void> {
  const order: SliceOrder = {
    port: Number(new URL(stand.url).port), ms: options['slice-ms'], alerts: 1,
    connections: options.connections, perSecond, repeats, severity: 'info',
  };
  const [idle, busy] = [newSide('idle'), newSide(`${options.investigating} investigating`)];
  for (let round = -1; round < options.pairs; round += 1) {
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
  const result = await nextMessage<SliceResult>(stand.generator);
  side.mainMs += mainThreadMs(stand.pid) - mainBefore;
  const after = await asked(stand);
  side.latencies.push(...result.latenciesMs);
  side.errors += result.errors;
  side.investigations += after.investigations - before.investigations;
  side.bytes += after.bytes - before.bytes;
}

function asked({ prometheus }: Stand): Promise<Asked> {
  prometheus.send('how much');
  return nextMessage(prometheus);
}

/** Processor time of the main thread, whose id is that of the process; in ticks of 10 ms. */
function mainThreadMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8');
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
  return 10 * ((user ?? NaN) + (system ?? NaN));
}

/** Waits for the investigations that were running when the workers were parked. */
async function untilQuiet(stand: Stand): Promise<void> {
  for (let last = -1; ;) {
    const { requests, open } = await asked(stand);
    if (open === 0 && requests === last) return;
    last = requests;
    await delay(500);
  }
}

/** Queues enough for one slice, each in an incident of its own, as a storm is analysed less. */
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
  await postNotification(url, { version: '4', status: 'firing', receiver: 'bench', alerts });
}

function report({ name, latencies, errors, investigations, bytes, mainMs }: Side): void {
  const at = (share: number): string => quantile(latencies, share).toFixed(2).padStart(7);
  console.log(`  ${name.padEnd(18)} p50 ${at(0.5)} p99 ${at(0.99)} p99.9 ${at(0.999)} ms  ` +
    `${latencies.length} samples, ${errors} errors; main thread ` +
    `${(mainMs / latencies.length).toFixed(3)} ms of processor per request; ` +
    `${investigations} investigations begun, ${(bytes / 2 ** 20).toFixed(0)} MiB read`);
}
