/**
 * Kills the service with SIGKILL at random moments under mixed load: single alerts, groups, storms,
 * repeats, resolves, alerts that fire again, and feedback; also while it starts, analyses, compacts
 * its journal, applies retention and stops. Each restart is followed by a spot check of what was
 * acknowledged. Each data directory is finally checked in full: everything acknowledged is there
 * exactly once, every report is complete and finished, and no error was logged.
 *
 *   npx tsx scripts/crash-loop.ts --cycles 200 [--seed 1] [--dir FOLDER]
 *
 * Needs a built service (`npm run build`). Exits with 1 when anything was lost, torn, doubled or
 * left unfinished, and keeps the data directory. A kill loses nothing that the kernel has accepted;
 * scripts/power-loss.ts covers that.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually, letRun, type Program } from '../test/support/programs/programs.ts';
import {
  spawnAnalyst, startAnalyst, unlimited, type Analyst, type AnalystOptions,
} from '../test/support/programs/running-analyst.ts';
import { median, quantile } from './bench/figures.ts';
import { Ledger } from './crash/ledger.ts';
import { foundIn, phases, phasesOf, type Phase } from './crash/phases.ts';
import { Traffic } from './crash/traffic.ts';
import { verifyEpisodes, verifyLatest, type Problem } from './crash/verify.ts';
import { createRandom, pickInteger, type Random } from './random.ts';
import { scriptOptions } from './script-options.ts';

export interface CrashLoopOptions {
  readonly cycles: number;
  /** No new data directory is started after this time. */
  readonly withinMs?: number;
  readonly seed: number;
  /** Data directories are created in here, and removed once they are found complete. */
  readonly directory: string;
  /** Called after each data directory. */
  readonly onProgress?: (result: CrashLoopResult) => void;
}

export interface CrashLoopResult {
  /** Kills so far. */
  readonly cycles: number;
  /** Kills during each phase; a kill may strike during several. */
  readonly struck: Readonly<Record<Phase, number>>;
  /** Alerts in acknowledged notifications. */
  readonly acknowledged: number;
  /** Acknowledged feedback. */
  readonly notes: number;
  readonly refused: number;
  readonly unanswered: number;
  readonly episodes: number;
  readonly tornTails: number;
  readonly problems: readonly Problem[];
  readonly restartsMs: readonly number[];
}

/** After these, everything is verified, and a new directory keeps restarts quick. */
const cyclesPerDirectory = 25;
const postsMax = 30;
const seenPerRestart = 4;
const stoppingMs = 60;
const tidyingMs = 2;
const killWithinMs = 3_000;
const tidyWithinMs = 600;
const drainWithinMs = 300_000;

const settings: Readonly<Record<string, string>> = {
  ...unlimited, QUEUE_LIMIT: '1000000', RETENTION_DAYS: '1', LOG_LEVEL: 'debug',
};
/** Recordings take half the time of an analysis: without them kills follow each other faster. */
const withoutRecordings = { RECORDINGS_LIMIT_BYTES: '0' };
const hurriedMain = join(process.cwd(), 'scripts', 'crash', 'hurried-main.mjs');

interface Loop {
  readonly directory: string;
  readonly random: Random;
  readonly traffic: Traffic;
  readonly problems: Problem[];
  readonly restartsMs: number[];
  readonly struck: Record<Phase, number>;
  cycles: number;
  acknowledged: number;
  notes: number;
  episodes: number;
  tornTails: number;
}

/** One data directory, from its first start to its last. */
interface Life {
  readonly loop: Loop;
  readonly dataDirectory: string;
  readonly ledger: Ledger;
}

export async function runCrashLoop(options: CrashLoopOptions): Promise<CrashLoopResult> {
  const random = createRandom(options.seed);
  const deadline = performance.now() + (options.withinMs ?? Infinity);
  mkdirSync(options.directory, { recursive: true, mode: 0o700 });
  const loop: Loop = {
    directory: options.directory,
    random,
    traffic: new Traffic(random),
    problems: [],
    restartsMs: [],
    struck: {
      starting: 0, posting: 0, storm: 0, analysing: 0, compacting: 0, forgetting: 0, stopping: 0,
    },
    cycles: 0, acknowledged: 0, notes: 0, episodes: 0, tornTails: 0,
  };
  const goesOn = (): boolean => loop.cycles < options.cycles &&
    loop.problems.length === 0 && performance.now() < deadline;
  for (let lives = 0; goesOn(); lives += 1) {
    const cycles = Math.min(cyclesPerDirectory, options.cycles - loop.cycles);
    await runLife(loop, join(options.directory, `data-${lives}`), cycles);
    options.onProgress?.(resultOf(loop));
  }
  return resultOf(loop);
}

function resultOf(loop: Loop): CrashLoopResult {
  const { cycles, struck, acknowledged, notes, episodes, tornTails, problems, restartsMs } = loop;
  const { refused, unanswered } = loop.traffic;
  return {
    cycles, struck, acknowledged, notes, refused, unanswered, episodes, tornTails, problems,
    restartsMs,
  };
}

async function runLife(loop: Loop, dataDirectory: string, cycles: number): Promise<void> {
  const ledger = new Ledger(loop.random, Date.now());
  const life: Life = { loop, dataDirectory, ledger };
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const kind = loop.random();
    if (kind < 0.2) await killWhileStarting(life);
    else if (kind < 0.4) await killWhileTidying(life);
    else await killAtWork(life);
    loop.cycles += 1;
  }
  await verifyAll(life);
  loop.acknowledged += ledger.acknowledged;
  loop.notes += ledger.notes;
  loop.episodes += ledger.known.reduce((sum, { episodes }) => sum + episodes, 0);
  if (loop.problems.length === 0) rmSync(dataDirectory, { recursive: true, force: true });
}

/** One start in three runs the service as shipped, the others run the hurried one. */
function mainFor({ loop, dataDirectory }: Life): AnalystOptions {
  const isShipped = loop.random() < 1 / 3;
  return isShipped
    ? { dataDirectory, env: settings }
    : { dataDirectory, env: { ...settings, ...withoutRecordings }, main: hurriedMain };
}

async function killWhileStarting(life: Life): Promise<void> {
  const { loop } = life;
  const program = spawnAnalyst(mainFor(life));
  await letRun(loop.random() * 1.2 * (loop.restartsMs.at(-1) ?? 300));
  await kill(life, program, false);
}

/** Kills right after the log says that compaction or retention begins. */
async function killWhileTidying(life: Life): Promise<void> {
  const { loop, dataDirectory } = life;
  const line = loop.random() < 0.5 ? 'Compacting the journal' : 'Removing old episodes';
  const env = { ...settings, ...withoutRecordings };
  const program = spawnAnalyst({ dataDirectory, env, main: hurriedMain });
  // The lines come only once it is ready, which takes longer on a busy machine.
  const startMs = 2 * (loop.restartsMs.at(-1) ?? 300);
  const deadline = performance.now() + startMs + tidyWithinMs;
  while (!program.output().includes(line) && performance.now() < deadline) await letRun(1);
  await letRun(loop.random() * tidyingMs);
  await kill(life, program, false);
}

async function killAtWork(life: Life): Promise<void> {
  const { loop, ledger } = life;
  const { random, traffic, problems } = loop;
  const { url, program, startedInMs } = await startAnalyst(mainFor(life));
  loop.restartsMs.push(startedInMs);
  try {
    const touched = ledger.takeTouched().slice(-seenPerRestart);
    problems.push(...(await verifyLatest(url, ledger, touched)));
    const posts = pickInteger(random, 1, postsMax);
    const answers = traffic.answered + pickInteger(random, 0, Math.floor(posts * 0.6));
    const killAmid = async (): Promise<void> => {
      await letAnswer(traffic, answers, program);
      await letRun(random() * 20);
      const isToldToStop = random() < 0.15;
      if (isToldToStop) process.kill(program.pid, 'SIGTERM');
      if (isToldToStop) await letRun(random() * stoppingMs);
      await kill(life, program, isToldToStop);
    };
    await Promise.all([killAmid(), traffic.post(posts, { url, program, ledger })]);
  } finally {
    await program.stop('SIGKILL');
  }
}

async function letAnswer(traffic: Traffic, answers: number, program: Program): Promise<void> {
  const deadline = performance.now() + killWithinMs;
  while (traffic.answered < answers && !program.hasExited() && performance.now() < deadline) {
    await letRun(1);
  }
}

async function kill(
  { loop, dataDirectory }: Life,
  program: Program,
  wasToldToStop: boolean,
): Promise<void> {
  const { posts, storms } = loop.traffic;
  await program.stop('SIGKILL');
  const output = program.output();
  for (const phase of phasesOf({ output, dataDirectory, posts, storms, wasToldToStop })) {
    loop.struck[phase] += 1;
  }
  takeNote(loop, output);
}

/** Adds what the log of a start says about the kill before it. */
function takeNote(loop: Loop, output: string): void {
  const { pending, tornTails, errors } = foundIn(output);
  if (pending > 0) loop.struck.analysing += 1;
  loop.tornTails += tornTails;
  loop.problems.push(...errors.map((text) => ({ kind: 'error', text }) as const));
}

async function verifyAll(life: Life): Promise<void> {
  const { dataDirectory, loop, ledger } = life;
  const analyst = await startAnalyst({ dataDirectory, env: settings });
  const { url, program } = analyst;
  try {
    for (let post = ledger.nextUnanswered(); post !== null; post = ledger.nextUnanswered()) {
      await loop.traffic.deliver(post, url, ledger);
    }
    await verifyFinished(life, analyst);
  } finally {
    await program.stop();
    takeNote(loop, program.output());
  }
}

async function verifyFinished({ loop, ledger }: Life, { url, program }: Analyst): Promise<void> {
  await eventually('the queue to be empty', () => queueIsEmpty(url), {
    withinMs: drainWithinMs, everyMs: 50, program,
  });
  loop.problems.push(...(await verifyEpisodes(url, ledger, ledger.known)));
}

async function queueIsEmpty(url: string): Promise<true | null> {
  const health = (await (await fetch(`${url}/health`)).json()) as { readonly queue_size: number };
  return health.queue_size === 0 ? true : null;
}

function progressOf({ cycles, struck, acknowledged }: CrashLoopResult): string {
  const during = phases.map((phase) => `${phase} ${struck[phase]}`).join(', ');
  return `${cycles} kills, of them while ${during}; alerts acknowledged ${acknowledged}`;
}

function summarize(result: CrashLoopResult, seed: number): string {
  const count = (kind: Problem['kind']): number =>
    result.problems.filter((problem) => problem.kind === kind).length;
  return [
    `seed ${seed}: ${progressOf(result)}, feedback ${result.notes}; requests ` +
      `refused ${result.refused}, unanswered ${result.unanswered}`,
    `episodes ${result.episodes}: lost ${count('lost')}, torn ${count('torn')}, ` +
      `doubled ${count('doubled')}, unfinished ${count('unfinished')}, ` +
      `errors ${count('error')}, torn tails ${result.tornTails}`,
    restartsText(result.restartsMs),
    ...result.problems.slice(0, 20).map(({ kind, text }) => `  ${kind}: ${text}`),
  ].join('\n');
}

/** There are none if every kill struck during a start. */
export function restartsText(ms: readonly number[]): string {
  if (ms.length === 0) return 'restart to ready: 0 restarts';
  const [typical, longest] = [median(ms).toFixed(0), quantile(ms, 1).toFixed(0)];
  return `restart to ready: median ${typical} ms, max ${longest} ms`;
}

async function main(): Promise<number> {
  const values = scriptOptions(import.meta.url, {
    cycles: { type: 'number', default: 100 },
    seed: { type: 'number', default: 1 },
    dir: { type: 'string' },
  });
  const { cycles, seed } = values;
  const directory = values.dir ?? mkdtempSync(join(tmpdir(), 'alert-analyst-crash-'));
  const startedAt = performance.now();
  const result = await runCrashLoop({
    cycles, seed, directory,
    onProgress: (soFar) => {
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
      const problems = soFar.problems.length;
      process.stderr.write(`${seconds} s: ${progressOf(soFar)}; problems ${problems}\n`);
    },
  });
  process.stdout.write(`${summarize(result, seed)}\n`);
  if (result.problems.length > 0) {
    process.stdout.write(`The data directory is kept: ${directory}\n`);
    return 1;
  }
  if (values.dir === undefined) rmSync(directory, { recursive: true, force: true });
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main();
