/**
 * Sends a test alert through the running service and follows it to the report page, so that a
 * broken step is found before an incident. The alert is resolved at the end, even if the drill is
 * stopped; it leaves one ended episode in the list.
 */
import { print, printError } from '../app/outputs.ts';
import { watchSignals } from '../app/signals.ts';
import { listeningUrl, reportBaseUrl } from '../config/http-settings.ts';
import type { Secret } from '../config/secret.ts';
import type { Settings } from '../config/settings.ts';
import type { Environment } from '../config/variables.ts';
import type { Chat } from '../delivery/chat.ts';
import { chats } from '../delivery/chats.ts';
import { post as deliver } from '../delivery/post.ts';
import { commandClock, type Clock } from '../lib/clock.ts';
import { withDeadline } from '../lib/deadline.ts';
import { fetchTransport } from '../lib/fetch-transport.ts';
import { fieldsOf, listOf, oneOf, text, type Parser } from '../lib/parse.ts';
import { bad, good, StepPrinter, type StepOutcome } from '../lib/step-printer.ts';
import type { Report } from '../report/report.ts';
import { shownText } from '../report/shown-text.ts';
import { askedSources, identities } from '../sources/asked-source.ts';
import { readAnswer } from '../sources/read-answer.ts';
import { headersFor, withoutSecrets, type Credentials } from '../sources/source-access.ts';
import { FaultError, faultOfError, type FailureReason } from '../sources/source-failure.ts';
import { readSettings } from './read-settings.ts';

/** The running service, as its settings describe it. URLs have no slash at the end. */
interface DrillTarget {
  /** Where requests are sent. */
  readonly url: string;
  /** What its links to reports begin with. */
  readonly reportBase: string;
  readonly sender: Credentials;
  readonly reader: Credentials;
  readonly delivery: Settings['delivery'];
}

/** Null where the settings do not say which port it listens on. */
export function drillTarget(
  { http, delivery }: Pick<Settings, 'http' | 'delivery'>,
): DrillTarget | null {
  const { tls, port, access: { token, login, readAuth } } = http;
  if (port === 0 && http.reportBaseUrl === null) return null;
  const reportBase = reportBaseUrl(http, port);
  const [firstToken = null] = token?.values() ?? [];
  const [password = ''] = login?.password.values() ?? [];
  const sender = { ...nobody, token: firstToken };
  return {
    // A certificate is issued for the public name.
    url: tls === null && port !== 0 ? listeningUrl(http, port) : reportBase,
    reportBase, sender, delivery,
    reader: readAuth === 'token' ? sender
      : readAuth === 'basic' && login !== null ? { ...nobody, login: { ...login, password } }
        : nobody,
  };
}

const nobody: Credentials = { headers: [], token: null, login: null };

/** Expects the environment of the running service. */
export async function runDrill(environment: Environment): Promise<number> {
  const target = drillTarget(readSettings(environment));
  if (target === null) return printError(['Set PORT to the port the service listens on.'], 2);
  const stopped = new AbortController();
  void watchSignals().stop.then(() => stopped.abort());
  const { signal } = stopped;
  return (await drill(target, { clock: commandClock, print, signal })) ? 0 : 1;
}

interface DrillOptions {
  readonly clock: Clock;
  readonly print: (text: string) => void;
  /** Skips the remaining checks; an alert that was posted is still resolved. */
  readonly signal?: AbortSignal;
}

const answerTimeoutMs = 10_000;
const answerBytesMax = 4 * 1024 * 1024;
const reportTimeoutMs = 60_000;
/** Half of what the default READ_LIMIT_PER_CLIENT allows. */
const pollEveryMs = 200;
const detailLengthMax = 200;

/** Whether every step works. Prints a line for each, and at the end what to do. */
export async function drill(
  target: DrillTarget,
  { clock, print, signal = never }: DrillOptions,
): Promise<boolean> {
  const trial = new StepPrinter(print);
  print(`Drill of the service at ${target.url}\n`);
  const drill = { target, clock, signal, startsAt: new Date(clock.now()).toISOString() };
  await follow(trial, drill);
  if (!signal.aborted) await tryDeliveries(trial, drill);
  return trial.conclude(
    'A posted alert becomes a report that opens. Whether Alertmanager posts its alerts here is ' +
      'shown by\nits metric alertmanager_notifications_total{integration="webhook"}.',
  );
}

const never = new AbortController().signal;

interface Drill {
  readonly target: DrillTarget;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Start of its alert. Also a label, so that each drill has an alert of its own. */
  readonly startsAt: string;
}

async function follow(trial: StepPrinter, drill: Drill): Promise<void> {
  if (await attempt(trial, 'Health', () => checkHealth(drill)) === null) return;
  const link = await attempt(trial, 'Webhook', () => postFiring(drill));
  if (link === null) {
    // The alert may have been accepted nevertheless, as when the answer came too late.
    await postResolved(drill).catch(() => undefined);
    return;
  }
  const report = await attempt(trial, 'Report', () => awaitReport(drill, link));
  if (report !== null) printSources(trial, report);
  await attempt(trial, 'Link', () => openLink(drill, link));
  await attempt(trial, 'End', () => postResolved(drill));
}

async function tryDeliveries(trial: StepPrinter, drill: Drill): Promise<void> {
  const { delivery } = drill.target;
  for (const chat of chats) {
    const secret = delivery[chat.to];
    if (secret !== null) trial.print(chat.title, await postTest(drill, chat, secret));
  }
  if (delivery.webhook !== null) {
    trial.note('Deliver', 'DELIVER_WEBHOOK_URL gets the report of a drill twice. In ' +
      '/metrics,\nservice_deliveries_total counts what is accepted.');
  }
}

type Label = 'Health' | 'Webhook' | 'Report' | 'Link' | 'End';

/** What a successful step prints, and its result for later steps. */
interface Passed<T> {
  readonly text: string;
  readonly found: T;
}

/** Runs a step and prints its outcome; null when it failed. */
async function attempt<T>(
  trial: StepPrinter,
  label: Label,
  step: () => Promise<Passed<T>>,
): Promise<T | null> {
  try {
    const { text, found } = await step();
    trial.print(label, good(text));
    return found;
  } catch (error) {
    const { reason, detail } = faultOfError(error);
    trial.print(label, bad(sentence(detail), hints[label][reason] ?? hints[label].otherwise));
    return null;
  }
}

type Hints = Readonly<Partial<Record<FailureReason, string>> & { otherwise: string }>;

const seeItsLog = 'The log of the service says why.';
const runAgain = 'Run the drill again: not every step was tried.';
const service: Hints = {
  connection: 'Start the service, and give the drill its HOST and PORT, and where it serves TLS ' +
    'its TLS_CERT_FILE and TLS_KEY_FILE.',
  timeout: seeItsLog,
  tls: 'Check that the certificate is current and holds the name in REPORT_BASE_URL; for a ' +
    'private CA, set NODE_EXTRA_CA_CERTS to its file.',
  server_error: 'The service runs but takes no alerts: /health, /metrics and its log say why.',
  rate_limited: 'Wait a minute, or raise RATE_LIMIT_PER_CLIENT and RATE_LIMIT_TOTAL.',
  unauthorized: 'Give the drill the ACCESS_TOKEN of the service.',
  cancelled: runAgain,
  otherwise: 'Check HOST and PORT: another program may be listening there.',
};
const giveLogin = 'Give the drill the READ_AUTH of the service and its token or login; if a ' +
  'proxy asks for a login of its own, open the link yourself.';

const hints: Readonly<Record<Label, Hints>> = {
  Health: service,
  Webhook: service,
  Report: {
    ...service, server_error: seeItsLog, unauthorized: giveLogin,
    timeout: 'A drill comes after all other alerts: service_queue_size at /metrics counts them. ' +
      'Where it is 1, only the drill is left, and the log of the service says why.',
  },
  Link: {
    unauthorized: giveLogin,
    cancelled: runAgain,
    otherwise: 'Check REPORT_BASE_URL, its DNS entry and the proxy behind it; if the proxy ' +
      'asks for a login of its own, open the link yourself.',
  },
  End: service,
};

async function checkHealth(drill: Drill): Promise<Passed<true>> {
  const read: Parser<string> = (json, path) =>
    fieldsOf(json, path)('status', oneOf('healthy', 'degraded'));
  const status = await ask(drill, { url: `${drill.target.url}/health`, as: nobody }, read);
  const text = status === 'healthy' ? 'it takes alerts.'
    : 'it takes alerts, but its workers, its model or its disk fail: its log says why.';
  return { text, found: true };
}

interface ReportLink {
  readonly fingerprint: string;
  readonly url: string;
}

async function postFiring(drill: Drill): Promise<Passed<ReportLink>> {
  const { clock } = drill;
  const beganAt = clock.monotonic();
  const [link] = await post(drill, null);
  if (link === undefined) throw unexpected('its answer has no report link');
  return { text: `on disk and answered within ${seconds(clock, beganAt)}.`, found: link };
}

async function postResolved(drill: Drill): Promise<Passed<true>> {
  await post(drill, new Date(drill.clock.now()).toISOString());
  return { text: 'the alert is resolved; its report stays in the list.', found: true };
}

/** `endsAt` is null for an alert that fires. */
function post(drill: Drill, endsAt: string | null): Promise<readonly ReportLink[]> {
  const { target, startsAt } = drill;
  const status = endsAt === null ? 'firing' : 'resolved';
  // Loki and Kubernetes are queried only about objects that an alert names.
  const about = { namespace: 'default', pod: 'alert-analyst-drill' };
  // At this severity the language model is not asked.
  const labels = { alertname: 'AlertAnalystDrill', severity: 'none', ...about, drill: startsAt };
  const annotations = { summary: 'A drill: nothing is wrong' };
  const body = JSON.stringify({
    version: '4', receiver: 'drill', status, groupKey: '{}/{}:{alertname="AlertAnalystDrill"}',
    groupLabels: {}, commonLabels: labels, commonAnnotations: annotations, externalURL: '',
    truncatedAlerts: 0,
    alerts: [{
      status, labels, annotations, startsAt, endsAt: endsAt ?? '0001-01-01T00:00:00Z',
      generatorURL: '',
    }],
  });
  const readLink: Parser<ReportLink> = (json, path) => {
    const field = fieldsOf(json, path);
    return { fingerprint: field('fingerprint', text), url: field('report_url', text) };
  };
  return ask(drill, { url: `${target.url}/webhook`, as: target.sender, body }, (json, path) =>
    fieldsOf(json, path)('report_urls', listOf(readLink)));
}

/** Its fingerprint distinguishes a report from other JSON; all reports have the same members. */
const readReport: Parser<Report> = (json, path) => {
  fieldsOf(json, path)('fingerprint', text);
  return json as Report;
};

async function awaitReport(drill: Drill, link: ReportLink): Promise<Passed<Report>> {
  const { clock, target, signal } = drill;
  const beganAt = clock.monotonic();
  const url = `${target.url}/report/${encodeURIComponent(link.fingerprint)}.json`;
  for (;;) {
    const report = await ask(drill, { url, as: target.reader }, readReport);
    if (report.status === 'failed') {
      throw new FaultError({ reason: 'server_error', detail: 'its analysis failed' });
    }
    if (report.status === 'ready' || report.status === 'final') {
      return { text: `ready ${seconds(clock, beganAt)} after the answer.`, found: report };
    }
    if (clock.monotonic() - beganAt >= reportTimeoutMs) {
      const detail = `still ${report.status} after ${reportTimeoutMs / 1000} s`;
      throw new FaultError({ reason: 'timeout', detail });
    }
    await clock.sleep(pollEveryMs, signal).catch(() => undefined);
  }
}

function printSources(trial: StepPrinter, { provenance, evidence, unknowns }: Report): void {
  for (const name of askedSources) {
    const { title } = identities[name];
    const state = provenance.sources.find((source) => source.name === name)?.state;
    if (state === 'not_configured') trial.note('Source', `${title} is not configured.`);
    else if (state === 'empty') trial.note('Source', `${title} was not queried.`);
    else if (state !== 'failed') trial.print('Source', good(`${title} answers.`));
    else {
      const error = evidence.find((item) => item.source === name && item.error !== null)?.error;
      const hint = unknowns.find(({ source }) => source === name)?.how_to_get ?? seeItsLog;
      trial.print('Source', bad(shown(error ?? `${title} did not answer`), shown(hint)));
    }
  }
}

/** Opens the link as a reader would, but as JSON, to check that it is the right report. */
async function openLink(drill: Drill, { url, fingerprint }: ReportLink): Promise<Passed<true>> {
  const { target: { reportBase, reader: as } } = drill;
  if (!url.startsWith(`${reportBase}/report/`)) {
    throw unexpected(`its link does not begin with ${reportBase}: ${shown(url)}`);
  }
  const report = await ask(drill, { url: `${url}.json`, as }, readReport);
  if (report.fingerprint !== fingerprint) throw unexpected('the link leads to another report');
  return { text: `${shown(url)} opens from here.`, found: true };
}

/** The drill's own alert has severity `none`, which is never posted to chat. */
async function postTest(
  { clock, signal, target: { reportBase } }: Drill,
  chat: Chat,
  secret: Secret,
): Promise<StepOutcome> {
  const [url = ''] = secret.values();
  const refusal = await deliver({ clock, url, body: chat.test(`${reportBase}/`), signal });
  if (signal.aborted) return bad('the drill was stopped.', runAgain);
  if (refusal === null) return good('a test message was accepted.');
  const hint = `Check ${secret.name}, and that its host is reached from here.`;
  return bad(sentence(refusal.detail), hint);
}

interface Question {
  readonly url: string;
  readonly as: Credentials;
  /** Posted as JSON; without one the request is a GET. */
  readonly body?: string;
}

/** Throws a FaultError when no valid answer comes in time. */
async function ask<T>(
  { clock, target, signal: outside }: Drill,
  { url, as, body }: Question,
  read: Parser<T>,
): Promise<T> {
  const isPost = body !== undefined;
  // A post is not interrupted: only its answer tells whether there is an alert to resolve.
  const outer = isPost ? never : outside;
  return withDeadline({ clock, ms: answerTimeoutMs, outer }, async (signal) => {
    try {
      const answer = await fetchTransport({
        url, body: body ?? null, method: isPost ? 'POST' : 'GET', signal,
        headers: { ...headersFor(as), ...(isPost && { 'content-type': 'application/json' }) },
      });
      return read(JSON.parse((await readAnswer(answer, answerBytesMax)).toString()), 'answer');
    } catch (error) {
      if (outer.aborted) throw stopped();
      const late = `no complete answer within ${answerTimeoutMs / 1000} s`;
      if (signal.aborted) throw new FaultError({ reason: 'timeout', detail: late });
      const fault = faultOfError(error);
      // Before it is cut, which could leave part of a secret.
      const detail = [target.sender, target.reader].reduce(withoutSecrets, fault.detail);
      throw new FaultError({ ...fault, detail: shown(detail) });
    }
  });
}

function stopped(): FaultError {
  return new FaultError({ reason: 'cancelled', detail: 'the drill was stopped' });
}

function unexpected(detail: string): FaultError {
  return new FaultError({ reason: 'unexpected', detail });
}

function sentence(detail: string): string {
  return `${detail.replace(/\.$/, '')}.`;
}

function shown(detail: string): string {
  return shownText(detail, detailLengthMax);
}

function seconds(clock: Clock, sinceMs: number): string {
  return `${((clock.monotonic() - sinceMs) / 1000).toFixed(2)} s`;
}
