import type { EpisodeKey } from '../../alert/episode-key.ts';
import { isFingerprint } from '../../alert/fingerprint.ts';
import type { Clock } from '../../lib/clock.ts';
import type { IncidentView } from '../../report/incident.ts';
import { parseListQuery, type ListFilter, type ListQuery } from '../../report/list-filter.ts';
import { absent, type LiveState, type LiveSubject } from '../../report/live-state.ts';
import type { Report } from '../../report/report.ts';
import type { ReportList } from '../../report/report-list.ts';
import type { Admission } from '../checks/admission.ts';
import { json, type Exchange, type Reply } from '../exchange.ts';
import { refusal } from '../http-errors.ts';
import { pageReply, privateHeaders } from '../page-reply.ts';
import {
  acceptsGzip, isBrowser, preferredRepresentation, type Representation,
} from '../representation.ts';
import { route, type Route } from '../router.ts';
import { createEventsRoutes } from './events-route.ts';
import type { Listeners } from './listeners.ts';
import { episodeNumberIn, isIncidentId } from './segments.ts';
import { SharedReplies } from './shared-replies.ts';

export interface Reports {
  /** The report of an episode; `episode` null means the latest. Null when there is none. */
  find(fingerprint: string, episode: number | null): Promise<Report | null>;
  list(query: ListQuery): Promise<ReportList>;
  /** The recorded answers of the sources, gzipped; null when there is no recording. */
  recording(key: EpisodeKey): Promise<Uint8Array | null>;
  /** Null when there is no such incident. */
  incident(id: string): Promise<IncidentView | null>;
  /** The current state of a subject; null when it does not exist. */
  live(subject: LiveSubject): LiveState | null;
}

/** `now` is wall time in ms; `revision` is the state that a live page shows. */
interface Rendering {
  readonly now: number;
  readonly revision: string;
}

interface ReportRenderers {
  renderReportPage(report: Report, options: Rendering): string;
  renderMarkdown(report: Report): string;
  renderListPage(list: ReportList, options: Rendering & { filter: ListFilter }): string;
  renderIncidentPage(incident: IncidentView, options: Rendering): string;
  /** For a report that may still come: the page reloads itself. */
  renderWaitingPage(options: { fingerprint: string }): string;
  /** `fingerprint` is that of a known alert without the episode asked for, or null. */
  renderNotFoundPage(options: { fingerprint: string | null }): string;
  /** The Content-Security-Policy under which all pages work. */
  readonly pageSecurityPolicy: string;
}

interface ReportRoutesOptions {
  readonly reports: Reports;
  readonly renderers: ReportRenderers;
  readonly admission: Admission;
  readonly listeners: Listeners;
  /** Whether anybody may read. */
  readonly isOpen: boolean;
  readonly clock: Clock;
  /** Whether a connection was accepted in this turn of the event loop. */
  readonly isAccepting: () => boolean;
}

/** The pages for people and the same data for programs. None of them has side effects. */
export function createReportRoutes(options: ReportRoutesOptions): Route[] {
  return readingRoutes(options).map((each) => ({
    ...each,
    handle(exchange) {
      options.admission.reader(exchange);
      return each.handle(exchange);
    },
  }));
}

/** The routes, which readers must be admitted to. */
function readingRoutes(options: ReportRoutesOptions): Route[] {
  const { reports, isAccepting } = options;
  const lists = new SharedReplies(isAccepting);
  const list = (
    { query, headers }: Pick<Exchange, 'query' | 'headers'>,
    representation: Representation,
  ): Promise<Reply> => {
    // The answer repeats the query.
    const isGzipped = query === '' && acceptsGzip(headers['accept-encoding']);
    return lists.reply({ key: `${representation}?${query}`, isGzipped }, () =>
      listReply(query, representation, options));
  };
  // Apart from lists, which need no file: a hanging disk delays only what is read from it.
  const pages = new SharedReplies(isAccepting);
  const page = (
    { path, headers }: Pick<Exchange, 'path' | 'headers'>,
    make: () => Promise<Reply>,
  ): Promise<Reply> => {
    const isGzipped = acceptsGzip(headers['accept-encoding']);
    return pages.reply({ key: `${path} ${headers.accept ?? ''}`, isGzipped }, make);
  };
  return [
    route('list', 'GET', '/', (exchange) =>
      list(exchange, preferredRepresentation(exchange.headers.accept))),
    route('list', 'GET', '/reports.json', (exchange) => list(exchange, 'json')),
    ...createEventsRoutes({
      listeners: options.listeners, stateOf: (subject) => reports.live(subject),
    }),
    route('report', 'GET', '/report/:fingerprint', (exchange) =>
      page(exchange, () => reportReply(exchange, exchange.params, options))),
    route('report', 'GET', '/report/:fingerprint/:episode', (exchange) =>
      page(exchange, () => reportReply(exchange, exchange.params, options))),
    route('report', 'GET', '/report/:fingerprint/:episode/recording', ({ params }) => {
      if (options.isOpen) throw refusal('recordingForbidden');
      const { fingerprint, episode } = params;
      return recordingReply(fingerprint, episode, reports);
    }),
    route('incident', 'GET', '/incident/:id', (exchange) =>
      page(exchange, () => incidentReply(exchange, options))),
  ];
}

/** The segments of a report's address. */
interface ReportAddress {
  readonly fingerprint: string;
  /** Absent for the latest. */
  readonly episode?: string;
}

interface Asked {
  readonly fingerprint: string;
  readonly episode: number | null;
  /** The format named by the address's suffix; null without one. */
  readonly suffix: Representation | null;
}

/** The reports that an address may mean, in the order in which they are looked for. */
function askedBy({ fingerprint, episode }: ReportAddress): Asked[] {
  const [name, suffix] = splitSuffix(episode ?? fingerprint);
  if (episode !== undefined) {
    const number = episodeNumberIn(name);
    return number === null ? [] : [{ fingerprint, episode: number, suffix }];
  }
  // A fingerprint may itself end like a suffix.
  const whole = { fingerprint, episode: null, suffix: null };
  return suffix === null ? [whole] : [whole, { fingerprint: name, episode: null, suffix }];
}

async function reportReply(
  exchange: Pick<Exchange, 'headers' | 'path'>,
  address: ReportAddress,
  options: ReportRoutesOptions,
): Promise<Reply> {
  const { reports, renderers } = options;
  for (const { fingerprint, episode, suffix } of askedBy(address)) {
    if (!isFingerprint(fingerprint)) continue;
    const shown = rendering({ kind: 'report', fingerprint, episode }, options);
    const report = await reports.find(fingerprint, episode);
    if (report === null) continue;
    const representation = suffix ?? preferredRepresentation(exchange.headers.accept);
    if (representation === 'json') return json(200, report, privateHeaders);
    if (representation === 'html') {
      return pageReply(renderers.renderReportPage(report, shown), renderers);
    }
    return {
      status: 200,
      contentType: 'text/markdown; charset=utf-8',
      body: renderers.renderMarkdown(report),
      headers: privateHeaders,
    };
  }
  return notFoundReply(exchange, renderers, () => missingPage(address, options));
}

function missingPage(
  { fingerprint, episode }: ReportAddress,
  { reports, renderers }: ReportRoutesOptions,
): string {
  if (!isFingerprint(fingerprint)) return renderers.renderNotFoundPage({ fingerprint: null });
  if (episode === undefined) return renderers.renderWaitingPage({ fingerprint });
  const newest = reports.live({ kind: 'report', fingerprint, episode: null });
  const isKnown = newest !== null && newest.episode !== null;
  return renderers.renderNotFoundPage({ fingerprint: isKnown ? fingerprint : null });
}

/** Call before the subject is read, so that a change meanwhile counts as a new revision. */
function rendering(subject: LiveSubject, { reports, clock }: ReportRoutesOptions): Rendering {
  return { now: clock.now(), revision: (reports.live(subject) ?? absent).revision };
}

function splitSuffix(address: string): [name: string, suffix: Representation | null] {
  if (address.endsWith('.json')) return [address.slice(0, -'.json'.length), 'json'];
  if (address.endsWith('.md')) return [address.slice(0, -'.md'.length), 'markdown'];
  return [address, null];
}

/** A download; sent as the gzip file it is, not as a content encoding. */
async function recordingReply(
  fingerprint: string,
  digits: string,
  reports: Reports,
): Promise<Reply> {
  const number = episodeNumberIn(digits);
  const isKey = isFingerprint(fingerprint) && number !== null;
  const body = isKey ? await reports.recording({ fingerprint, number }) : null;
  if (body === null) throw refusal('recordingNotFound');
  const name = fingerprint.replace(/[^\w.-]/g, '_').slice(0, 64);
  const disposition = `attachment; filename="${name}-${digits}.recording.json.gz"`;
  return {
    status: 200, contentType: 'application/gzip', body,
    headers: [...privateHeaders, 'Content-Disposition', disposition],
  };
}

/** An invalid query is not an error: a mangled link still shows the list. */
async function listReply(
  query: string,
  representation: Representation,
  options: ReportRoutesOptions,
): Promise<Reply> {
  const { reports, renderers } = options;
  const asked = parseListQuery(query);
  const shown = rendering({ kind: 'list' }, options);
  const list = await reports.list(asked);
  if (representation === 'json') return json(200, list, privateHeaders);
  const { filter } = asked;
  return pageReply(renderers.renderListPage(list, { ...shown, filter }), renderers);
}

async function incidentReply(
  exchange: Pick<Exchange, 'headers' | 'path'> & { params: { id: string } },
  options: ReportRoutesOptions,
): Promise<Reply> {
  const { reports, renderers } = options;
  const [id, suffix] = splitSuffix(exchange.params.id);
  const isKnown = isIncidentId(id) && suffix !== 'markdown';
  const shown = rendering({ kind: 'incident', id }, options);
  const found = isKnown ? await reports.incident(id) : null;
  if (found === null) {
    return notFoundReply(exchange, renderers, () =>
      renderers.renderNotFoundPage({ fingerprint: null }));
  }
  const representation = suffix ?? preferredRepresentation(exchange.headers.accept);
  if (representation === 'json') return json(200, found, privateHeaders);
  return pageReply(renderers.renderIncidentPage(found, shown), renderers);
}

/** A page for browsers, a 404 for programs. */
function notFoundReply(
  { headers, path }: Pick<Exchange, 'headers' | 'path'>,
  renderers: ReportRenderers,
  render: () => string,
): Reply {
  const asksForData = path.endsWith('.json') || path.endsWith('.md');
  if (asksForData || !isBrowser(headers.accept)) throw refusal('reportNotFound');
  return { ...pageReply(render(), renderers), status: 404 };
}
