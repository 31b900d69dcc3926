/**
 * The command `analyze --now`: reports on what fires at an Alertmanager or a Prometheus at this
 * moment. It is asked once; nothing is kept.
 */
import { alertNameOf } from '../alert/alert.ts';
import { severityOf, severityRank } from '../alert/severity.ts';
import { parseTime } from '../alert/timestamp.ts';
import { sourceAccesses } from '../app/connections.ts';
import { printError, printLine } from '../app/outputs.ts';
import type { AnalyzeFormat } from '../config/command-line.ts';
import { baseUrl } from '../config/readers.ts';
import { loadSources } from '../config/settings.ts';
import type { Environment } from '../config/variables.ts';
import { commandClock, type Clock } from '../lib/clock.ts';
import { groupBy } from '../lib/group-by.ts';
import { systemRandom } from '../lib/random.ts';
import { counted } from '../report/plain-text.ts';
import { identities, type SourceAccesses } from '../sources/asked-source.ts';
import {
  firingAtAlertmanager, firingAtPrometheus, type FiringAlert, type FiringAlerts,
} from '../sources/firing-alerts.ts';
import type { SourceAccess } from '../sources/source-access.ts';
import { SourceClient } from '../sources/source-client.ts';
import { SourceFailure, type FailureReason } from '../sources/source-failure.ts';
import { printAnalysis } from './analyze.ts';

/** Each takes about a second, and a screen. */
const analysedMax = 50;
const timeoutMs = 15_000;
/** Failures that are the same whatever kind of server it is. */
const sameForAll: ReadonlySet<FailureReason> = new Set(['timeout', 'connection', 'tls']);

interface Line {
  /** Null for the servers in the settings. */
  readonly url: string | null;
  readonly format: AnalyzeFormat;
  readonly record: string | null;
}

/** Resolves to the exit code. Throws ConfigError where the settings of a source are wrong. */
export async function runAnalyzeNow(line: Line, environment: Environment): Promise<number> {
  const { sources } = loadSources(environment);
  const configured = sourceAccesses(sources);
  const servers = serversFor(line.url, configured);
  if (typeof servers === 'string') return printError([servers], 2);
  const { signal } = new AbortController();
  const found = await firingNow(servers, { clock: commandClock, signal });
  if (found.answered.length === 0) return printError(found.problems, 1);
  printError(found.problems, 0);
  const { bodies, notes } = notificationsOf(found.answered);
  for (const note of notes) printLine(note);
  const accesses = withAnswering(configured, found.answered);
  if (accesses.prometheus === null && bodies.length > 0) printLine(withoutMeasurements);
  return printAnalysis(bodies, line, { environment, accesses });
}

const withoutMeasurements = 'Set PROMETHEUS_URL as well: without it the reports have no ' +
  'measurements, only what the alerts say.';

/** The servers to ask, or what is wrong with the command line. */
function serversFor(
  given: string | null, { prometheus, alertmanager }: SourceAccesses,
): readonly SourceAccess[] | string {
  const known = [alertmanager, prometheus].flatMap((access) =>
    access === null ? [] : access.urls.map((url) => ({ ...access, urls: [url] })));
  if (given === null) {
    // Alertmanager has the alerts of all its Prometheus servers.
    const first = alertmanager ?? prometheus;
    if (first !== null) return first.urls.map((url) => ({ ...first, urls: [url] }));
    return 'analyze --now needs the address of an Alertmanager or a Prometheus, or one in ' +
      'ALERTMANAGER_URL or PROMETHEUS_URL';
  }
  let url: string;
  try {
    url = baseUrl(baseOf(given));
  } catch (error) {
    return `analyze --now: the address must be ${(error as Error).message}`;
  }
  // The credentials of the settings are for their servers only.
  return [known.find(({ urls }) => urls[0] === url)
    ?? { urls: [url], token: null, login: null, headers: [], ca: null, timeoutMs }];
}

/** People paste the address of a page, or give a host and port alone. */
function baseOf(given: string): string {
  const base = given.replace(/[?#].*$/s, '').replace(/\/(?:alerts|graph|query|rules|targets)$/, '');
  return base.includes('://') ? base : `http://${base}`;
}

interface Answered extends FiringAlerts {
  readonly kind: 'alertmanager' | 'prometheus';
  readonly access: SourceAccess;
}

interface Asking {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

async function firingNow(
  servers: readonly SourceAccess[], asking: Asking,
): Promise<{ answered: readonly Answered[]; problems: readonly string[] }> {
  const all = await Promise.all(servers.map((access) => firingAt(access, asking)));
  return {
    answered: all.filter((each) => typeof each !== 'string'),
    problems: all.filter((each) => typeof each === 'string'),
  };
}

/** What fires at the server, whichever of the two it is, or why that is not known. */
async function firingAt(
  access: SourceAccess, { clock, signal }: Asking,
): Promise<Answered | string> {
  const [url = ''] = access.urls;
  const clientOf = (kind: Answered['kind']): SourceClient =>
    new SourceClient(identities[kind], access, { clock, random: systemRandom });
  const failures: SourceFailure[] = [];
  for (const kind of ['alertmanager', 'prometheus'] as const) {
    try {
      const firing = kind === 'alertmanager'
        ? await firingAtAlertmanager(clientOf(kind), signal)
        : await firingAtPrometheus(clientOf(kind), url, signal);
      return { ...firing, kind, access };
    } catch (error) {
      if (!(error instanceof SourceFailure)) throw error;
      if (sameForAll.has(error.reason)) return `Cannot reach ${url}: ${error.detail}.`;
      failures.push(error);
    }
  }
  const refused = failures.find(({ reason }) => reason === 'unauthorized');
  if (refused !== undefined) {
    return `${url} needs credentials: ${refused.detail}. Set ALERTMANAGER_URL or PROMETHEUS_URL ` +
      'to it, with its token or login.';
  }
  const [ofAlertmanager, ofPrometheus] = failures.map(({ detail }) => detail);
  return `Neither an Alertmanager nor a Prometheus answers at ${url}. Asked as Alertmanager, ` +
    `${ofAlertmanager}; asked as Prometheus, ${ofPrometheus}. Give its base address, such as ` +
    'http://alertmanager:9093, with its path prefix if it has one.';
}

/** The sources of evidence: those of the settings, and otherwise the servers that answered. */
function withAnswering(
  configured: SourceAccesses, answered: readonly Answered[],
): SourceAccesses {
  const of = (wanted: Answered['kind']): SourceAccess | null => {
    const found = answered.filter(({ kind }) => kind === wanted).map(({ access }) => access);
    const [first] = found;
    return first === undefined ? configured[wanted]
      : { ...first, urls: found.flatMap(({ urls }) => urls) };
  };
  return { ...configured, alertmanager: of('alertmanager'), prometheus: of('prometheus') };
}

/**
 * Bodies of notifications, one for each name of an alert, the most severe first, and within a
 * severity the newest; and what the reader has to know, as sentences.
 */
export function notificationsOf(
  answered: readonly Answered[],
): { readonly bodies: readonly Buffer[]; readonly notes: readonly string[] } {
  const [alertmanager] = answered.flatMap(({ kind, access }) =>
    kind === 'alertmanager' ? access.urls : []);
  const alerts = answered.flatMap((server) => server.alerts)
    .sort((a, b) => rankOf(a) - rankOf(b) || startOf(b) - startOf(a));
  const analysed = alerts.slice(0, analysedMax);
  const nameOf = ({ labels }: FiringAlert): string => alertNameOf(labels);
  const all = groupBy(alerts, nameOf);
  const bodies = [...groupBy(analysed, nameOf)].map(([name, group]) => Buffer.from(JSON.stringify({
    version: '4', status: 'firing', receiver: '', groupLabels: { alertname: name },
    externalURL: alertmanager ?? '', alerts: group,
    truncatedAlerts: (all.get(name)?.length ?? 0) - group.length,
  })));
  const suppressed = answered.reduce((sum, server) => sum + server.suppressed, 0);
  const places = answered.map(({ access }) => access.urls[0]).join(' and ');
  const notes = [
    alerts.length === 0 && `Nothing fires at ${places}.`,
    alerts.length > analysedMax && `${alerts.length} alerts fire; these are the ${analysedMax} ` +
      'most severe.',
    suppressed > 0 && `Left out: ${counted(suppressed, 'alert')} that nobody is notified of ` +
      '(silenced, inhibited or muted).',
    answered.every(({ hasRules }) => !hasRules) && 'It lists no alerting rules: give the ' +
      'address of the Alertmanager, or of the ruler.',
  ];
  return { bodies, notes: notes.filter((note) => note !== false) };
}

function rankOf({ labels }: FiringAlert): number {
  return severityRank(severityOf(labels));
}

function startOf({ startsAt }: FiringAlert): number {
  return parseTime(startsAt ?? '') ?? 0;
}
