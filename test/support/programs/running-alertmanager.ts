import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cleanup } from '../cleanup.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { eventually, findProgram, freePort, startProgram, type Program } from './programs.ts';

/** A real Alertmanager that delivers to the service. */
export interface Alertmanager {
  readonly url: string;
  readonly program: Program;
  /** Posts alerts to it, as Prometheus does. */
  post(alerts: readonly PostedAlert[]): Promise<void>;
  /** Fingerprints of the alerts firing now, by their `instance` label. */
  fingerprints(): Promise<ReadonlyMap<string, string>>;
  /** Notifications sent to the service, and those that failed for good. */
  notifications(): Promise<{ readonly tried: number; readonly failed: number }>;
}

export interface PostedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly endsAt?: string;
  readonly generatorURL?: string;
}

export interface AlertmanagerOptions {
  /** Address of the service. */
  readonly analyst: string;
  readonly token: string;
  readonly maxAlerts?: number;
  /** Gossip ports of a highly available pair; without them it runs alone. */
  readonly cluster?: { readonly own: number; readonly other: number };
}

/** Runs with the shipped alertmanager.yml, with shorter waits and without other receivers. */
export async function startAlertmanager(
  cleanup: Cleanup,
  options: AlertmanagerOptions,
): Promise<Alertmanager> {
  const command = findProgram('prometheus-alertmanager', 'prometheus-alertmanager');
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'token'), `${options.token}\n`);
  writeFileSync(join(directory, 'alertmanager.yml'), configuration(directory, options));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const program = startProgram(command, [
    `--config.file=${join(directory, 'alertmanager.yml')}`,
    `--storage.path=${join(directory, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    ...clusterFlags(options),
  ]);
  cleanup.after(() => program.stop());
  const isReady = async (): Promise<true | null> =>
    (await fetch(`${url}/-/ready`)).status === 200 ? true : null;
  await eventually('Alertmanager to be ready', isReady, { program });
  return {
    url,
    program,
    post: (alerts) => postAlerts(url, alerts),
    fingerprints: () => readFingerprints(url),
    notifications: () => readNotifications(url),
  };
}

/** The shipped configuration, with this test's address, token and templates. */
function configuration(directory: string, { analyst, maxAlerts = 0 }: AlertmanagerOptions): string {
  const shipped = readFileSync(join(process.cwd(), 'scripts/deploy/alertmanager.yml'), 'utf8');
  const templates = join(process.cwd(), 'scripts/deploy/templates');
  return replaceEach(shipped.slice(0, shipped.indexOf('    slack_configs:')), [
    ['/etc/alertmanager/templates', templates],
    ['/etc/alertmanager/alert-analyst.token', join(directory, 'token')],
    ['http://127.0.0.1:8080', analyst],
    ['group_wait: 5s', 'group_wait: 200ms'],
    ['group_interval: 1m', 'group_interval: 1s'],
    ['max_alerts: 0', `max_alerts: ${maxAlerts}`],
  ]);
}

function replaceEach(text: string, pairs: readonly (readonly [string, string])[]): string {
  let result = text;
  for (const [from, to] of pairs) {
    if (!result.includes(from)) throw new Error(`alertmanager.yml has no ${JSON.stringify(from)}`);
    result = result.replaceAll(from, to);
  }
  return result;
}

/** With so short a peer timeout both of a pair deliver, as when gossip is slow or broken. */
function clusterFlags({ cluster }: AlertmanagerOptions): readonly string[] {
  if (cluster === undefined) return ['--cluster.listen-address='];
  return [
    `--cluster.listen-address=127.0.0.1:${cluster.own}`,
    `--cluster.peer=127.0.0.1:${cluster.other}`,
    '--cluster.gossip-interval=100ms',
    '--cluster.peer-timeout=1ms',
  ];
}

async function postAlerts(url: string, alerts: readonly PostedAlert[]): Promise<void> {
  const response = await fetch(`${url}/api/v2/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(alerts),
  });
  if (response.status !== 200) {
    throw new Error(`Alertmanager answered ${response.status}: ${await response.text()}`);
  }
}

async function readFingerprints(url: string): Promise<ReadonlyMap<string, string>> {
  interface Listed {
    readonly fingerprint: string;
    readonly labels: Readonly<Record<string, string>>;
  }
  const listed = (await (await fetch(`${url}/api/v2/alerts`)).json()) as readonly Listed[];
  return new Map(listed.map(({ labels, fingerprint }) => [labels['instance'] ?? '', fingerprint]));
}

async function readNotifications(url: string): Promise<{ tried: number; failed: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const read = (name: string): number => {
    const line = new RegExp(`^${name}\\{integration="webhook"[^}]*\\} (\\S+)$`, 'm').exec(text);
    if (line?.[1] === undefined) throw new Error(`Alertmanager has no metric ${name}`);
    return Number(line[1]);
  };
  return {
    tried: read('alertmanager_notifications_total'),
    failed: read('alertmanager_notifications_failed_total'),
  };
}
