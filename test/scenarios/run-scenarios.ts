import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../../src/report/report.ts';
import type { Cleanup } from '../support/cleanup.ts';
import { modelAt, startFakeModel, type FakeModel } from '../support/fake-model/fake-model.ts';
import { postNotification } from '../support/http/post-notification.ts';
import { requireFirst } from '../support/programs/node-options.ts';
import { eventually } from '../support/programs/programs.ts';
import { startAnalyst, unlimited, type Analyst } from '../support/programs/running-analyst.ts';
import type { FakeSource } from '../support/sources/fake-source.ts';
import { serveWorld, type World } from '../support/sources/served-prometheus.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { metered, type MeteredModel, type PlayedModel } from './played-models.ts';
import { falseIn, namesCause, type Plot, type Scenario } from './scenario.ts';
import { worldOf } from './shared-world.ts';

export interface Run {
  readonly plot: Plot;
  /** Instead of the plot's own, where a plot runs more than once. */
  readonly namespace?: string;
  /** Null for none, or for the real one in the settings. */
  readonly model: PlayedModel | null;
}

export interface RunOutcome {
  readonly scenario: Scenario;
  readonly report: Report;
  readonly isVerdictRight: boolean;
  readonly isCauseNamed: boolean;
  /** Forbidden conclusions, and lies of the model that the report does not mark as unproven. */
  readonly falseClaims: readonly string[];
  /** Every address that a thread of the service has connected to so far. */
  readonly contacted: readonly string[];
  /** Those of them that are not configured. */
  readonly strangers: readonly string[];
  /** As counted by a played model, or as reported for a real one. */
  readonly tokens: number;
  /** Tokens of the largest request to a played model. */
  readonly largestRequest: number;
  readonly requests: number;
  /** Messages with which the fake model refused requests. */
  readonly refusals: readonly string[];
  /** From the notification to the report without narrative. */
  readonly readySeconds: number;
  /** From the notification to the end, including the narrative. */
  readonly seconds: number;
}

export const tokensPerAlert = 60_000;

type Settings = Readonly<Record<string, string>>;

/** One incident while it runs. */
interface Scene {
  readonly scenario: Scenario;
  readonly model: MeteredModel | null;
}

/**
 * Runs incidents through one service, one after another, and judges the reports. Each incident has
 * ended before the next begins, and happens in a namespace of its own. `settings` are those of a
 * real model.
 */
export async function runScenarios(
  cleanup: Cleanup,
  runs: readonly Run[],
  settings: Settings = {},
): Promise<RunOutcome[]> {
  const now = Date.now();
  const scenes = runs.map(({ plot, namespace, model }): Scene => {
    return { scenario: plot(now, namespace), model: model && metered(model) };
  });
  let current: Scene | null = null;
  const world = worldOf(scenes.map(({ scenario }) => scenario));
  const source = await serveWorld(cleanup, {
    ...world, fault: (question) => current?.scenario.world.fault?.(question) ?? null,
  });
  const fake = runs.every(({ model }) => model === null) ? null : await startFakeModel(
    cleanup, (heard, index) => current?.model?.script(heard, index) ?? {},
    { alter: (body) => current?.model?.alter(body) ?? body },
  );
  const connectionsFile = join(temporaryDirectory(), 'connections');
  const analyst = await startAnalyst({
    dataDirectory: join(temporaryDirectory(), 'data'),
    env: {
      ...unlimited, WORKERS: '1', ...sourcesOf(world, source), ...settings, ...modelOf(fake),
      NODE_OPTIONS: requireFirst(watcher), CONNECTIONS_FILE: connectionsFile,
      // A busy machine must not change a report. Pauses between retries also take ten times as
      // long, so times can only be compared with those of other runs.
      CLOCK_RATE: '0.1',
    },
  }, cleanup);
  const configured = [source.url, ...modelsAt(fake, settings)].map(hostOf);
  const outcomes: RunOutcome[] = [];
  for (const scene of scenes) {
    current = scene;
    const refusalsBefore = fake?.refusals.length ?? 0;
    const timed = await reportOn(scene, analyst);
    const contacted = new Set(readFileSync(connectionsFile, 'utf8').split('\n').filter(Boolean));
    outcomes.push({
      ...timed, ...judge(scene, timed.report), contacted: [...contacted],
      strangers: [...contacted].filter((address) => !configured.includes(address)),
      refusals: fake?.refusals.slice(refusalsBefore) ?? [],
    });
  }
  return outcomes;
}

const watcher = join(process.cwd(), 'test/support/programs/watch-connections.cjs');

function sourcesOf({ logs, cluster }: World, { url }: FakeSource): Settings {
  return {
    PROMETHEUS_URL: url, ALERTMANAGER_URL: url,
    ...(logs !== undefined && { LOKI_URL: url }),
    ...(cluster !== undefined && { KUBERNETES_URL: url }),
  };
}

function modelOf(fake: FakeModel | null): Settings {
  return fake === null ? {} : modelAt(fake, { MODEL_TOKENS_PER_ALERT: String(tokensPerAlert) });
}

/** Where the model that is asked may be connected to; empty if there is none. */
function modelsAt(fake: FakeModel | null, settings: Settings): string[] {
  const { MODEL_PROVIDER: provider, MODEL_URL: url } = settings;
  if (fake !== null) return [fake.url];
  if (provider === undefined) return [];
  return [url ?? `https://api.${provider === 'anthropic' ? 'anthropic' : 'openai'}.com`];
}

function hostOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`;
}

type Timed = Pick<RunOutcome, 'report' | 'readySeconds' | 'seconds'>;

/** Sends the incident's notifications, waits for the report, and ends the incident. */
async function reportOn(
  { scenario: { notifications }, model }: Scene,
  { url, program }: Analyst,
): Promise<Timed> {
  let readySeconds = 0;
  const [first] = notifications[0]?.alerts ?? [];
  if (first === undefined) throw new Error('The scenario has no alert');
  const polling = { program, everyMs: 25, isSparing: true };
  const beganAt = performance.now();
  const since = (): number => (performance.now() - beganAt) / 1000;
  const read = async (): Promise<Report> => {
    const response = await fetch(`${url}/report/${first.fingerprint}.json`);
    return await response.json() as Report;
  };
  for (const notification of notifications) {
    await postNotification(url, { version: '4', ...notification });
    const awaited = notification.status === 'resolved' ? 'final' : 'ready';
    await eventually('the report', async () => {
      const { status, progress } = await read();
      return status === awaited && progress === null || status === 'failed' || null;
    }, polling);
    readySeconds ||= since();
  }
  const report = await eventually('the narrative', async () => {
    const found = await read();
    return isPending(found) && model?.isEndless !== true ? null : found;
  }, { ...polling, withinMs: 300_000 });
  const seconds = since();
  const open = notifications.at(-1)?.alerts.filter(({ status }) => status === 'firing') ?? [];
  const endsAt = new Date().toISOString();
  await postNotification(url, {
    version: '4', status: 'resolved',
    alerts: open.map((alert) => ({ ...alert, status: 'resolved', endsAt })),
  });
  return { report, readySeconds, seconds };
}

function isPending({ narrative }: Report): boolean {
  return narrative.state === 'absent' && narrative.reason === 'pending';
}

function judge({ scenario, model }: Scene, report: Report): Omit<
  RunOutcome, 'contacted' | 'strangers' | 'refusals' | keyof Timed
> {
  const { expected } = scenario;
  const { narrative } = report;
  return {
    scenario,
    isVerdictRight: report.verdict.classification === expected.classification,
    isCauseNamed: namesCause(report, expected),
    falseClaims: falseIn(report, scenario, model?.lies ?? new Set()),
    tokens: model?.bill.tokens ?? (narrative.state === 'present' ? narrative.tokens : 0),
    largestRequest: model?.bill.largest ?? 0, requests: model?.bill.requests ?? 0,
  };
}
