import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Narrative, Report } from '../../src/report/report.ts';
import { withCleanup, type Cleanup } from '../support/cleanup.ts';
import { fakeKey, startFakeModel } from '../support/fake-model/fake-model.ts';
import { postNotification } from '../support/http/post-notification.ts';
import { requireFirst } from '../support/programs/node-options.ts';
import { eventually } from '../support/programs/programs.ts';
import { startAnalyst, unlimited, type Analyst } from '../support/programs/running-analyst.ts';
import { serveWorld } from '../support/sources/served-prometheus.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { metered, type Bill, type PlayedModel } from './played-models.ts';
import { concludedIn, namesCause, type Plot, type Scenario } from './scenario.ts';

/** No model, a fake one that plays a part, or a real one. */
export type Asked =
  | { readonly kind: 'none' }
  | { readonly kind: 'played'; readonly model: PlayedModel }
  | { readonly kind: 'real'; readonly env: Readonly<Record<string, string>> };

export interface RunOutcome {
  readonly scenario: Scenario;
  readonly report: Report;
  readonly isVerdictRight: boolean;
  readonly isCauseNamed: boolean;
  /** Forbidden conclusions, and lies of the model that the report does not mark as unproven. */
  readonly falseClaims: readonly string[];
  /** Every address that a thread of the service connected to. */
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
  /** From the start to the report without narrative. */
  readonly readySeconds: number;
  /** From the start to the end, including the narrative. */
  readonly seconds: number;
}

export const tokensPerAlert = 60_000;

const watcher = join(process.cwd(), 'test/support/programs/watch-connections.cjs');

/** Runs the scenario through a service of its own, and judges the report. */
export function runScenario(plot: Plot, asked: Asked): Promise<RunOutcome> {
  return withCleanup((cleanup) => play(plot, asked, cleanup));
}

async function play(plot: Plot, asked: Asked, cleanup: Cleanup): Promise<RunOutcome> {
  const scenario = plot(Date.now());
  const directory = temporaryDirectory();
  const source = await serveWorld(cleanup, scenario.world);
  const connectionsFile = join(directory, 'connections');
  const { env, bill, allowed, refusals } = await modelFor(asked, cleanup);
  const analyst = await startAnalyst({
    dataDirectory: join(directory, 'data'),
    env: {
      ...unlimited, WORKERS: '1', PROMETHEUS_URL: source.url, ALERTMANAGER_URL: source.url,
      ...(scenario.world.logs !== undefined && { LOKI_URL: source.url }),
      ...(scenario.world.cluster !== undefined && { KUBERNETES_URL: source.url }),
      NODE_OPTIONS: requireFirst(watcher), CONNECTIONS_FILE: connectionsFile,
      // A busy machine must not change a report. Pauses between retries also take ten times as
      // long, so times can only be compared with those of other runs.
      CLOCK_RATE: '0.1',
      ...env,
    },
  });
  cleanup.after(() => analyst.program.stop('SIGKILL')); // An orderly stop would take 3 s.
  const times = await reportOn(scenario, analyst, waitsFor(asked));
  const { report } = times;
  const opened = new Set(readFileSync(connectionsFile, 'utf8').split('\n').filter(Boolean));
  const hosts = new Set([source.url, ...allowed].map((url) => hostOf(url)));
  const lies = asked.kind === 'played' ? asked.model.lies : new Set<string>();
  return {
    scenario, ...times,
    isVerdictRight: report.verdict.classification === scenario.expected.classification,
    isCauseNamed: namesCause(report, scenario.expected),
    falseClaims: falseIn(report, scenario, lies),
    contacted: [...opened],
    strangers: [...opened].filter((address) => !hosts.has(address)),
    tokens: bill?.tokens ?? tokensIn(report.narrative),
    largestRequest: bill?.largest ?? 0, requests: bill?.requests ?? 0, refusals,
  };
}

async function modelFor(asked: Asked, cleanup: Cleanup): Promise<{
  readonly env: Readonly<Record<string, string>>;
  readonly bill: Bill | null;
  /** Base URLs that may be connected to. */
  readonly allowed: readonly string[];
  readonly refusals: readonly string[];
}> {
  if (asked.kind === 'none') return { env: {}, bill: null, allowed: [], refusals: [] };
  if (asked.kind === 'real') {
    const url = asked.env['MODEL_URL'] ??
      (asked.env['MODEL_PROVIDER'] === 'anthropic'
        ? 'https://api.anthropic.com' : 'https://api.openai.com/v1');
    return { env: asked.env, bill: null, allowed: [url], refusals: [] };
  }
  const { script, alter, bill } = metered(asked.model);
  const fake = await startFakeModel(cleanup, script, { alter });
  const env = {
    MODEL_PROVIDER: 'openai-chat', MODEL_URL: fake.url, MODEL_NAME: asked.model.name,
    MODEL_API_KEY: fakeKey, MODEL_TOKENS_PER_ALERT: String(tokensPerAlert),
  };
  return { env, bill, allowed: [fake.url], refusals: fake.refusals };
}

function hostOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`;
}

type Waiting = (report: Report) => boolean;

/** A model that never answers is not waited for. */
function waitsFor(asked: Asked): Waiting {
  const isEndless = asked.kind === 'played' && asked.model.isEndless;
  return ({ narrative }) => isEndless || !isPending(narrative);
}

async function reportOn(
  { notifications }: Scenario,
  { url, program }: Analyst,
  isWaitedFor: Waiting,
): Promise<{ report: Report; readySeconds: number; seconds: number }> {
  let readySeconds = 0;
  let report: Report | null = null;
  const [first] = notifications[0]?.alerts ?? [];
  if (first === undefined) throw new Error('The scenario has no alert');
  const beganAt = performance.now();
  const since = (): number => (performance.now() - beganAt) / 1000;
  const read = async (): Promise<Report> => {
    const response = await fetch(`${url}/report/${first.fingerprint}.json`);
    return await response.json() as Report;
  };
  for (const notification of notifications) {
    await postNotification(url, { version: '4', ...notification });
    const awaited = notification.status === 'resolved' ? 'final' : 'ready';
    report = await eventually('the report', async () => {
      const found = await read();
      return found.status === awaited && found.progress === null || found.status === 'failed'
        ? found : null;
    }, { program, everyMs: 25, isSparing: true });
    readySeconds ||= since();
  }
  report = await eventually('the narrative', async () => {
    const found = await read();
    return isWaitedFor(found) ? found : null;
  }, { program, everyMs: 100, withinMs: 300_000 });
  return { report, readySeconds, seconds: since() };
}

function isPending(narrative: Narrative): boolean {
  return narrative.state === 'absent' && narrative.reason === 'pending';
}

function tokensIn(narrative: Narrative): number {
  return narrative.state === 'present' ? narrative.tokens : 0;
}

/** What a reader would believe although it is false: lies not marked, and forbidden conclusions. */
export function falseIn(
  report: Report,
  { expected }: Pick<Scenario, 'expected'>,
  lies: ReadonlySet<string>,
): string[] {
  const { narrative } = report;
  const believed: Report = narrative.state === 'absent' ? report : {
    ...report,
    narrative: { ...narrative, claims: narrative.claims.filter(({ verified }) => verified) },
  };
  const said = concludedIn(believed);
  return [
    ...[...lies].filter((lie) => said.includes(JSON.stringify(lie).slice(1, -1))),
    ...expected.absent.flatMap((word) => word.exec(said)?.[0] ?? []),
  ];
}

/** Runs all scenarios, `atOnce` at a time; the outcomes are in the order of the plots. */
export async function runAll(
  plots: readonly Plot[],
  askedFor: () => Asked,
  atOnce: number,
): Promise<RunOutcome[]> {
  const outcomes: RunOutcome[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < plots.length; index = next++) {
      const plot = plots[index];
      if (plot !== undefined) outcomes[index] = await runScenario(plot, askedFor());
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return outcomes;
}
