import { faultOfHttp, type HttpFault } from '../lib/http-fault.ts';
import { FormatError } from '../lib/parse.ts';
import type { SourceIdentity } from './source-access.ts';

/** Why a source gave no usable answer. A closed set: it is the label of a metric. */
export const failureReasons = [
  'timeout', 'connection', 'tls', 'unauthorized', 'not_found', 'rate_limited', 'bad_query',
  'server_error', 'too_large', 'not_json', 'unexpected', 'cancelled', 'not_recorded',
] as const;

export type FailureReason = (typeof failureReasons)[number];

/** Failures that pass by themselves, such as a server that is busy or restarting. */
const passingReasons: ReadonlySet<FailureReason> = new Set([
  'timeout', 'connection', 'server_error', 'rate_limited', 'cancelled',
]);

/** Whether asking again in a few minutes may succeed. */
export function mayPass(reason: FailureReason): boolean {
  return passingReasons.has(reason);
}

/** What went wrong, where the source is not known yet. */
export interface Fault {
  readonly reason: FailureReason;
  /** One short line without secrets or addresses. */
  readonly detail: string;
  /** Null when there was no answer. */
  readonly status?: number | null;
  /** Whether an immediate retry may succeed. */
  readonly isTransient?: boolean;
}

/** Thrown by every method of every source; nothing else is. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
  readonly reason: FailureReason;
  readonly detail: string;
  /** What an operator can do about it, naming the setting. */
  readonly hint: string;
  readonly status: number | null;
  readonly isTransient: boolean;

  constructor(source: SourceIdentity, fault: Fault) {
    super(`Cannot read from ${source.title}: ${fault.detail}`);
    this.reason = fault.reason;
    this.detail = fault.detail;
    this.hint = (fault.status === 403 ? source.forbiddenHint : null) ??
      hintFor(fault.reason, source);
    this.status = fault.status ?? null;
    this.isTransient = fault.isTransient ?? false;
  }
}

/** Carries a fault up to where the source is known. */
export class FaultError extends Error {
  override readonly name = 'FaultError';
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.detail);
    this.fault = fault;
  }
}

function hintFor(reason: FailureReason, { title, prefix }: SourceIdentity): string {
  const hints: Readonly<Record<FailureReason, string>> = {
    timeout: `Check the load on ${title}, or raise ${prefix}_TIMEOUT_SECONDS.`,
    connection: `Check ${prefix}_URL, and that ${title} is up and reachable from here.`,
    tls: `Check that the certificate is current and for the host in ${prefix}_URL, and that ` +
      `${prefix}_CA_FILE holds the authority that signed it.`,
    unauthorized: `Check ${prefix}_TOKEN, or ${prefix}_USER and ${prefix}_PASSWORD, and their ` +
      'permissions.',
    not_found: `Check the path prefix in ${prefix}_URL.`,
    rate_limited: `Raise the rate limit for this service at ${title} or the proxy in front of it.`,
    bad_query: `Try the query in ${title}: its version may not support all that it uses.`,
    server_error: `Check the log of ${title} or of the proxy in front of it.`,
    too_large: 'Ask for less: a shorter time range or fewer series.',
    not_json: `Check ${prefix}_URL: a login page or another program may answer there.`,
    unexpected: `Check ${prefix}_URL: another program, a redirecting proxy or an https port may ` +
      'answer there.',
    cancelled: 'Analyse the alert again if this evidence is needed.',
    not_recorded: 'Analyse the alert itself: a replay holds only what was asked when recorded.',
  };
  return hints[reason];
}

/** The fault behind an HTTP status other than 2xx. `body` is the source's own text or empty. */
export function faultOfStatus(status: number, body: string): Fault {
  const detail = body === '' ? `it answered ${status}` : `it answered ${status}: ${body}`;
  // Prometheus answers 503 when a query hit its time limit; a retry would only add load.
  if (status === 503 && /time(d )?\s?out/i.test(body)) return { reason: 'timeout', detail, status };
  if (status === 400 && wantsTls.test(body)) return { reason: 'unexpected', detail, status };
  if (status === 400 && noSuchPath.test(body)) return { reason: 'not_found', detail, status };
  if (status === 422 && tooMuch.test(body)) return { reason: 'too_large', detail, status };
  const reason = reasons.get(status) ?? (status >= 500 ? 'server_error' : 'unexpected');
  return { reason, detail, status, isTransient: reason === 'server_error' };
}

/** VictoriaMetrics and vmauth answer unknown paths with 400. */
const noSuchPath = /unsupported path requested|missing -http\.pathPrefix|missing route for/;
/** How a server of Go answers plain HTTP on its https port. */
const wantsTls = /HTTP request to an HTTPS server/;
/** How Prometheus, Mimir and VictoriaMetrics refuse a query that reads too much. */
const tooMuch = /\btoo many\b|\bexceed(s|ed|ing)?\b/i;

const reasons: ReadonlyMap<number, FailureReason> = new Map([
  [400, 'bad_query'], [401, 'unauthorized'], [403, 'unauthorized'], [404, 'not_found'],
  [406, 'bad_query'], [407, 'unauthorized'], [408, 'timeout'], [410, 'not_found'],
  [413, 'bad_query'], [414, 'bad_query'], [422, 'bad_query'], [429, 'rate_limited'],
  [431, 'bad_query'], [499, 'server_error'], [504, 'timeout'],
]);

const reasonsOfHttp: Readonly<Record<HttpFault['kind'], FailureReason>> = {
  redirect: 'unexpected', plain: 'connection', tls: 'tls',
  unreachable: 'connection', reset: 'connection', unknown: 'unexpected',
};

/**
 * The fault behind a thrown error. The runtime's own messages are not passed on: they can contain
 * addresses, and invalid headers.
 */
export function faultOfError(error: unknown): Fault {
  if (error instanceof FaultError) return error.fault;
  if (error instanceof SyntaxError) {
    return { reason: 'not_json', detail: 'its answer is not valid JSON' };
  }
  if (error instanceof FormatError) {
    const detail = `its answer has an unexpected format: ${error.message}`;
    return { reason: 'unexpected', detail };
  }
  const { kind, text } = faultOfHttp(error);
  return { reason: reasonsOfHttp[kind], detail: text, isTransient: kind === 'reset' };
}
