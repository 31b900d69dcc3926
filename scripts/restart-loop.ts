/**
 * Restarts the service repeatedly, alternating SIGTERM and SIGKILL, while a real Alertmanager
 * delivers to it, and finally checks that every alert posted to Alertmanager has its report and
 * exactly one episode.
 *
 *   npx tsx scripts/restart-loop.ts --restarts 50 [--seed 1]
 *
 * Needs prometheus-alertmanager and a built service (`npm run build`). Exits with 1 when an alert
 * is missing or has more than one episode.
 */
import { fileURLToPath } from 'node:url';
import { fingerprintOf } from '../src/alert/fingerprint.ts';
import type { Report } from '../src/report/report.ts';
import { withCleanup, type Cleanup } from '../test/support/cleanup.ts';
import { eventually, freePort, letRun } from '../test/support/programs/programs.ts';
import {
  startAlertmanager, type PostedAlert,
} from '../test/support/programs/running-alertmanager.ts';
import { startAnalyst, type Analyst } from '../test/support/programs/running-analyst.ts';
import { temporaryDirectory } from '../test/support/temporary-directory.ts';
import { createRandom } from './random.ts';
import { scriptOptions } from './script-options.ts';

export interface RestartLoopResult {
  readonly restarts: number;
  readonly alerts: number;
  readonly resolved: number;
  /** Notifications that Alertmanager gave up on; it sends their alerts again later. */
  readonly givenUp: number;
  /** From the last restart until every alert has its report. */
  readonly deliveredInMs: number;
  /** One for each alert without a report, or with more than one episode. */
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
  const resolved = new Set<PostedAlert>();
  for (let round = 0; round < restarts; round += 1) {
    const fresh = Array.from({ length: alertsPerRestart }, (_, index) => alertOf(round, index));
    alerts.push(...fresh);
    await alertmanager.post(fresh);
    await letRun(random() * pauseMs);
    await analyst.program.stop(round % 2 === 0 ? 'SIGTERM' : 'SIGKILL');
    // An alert from two rounds ago is resolved while the service is down.
    const ended = alerts.at(-3 * alertsPerRestart);
    if (ended !== undefined) {
      resolved.add(ended);
      await alertmanager.post([{ ...ended, endsAt: new Date().toISOString() }]);
    }
    analyst = await startAnalyst(options);
  }
  const startedAt = performance.now();
  const problems: string[] = [];
  for (const alert of alerts) {
    const problem = await problemOf(analyst, alert, resolved.has(alert) ? 'resolved' : 'firing');
    if (problem !== null) problems.push(problem);
  }
  const deliveredInMs = performance.now() - startedAt;
  const { failed: givenUp } = await alertmanager.notifications();
  return {
    restarts, alerts: alerts.length, resolved: resolved.size, givenUp, deliveredInMs, problems,
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
 * Null if the alert gets its report, in this state, with one episode. A failed analysis is fine:
 * three restarts may have interrupted it, and delivery is what is tested here.
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
    restarts: { type: 'number', default: 50 },
    seed: { type: 'number', default: 1 },
  });
  const { restarts, alerts, resolved, givenUp, deliveredInMs, problems } =
    await withCleanup((cleanup) => runRestartLoop(cleanup, values));
  process.stdout.write(
    `${restarts} restarts, ${alerts} alerts, ${resolved} of them resolved; missing or doubled ` +
      `${problems.length}, checked ${(deliveredInMs / 1_000).toFixed(1)} s after the last start; ` +
      `notifications that Alertmanager gave up on ${givenUp}\n`,
  );
  for (const problem of problems) process.stdout.write(`  ${problem}\n`);
  return problems.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main();
