/**
 * Whether a model delays reports: two services, one with a model and one without, get the same
 * alerts in turn, and the times from the 200 to the report are compared. While an alert of the one
 * with a model is timed, it also narrates other alerts; while the other is timed, it is idle.
 *
 *   npx tsx scripts/bench-narration.ts [--model busy|slow|hanging] [--pairs 100] [--company 2]
 *       [--main dist/main.js]
 *
 * --model busy answers at once and calls tools in ten rounds, so that all the service's work for it
 * coincides with the analysis. --company is the number of alerts narrated meanwhile. Nothing is
 * asserted.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '../src/report/report.ts';
import { dependency } from '../test/scenarios/faults.ts';
import type { NotifiedAlert } from '../test/scenarios/scenario.ts';
import { fakeKey } from '../test/support/fake-model/fake-model.ts';
import { postNotification } from '../test/support/http/post-notification.ts';
import { residentMemoryMb } from '../test/support/programs/process-memory.ts';
import { eventually } from '../test/support/programs/programs.ts';
import { startAnalyst, unlimited, type Analyst } from '../test/support/programs/running-analyst.ts';
import { machine, quantile } from './bench/figures.ts';
import { modelPaces, narrationServersPath } from './bench/narration-servers.ts';
import { nextMessage } from './bench/next-message.ts';
import { scriptOptions } from './script-options.ts';

const values = scriptOptions(import.meta.url, {
  model: { type: 'string', default: 'busy', oneOf: [...modelPaces.keys()] },
  pairs: { type: 'number', default: 100 },
  company: { type: 'number', default: 2 },
  main: { type: 'string' },
});
const { pairs, company } = values;
const warmUps = 5;
/** Alerts that start this far apart are not taken for a storm. */
const apartMs = 6 * 60_000;
const pollMs = 1;

interface Side {
  readonly name: string;
  readonly analyst: Analyst;
  readonly timesMs: number[];
}

const servers: ChildProcess[] = [];
const sides: Side[] = [];
const directory = mkdtempSync(join(tmpdir(), 'alert-analyst-narration-'));
try {
  const [prometheus, model] = [await serverOf('prometheus'), await serverOf(values.model)];
  const asked = { PROMETHEUS_URL: prometheus, ALERTMANAGER_URL: prometheus };
  sides.push(await startSide('without', asked), await startSide('with', {
    ...asked, MODEL_PROVIDER: 'openai-chat', MODEL_URL: model, MODEL_NAME: 'bench',
    MODEL_API_KEY: fakeKey, MODEL_TOKENS_PER_DAY: '1000000000',
  }));
  console.log(`${machine()}; ${pairs} pairs, model ${values.model}, ${company} narrated meanwhile`);
  for (let pair = -warmUps; pair < pairs; pair += 1) {
    const turns = pair % 2 === 0 ? sides : sides.toReversed();
    for (const side of turns) await measure(side, pair);
  }
  for (const { name, timesMs, analyst } of sides) {
    const resident = residentMemoryMb(analyst.program.pid).toFixed(0);
    console.log(`${summary(name.padEnd(8), timesMs)}, then ${resident} MB resident`);
  }
  const [without, beside] = sides;
  const differences = without?.timesMs.map((ms, index) => (beside?.timesMs[index] ?? ms) - ms);
  console.log(`${summary('later by', differences ?? [])}; its median is between ` +
    `${medianBounds(differences ?? []).map((ms) => ms.toFixed(1)).join(' and ')} ms (95 %)`);
  console.log(`load ${loadavg()[0]?.toFixed(1)} at the end`);
} finally {
  for (const { analyst } of sides) await analyst.program.stop('SIGKILL');
  for (const server of servers) server.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true, maxRetries: 20 });
}

async function serverOf(what: string): Promise<string> {
  const server = fork(narrationServersPath, [what]);
  servers.push(server);
  return nextMessage<string>(server);
}

async function startSide(name: string, env: Readonly<Record<string, string>>): Promise<Side> {
  const analyst = await startAnalyst({
    dataDirectory: join(directory, name),
    env: { ...unlimited, WORKERS: '1', ...env },
    main: values.main,
  });
  return { name, analyst, timesMs: [] };
}

/** Posts the company first and, once it is being narrated, the alert that is timed. */
async function measure({ analyst, timesMs }: Side, pair: number): Promise<void> {
  const first = (pair + warmUps) * (company + 1);
  const beside = Array.from({ length: company }, (_, index) => alertAt(first + index));
  const timed = alertAt(first + company);
  await post(analyst, beside);
  for (const each of beside) await until(analyst, each, ({ status }) => status === 'ready');
  await post(analyst, [timed]);
  const answeredAt = performance.now();
  await until(analyst, timed, ({ status, progress }) => status === 'ready' && progress === null);
  if (pair >= 0) timesMs.push(performance.now() - answeredAt);
  const all = [...beside, timed];
  // Ends their narrations, and leaves no open alerts for later rounds to relate to.
  await post(analyst, all.map((each) => ({ ...each, status: 'resolved', endsAt: inTime(0) })));
  for (const each of all) await until(analyst, each, ({ status }) => status === 'final');
}

/** The same for both sides; each index is another alert with a start and a window of its own. */
function alertAt(index: number): NotifiedAlert {
  const [alert] = dependency(Date.now()).notifications[0]?.alerts ?? [];
  if (alert === undefined) throw new Error('The scenario has no alert');
  const labels = { ...alert.labels, replica: `r${index}` };
  const fingerprint = index.toString(16).padStart(16, '0');
  return { ...alert, labels, fingerprint, startsAt: inTime(-5 * 60_000 - index * apartMs) };
}

function inTime(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

async function post({ url }: Analyst, alerts: readonly object[]): Promise<void> {
  await postNotification(url, {
    version: '4', status: 'firing', groupKey: `g${performance.now()}`, alerts,
  });
}

async function until(
  { url, program }: Analyst,
  { fingerprint }: NotifiedAlert,
  isAwaited: (report: Report) => boolean,
): Promise<void> {
  await eventually('the report', async () => {
    const response = await fetch(`${url}/report/${fingerprint}.json`);
    return isAwaited(await response.json() as Report) ? true : null;
  }, { program, everyMs: pollMs, withinMs: 300_000 });
}

function summary(name: string, ms: readonly number[]): string {
  const [median, p99] = [quantile(ms, 0.5), quantile(ms, 0.99)];
  return `${name} median ${median.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
}

/** The 95 % interval of the median by the sign test, which assumes no distribution. */
function medianBounds(ms: readonly number[]): readonly number[] {
  const spread = 0.98 / Math.sqrt(Math.max(1, ms.length));
  return [quantile(ms, Math.max(0, 0.5 - spread)), quantile(ms, 0.5 + spread)];
}
