/**
 * Kills the service with SIGKILL at random moments while alerts and feedback are posted, also
 * while it starts and while it stops, and looks after each restart whether all it had acknowledged
 * is there; in the end, whether every report is whole, finished, and there exactly once.
 *
 *   npx tsx scripts/crash-loop.ts --cycles 200 [--seed 1] [--dir FOLDER] [--main dist/main.js]
 *
 * Exits with 1 when anything was lost, torn, doubled or left unfinished. The folder is kept then.
 * A kill does not lose what the kernel has already taken; scripts/power-loss.ts covers that.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { eventually, letRun, type Program } from '../test/support/programs.ts';
import {
  spawnAnalyst, startAnalyst, unlimited, type AnalystOptions,
} from '../test/support/running-analyst.ts';
import { Ledger, type Post } from './crash/ledger.ts';
import { createRandom, pickInteger, type Random } from './crash/random.ts';
import { verifyEpisodes, verifyLatest, type Problem } from './crash/verify.ts';

export interface CrashLoopOptions {
  readonly cycles: number;
  readonly seed: number;
  readonly directory: string;
  readonly main?: string;
}

export interface CrashLoopResult {
  readonly cycles: number;
  readonly killedStarting: number;
  /** Alerts in acknowledged notifications. */
  readonly acknowledged: number;
  /** Acknowledged feedback. */
  readonly notes: number;
  readonly refused: number;
  readonly unanswered: number;
  readonly reports: number;
  readonly problems: readonly Problem[];
  readonly restartsMs: readonly number[];
}

const posters = 8;
const postsPerCycle = 60;
const startUpKillWithinMs = 300;
const postingMs = 400;
const stoppingMs = 60;
const drainWithinMs = 300_000;

interface Loop {
  readonly analyst: AnalystOptions;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly problems: Problem[];
  readonly restartsMs: number[];
  killedStarting: number;
  refused: number;
  unanswered: number;
  /** Feedback sent so far. */
  said: number;
}

export async function runCrashLoop(options: CrashLoopOptions): Promise<CrashLoopResult> {
  const random = createRandom(options.seed);
  const loop: Loop = {
    analyst: {
      dataDirectory: options.directory,
      env: { ...unlimited, QUEUE_LIMIT: '1000000', RETENTION_REPORTS: '10000000' },
      ...(options.main !== undefined && { main: options.main }),
    },
    ledger: new Ledger(random, Date.now()),
    random,
    problems: [],
    restartsMs: [],
    killedStarting: 0,
    refused: 0,
    unanswered: 0,
    said: 0,
  };
  for (let cycle = 0; cycle < options.cycles; cycle += 1) {
    if (random() < 0.2) await killWhileStarting(loop);
    else await killWhilePosting(loop);
  }
  await verifyAll(loop);
  const { ledger, problems, restartsMs, killedStarting, refused, unanswered } = loop;
  return {
    cycles: options.cycles,
    killedStarting,
    acknowledged: ledger.acknowledged,
    notes: ledger.notes,
    refused,
    unanswered,
    reports: ledger.known.reduce((sum, { episodes }) => sum + episodes, 0),
    problems,
    restartsMs,
  };
}

async function killWhileStarting(loop: Loop): Promise<void> {
  const program = spawnAnalyst(loop.analyst);
  await letRun(loop.random() * startUpKillWithinMs);
  await program.stop('SIGKILL');
  loop.killedStarting += 1;
}

async function killWhilePosting(loop: Loop): Promise<void> {
  const { url, program, startedInMs } = await startAnalyst(loop.analyst);
  loop.restartsMs.push(startedInMs);
  const { ledger, problems, random } = loop;
  try {
    problems.push(...(await verifyLatest(url, ledger, ledger.takeTouched())));
    const kill = async (): Promise<void> => {
      await letRun(random() * postingMs * (random() < 0.3 ? 0.1 : 1));
      if (random() < 0.15) {
        process.kill(program.pid, 'SIGTERM');
        await letRun(random() * stoppingMs);
      }
      await program.stop('SIGKILL');
    };
    await Promise.all([kill(), postUntilGone(loop, url, program)]);
  } finally {
    await program.stop('SIGKILL');
  }
}

async function postUntilGone(loop: Loop, url: string, program: Program): Promise<void> {
  let left = postsPerCycle;
  const work = async (): Promise<void> => {
    while (left > 0 && !program.hasExited()) {
      left -= 1;
      await deliver(loop, url, loop.ledger.next());
      if (loop.random() < 0.6) await saySomething(loop, url);
      if (loop.random() < 0.2) await letRun(pickInteger(loop.random, 1, 20));
    }
  };
  await Promise.all(Array.from({ length: posters }, work));
}

async function deliver(loop: Loop, url: string, post: Post): Promise<void> {
  const answer = await fetch(`${url}/webhook`, { method: 'POST', body: post.body }).then(
    async (response) => ({ status: response.status, body: await response.json() }),
    () => null,
  );
  if (answer?.status === 200) {
    const sent = post.items.map(({ alert }) => alert.fingerprint);
    const { report_urls: links } = answer.body as { report_urls: { fingerprint: string }[] };
    if (links.map(({ fingerprint }) => fingerprint).join() !== sent.join()) {
      throw new Error(`The answer has other links than the notification: ${sent.join(', ')}`);
    }
    loop.ledger.acknowledge(post);
    return;
  }
  if (answer === null) loop.unanswered += 1;
  else if (answer.status === 503) loop.refused += 1;
  else throw new Error(`POST /webhook answers ${answer.status}: ${JSON.stringify(answer.body)}`);
  loop.ledger.leaveUnanswered(post);
}

/** Feedback without an answer is not sent again: nobody can tell whether it was taken. */
async function saySomething(loop: Loop, url: string): Promise<void> {
  const alert = loop.ledger.nextToSaySomethingOf();
  if (alert === null) return;
  const { fingerprint, episodes: number } = alert;
  loop.said += 1;
  const note = `Said as number ${loop.said}`;
  const status = await fetch(`${url}/report/${fingerprint}/${number}/feedback`, {
    method: 'POST',
    body: JSON.stringify({ verdict: 'partly', cause: 'a kill', note, noisy: loop.said % 2 === 0 }),
  }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => null,
  );
  if (status === 201) loop.ledger.acknowledgeNote(alert, number, note);
  else if (status === null) loop.unanswered += 1;
  else if (status === 503 || status === 409) loop.refused += 1;
  else throw new Error(`POST feedback on ${fingerprint}/${number} answers ${status}`);
}

async function verifyAll(loop: Loop): Promise<void> {
  const { url, program } = await startAnalyst(loop.analyst);
  try {
    await deliverUnanswered(loop, url);
    await verifyFinished(loop, url, program);
  } finally {
    await program.stop();
  }
}

async function deliverUnanswered(loop: Loop, url: string): Promise<void> {
  const { ledger } = loop;
  for (let post = ledger.nextUnanswered(); post !== null; post = ledger.nextUnanswered()) {
    await deliver(loop, url, post);
  }
}

async function verifyFinished(loop: Loop, url: string, program: Program): Promise<void> {
  const { ledger, problems } = loop;
  await eventually('the queue to be empty', () => queueIsEmpty(url), {
    withinMs: drainWithinMs,
    everyMs: 200,
    program,
  });
  problems.push(...(await verifyLatest(url, ledger, ledger.known)));
  problems.push(...(await verifyEpisodes(url, ledger.known)));
}

async function queueIsEmpty(url: string): Promise<true | null> {
  const health = (await (await fetch(`${url}/health`)).json()) as { readonly queue_size: number };
  return health.queue_size === 0 ? true : null;
}

function summarize(result: CrashLoopResult, seed: number): string {
  const sorted = result.restartsMs.toSorted((a, b) => a - b);
  const median = sorted[sorted.length >> 1] ?? 0;
  const count = (kind: Problem['kind']): number =>
    result.problems.filter((problem) => problem.kind === kind).length;
  return [
    `seed ${seed}: ${result.cycles} kills, ${result.killedStarting} of them while starting`,
    `alerts acknowledged ${result.acknowledged}, feedback ${result.notes}, ` +
      `posts refused ${result.refused}, ` +
      `posts without an answer ${result.unanswered}`,
    `reports ${result.reports}: lost ${count('lost')}, torn ${count('torn')}, ` +
      `doubled ${count('doubled')}, unfinished ${count('unfinished')}`,
    `restart to ready: median ${median.toFixed(0)} ms, max ${(sorted.at(-1) ?? 0).toFixed(0)} ms`,
    ...result.problems.slice(0, 20).map(({ kind, text }) => `  ${kind}: ${text}`),
  ].join('\n');
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      cycles: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      dir: { type: 'string' },
      main: { type: 'string' },
    },
  });
  const directory = values.dir ?? mkdtempSync(join(tmpdir(), 'alert-analyst-crash-'));
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const seed = Number(values.seed);
  const result = await runCrashLoop({
    cycles: Number(values.cycles),
    seed,
    directory,
    ...(values.main !== undefined && { main: values.main }),
  });
  process.stdout.write(`${summarize(result, seed)}\n`);
  if (result.problems.length > 0) {
    process.stdout.write(`The data is kept in ${directory}\n`);
    return 1;
  }
  if (values.dir === undefined) rmSync(directory, { recursive: true, force: true });
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main();
