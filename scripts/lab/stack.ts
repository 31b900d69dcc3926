/** A live shop with a real Prometheus, a real Alertmanager and the service that is judged. */
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Notification } from '../../src/alert/notification.ts';
import type { Report } from '../../src/report/report.ts';
import type { ReportList } from '../../src/report/report-list.ts';
import type { Cleanup } from '../../test/support/cleanup.ts';
import {
  eventually, findProgram, freePort, startProgram,
} from '../../test/support/programs/programs.ts';
import { startAlertmanager } from '../../test/support/programs/running-alertmanager.ts';
import { startAnalyst, unlimited } from '../../test/support/programs/running-analyst.ts';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import type { History } from './history.ts';
import type { LabIncident } from './incident.ts';
import { rules, rulesFile, type Rule } from './rules.ts';
import { serveTargets, type ServedTarget } from './serve.ts';
import { Shop } from './shop/shop.ts';
import type { World } from './worlds/world.ts';

/** An alert as notified. */
export interface Notified {
  readonly fingerprint: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly status: 'firing' | 'resolved';
  /** When its notification was answered, in milliseconds since 1970. */
  readonly at: number;
}

export interface Stack {
  readonly shop: Shop;
  /** All so far, in the order in which they came. */
  readonly notified: readonly Notified[];
  /** Replaces the rules beside those of the shop. */
  setRules(further: readonly Rule[]): Promise<void>;
  /** Takes away the rules beside those of the shop, and ends their alerts. */
  dropRules(): Promise<void>;
  report(fingerprint: string): Promise<Report>;
  /** The report as on the page's first screen, for people: Markdown. */
  text(fingerprint: string): Promise<string>;
  list(): Promise<ReportList>;
  /** The number of series that a query has now. */
  count(query: string): Promise<number>;
}

export interface StackOptions {
  readonly history: History;
  /** Numbers the stacks that run side by side, from 1. */
  readonly lane: number;
  readonly incidents: readonly LabIncident[];
  readonly main: string | undefined;
  /** A world of its own instead of the shop, and all of its rules. */
  readonly own?: { readonly world: World; readonly rules: readonly Rule[] };
}

const token = 'token-of-the-lab';

export async function startStack(cleanup: Cleanup, options: StackOptions): Promise<Stack> {
  const shop = options.own?.world ?? new Shop(options.history.state.origin, options.lane);
  const basis = options.own?.rules ?? rules;
  shop.adopt(options.history.state);
  for (const { always } of options.incidents) {
    if (always !== undefined) shop.each.add((_, dt) => always(shop, dt));
  }
  const { served, follow } = await serveTargets(cleanup, shop.targets(), options.lane);
  const tap = await startTap(cleanup);
  const alertmanager = await startAlertmanager(cleanup, { analyst: tap.url, token });
  const directory = temporaryDirectory();
  cpSync(options.history.blocks, join(directory, 'data'), { recursive: true });
  const live = (): void => {
    shop.advance(Date.now() / 1000);
    follow();
  };
  live();
  const timer = setInterval(live, 1000);
  cleanup.after(() => clearInterval(timer));
  const prometheus = await startScraping(cleanup, {
    directory, served, basis, alertmanager: new URL(alertmanager.url).host,
  });
  const analyst = await startAnalyst({
    dataDirectory: temporaryDirectory(),
    env: {
      ...unlimited, ACCESS_TOKEN: token, PROMETHEUS_URL: prometheus,
      ALERTMANAGER_URL: alertmanager.url,
    },
    main: options.main,
  });
  cleanup.after(() => analyst.program.stop());
  tap.to = analyst.url;
  const get = async (path: string, accept: string): Promise<Response> =>
    fetch(`${analyst.url}${path}`, { headers: { accept } });
  const setRules = async (further: readonly Rule[]): Promise<void> => {
    writeFileSync(join(directory, 'rules.yml'), rulesFile([...basis, ...further]));
    await fetch(`${prometheus}/-/reload`, { method: 'POST' });
  };
  return {
    shop, notified: tap.notified, setRules,
    dropRules: async () => {
      await setRules([]);
      const ownNames = new Set(basis.map(({ alert }) => alert));
      // Alertmanager would wait four minutes for Prometheus to speak of them again.
      await alertmanager.post(firingOf(tap.notified).filter(({ name }) => !ownNames.has(name))
        .map(({ labels }) => ({ labels, endsAt: new Date().toISOString() })));
    },
    report: async (fingerprint) =>
      (await (await get(`/report/${fingerprint}`, 'application/json')).json()) as Report,
    text: async (fingerprint) => (await get(`/report/${fingerprint}`, 'text/markdown')).text(),
    list: async () => (await (await get('/', 'application/json')).json()) as ReportList,
    count: async (query) => {
      const asked = await fetch(`${prometheus}/api/v1/query?query=${encodeURIComponent(query)}`);
      const answer = (await asked.json()) as { data?: { result: unknown[] }; error?: string };
      if (answer.data === undefined) throw new Error(`${query}: ${answer.error ?? 'no answer'}`);
      return answer.data.result.length;
    },
  };
}

/** Those whose last notification says that they fire. */
export function firingOf(notified: readonly Notified[]): readonly Notified[] {
  const last = new Map(notified.map((each) => [each.fingerprint, each]));
  return [...last.values()].filter(({ status }) => status === 'firing');
}

interface Scraping {
  readonly directory: string;
  /** `host:port` */
  readonly alertmanager: string;
  readonly served: readonly ServedTarget[];
  readonly basis: readonly Rule[];
}

/** Returns the address of Prometheus. */
async function startScraping(cleanup: Cleanup, scraping: Scraping): Promise<string> {
  const { directory, basis } = scraping;
  const url = `http://127.0.0.1:${await freePort()}`;
  writeFileSync(join(directory, 'prometheus.yml'), JSON.stringify(configurationOf(scraping)));
  writeFileSync(join(directory, 'rules.yml'), rulesFile(basis));
  const program = startProgram(findProgram('prometheus', 'prometheus'), [
    `--config.file=${join(directory, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(directory, 'data')}`,
    '--storage.tsdb.retention.time=10y', '--web.enable-lifecycle', '--log.level=warn',
    `--web.listen-address=${new URL(url).host}`,
  ]);
  cleanup.after(() => program.stop());
  await eventually('Prometheus to be ready', async () =>
    (await fetch(`${url}/-/ready`)).status === 200 ? true : null, { program });
  return url;
}

function configurationOf({ alertmanager, served }: Scraping): object {
  const jobs = new Set(served.map(({ target }) => target.job));
  return {
    global: { scrape_interval: '5s', scrape_timeout: '4s', evaluation_interval: '5s' },
    rule_files: ['rules.yml'],
    alerting: {
      alertmanagers: [{ static_configs: [{ targets: [alertmanager] }] }],
    },
    scrape_configs: Array.from(jobs, (job) => ({
      job_name: job, honor_labels: false,
      static_configs: served.filter(({ target }) => target.job === job)
        .map(({ target, address }) => ({ targets: [address], labels: target.labels() })),
    })),
  };
}

interface Tap {
  readonly url: string;
  readonly notified: Notified[];
  /** Address of the service. */
  to: string;
}

/** Stands between Alertmanager and the service, and notes what passes. */
async function startTap(cleanup: Cleanup): Promise<Tap> {
  const tap = { url: '', notified: [] as Notified[], to: '' };
  const server = createServer((request, response) => {
    // Alertmanager tries again later.
    pass(tap, request, response).catch(() => response.writeHead(503).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup.after(() => {
    server.close();
    server.closeAllConnections();
  });
  tap.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return tap;
}

async function pass(tap: Tap, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  const answer = await fetch(`${tap.to}${request.url}`, {
    method: 'POST', body,
    headers: {
      'content-type': 'application/json', authorization: request.headers.authorization ?? '',
    },
  });
  const at = Date.now();
  const { alerts } = JSON.parse(body) as Pick<Notification, 'alerts'>;
  for (const { fingerprint, labels, status } of alerts) {
    tap.notified.push({ fingerprint, name: labels['alertname'] ?? '', labels, status, at });
  }
  response.writeHead(answer.status).end(await answer.text());
}
