/**
 * Restarts the service again and again while a real Alertmanager delivers to it, in turns with
 * SIGTERM and SIGKILL, and looks in the end whether every alert that Alertmanager was given has
 * its report, and one episode.
 *
 *   npx tsx scripts/restart-loop.ts --restarts 50 [--seed 1]
 *
 * Needs prometheus-alertmanager and the service as it is built (`npm run build`). Exits with 1
 * when an alert is missing or doubled.
 */
import { fileURLToPath } from 'node:url';
import { fingerprintOf } from '../src/alert/fingerprint.ts';
import type { Report } from '../src/report/report.ts';
import { withCleanup } from '../test/support/cleanup.ts';
import { eventually, freePort, letRun, type Cleanup } from '../test/support/programs/programs.ts';
import { temporaryDirectory } from '../test/support/temporary-directory.ts';
import {
  startAlertmanager, type PostedAlert,
} from '../test/support/programs/running-alertmanager.ts';
import { startAnalyst, type Analyst } from '../test/support/programs/running-analyst.ts';
import { createRandom } from './random.ts';
import { scriptOptions } from './script-options.ts';

export interface RestartLoopResult {
  readonly restarts: number;
  readonly alerts: number;
  readonly resolved: number;
  /** Notifications that Alertmanager gave up on; it sends what is in them again. */
  readonly givenUp: number;
  /** From the last restart until everything was delivered. */
  readonly deliveredInMs: number;
  /** Alerts that never came, or have more than one episode. */
  readonly problems: readonly string[];
}

const token = 'token-of-the-loop';
const alertsPerRestart = 3;
const pauseMs = 700;
const deliveredWithinMs = 120_000;

export async function runRestartLoop(
  cleanup: Cleanup,
  { restarts, seed }: { readonly restarts: number; readonly seed: number },
): Promise<RestartLoopResult> {
  const random = createRandom(seed);
  const options = {
    dataDirectory: temporaryDirectory(),
    port: await freePort(),
    env: { ACCESS_TOKEN: token, READ_LIMIT_PER_CLIENT: '0', READ_LIMIT_TOTAL: '0' },
  };
  let analyst = await startAnalyst(options);
  cleanup.after(() => analyst.program.stop());
  const alertmanager = await startAlertmanager(cleanup, { analyst: analyst.url, token });
  const alerts: PostedAlert[] = [];
  const over = new Set<PostedAlert>();
  for (let round = 0; round < restarts; round += 1) {
    const fresh = Array.from({ length: alertsPerRestart }, (_, index) => alertOf(round, index));
    alerts.push(...fresh);
    await alertmanager.post(fresh);
    await letRun(random() * pauseMs);
    await analyst.program.stop(round % 2 === 0 ? 'SIGTERM' : 'SIGKILL');
    // One of the round before last ends while nobody listens.
    const ended = alerts.at(-3 * alertsPerRestart);
    if (ended !== undefined) {
      over.add(ended);
      await alertmanager.post([{ ...ended, endsAt: new Date().toISOString() }]);
    }
    analyst = await startAnalyst(options);
  }
  const startedAt = performance.now();
  const problems: string[] = [];
  for (const alert of alerts) {
    const problem = await problemOf(analyst, alert, over.has(alert) ? 'resolved' : 'firing');
    if (problem !== null) problems.push(problem);
  }
  const deliveredInMs = performance.now() - startedAt;
  const { failed: givenUp } = await alertmanager.notifications();
  return {
    restarts, alerts: alerts.length, resolved: over.size, givenUp, deliveredInMs, problems,
  };
}

function alertOf(round: number, index: number): PostedAlert {
  const instance = `${round}-${index}`;
  return {
    labels: { alertname: 'Restarts', severity: 'warning', job: `job-${round}`, instance },
    annotations: { summary: `Number ${instance}` },
  };
}

/**
 * Null once the alert has its report, in this state, and one episode. A report that its analysis
 * was ended three times by a restart is one: this is about what was delivered.
 */
async function problemOf(
  { url, program }: Analyst,
  { labels }: PostedAlert,
  state: 'firing' | 'resolved',
): Promise<string | null> {
  const address = `${url}/report/${fingerprintOf(labels)}.json`;
  let episodes = 0;
  try {
    await eventually(`${labels['instance']} to be ${state}`, async () => {
      const answer = await fetch(address);
      if (answer.status !== 200) return null;
      const { episode, status } = (await answer.json()) as Report;
      episodes = episode.of;
      return episode.state === state && ['ready', 'final', 'failed'].includes(status) ? true : null;
    }, { withinMs: deliveredWithinMs, everyMs: 100, program });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return episodes === 1 ? null : `${labels['instance']} has ${episodes} episodes`;
}

async function main(): Promise<number> {
  const values = scriptOptions(import.meta.url, {
    restarts: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
  });
  const { restarts, alerts, resolved, givenUp, deliveredInMs, problems } =
    await withCleanup((cleanup) => runRestartLoop(cleanup, {
      restarts: Number(values.restarts), seed: Number(values.seed),
    }));
  process.stdout.write(
    `${restarts} restarts, ${alerts} alerts, ${resolved} of them resolved; ` +
    `all delivered ${(deliveredInMs / 1_000).toFixed(1)} s after the last; ` +
    `notifications given up ${givenUp}, missing or doubled ${problems.length}\n`,
  );
  for (const problem of problems) process.stdout.write(`  ${problem}\n`);
  return problems.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main();
