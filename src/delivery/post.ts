import type { Clock } from '../lib/clock.ts';
import { withDeadline } from '../lib/deadline.ts';
import { fetchTransport } from '../lib/fetch-transport.ts';
import { retryAfterMs } from '../lib/retry-after.ts';
import { shownText } from '../report/shown-text.ts';
import { faultIn } from '../sources/read-answer.ts';
import { faultOfError, type FailureReason, type Fault } from '../sources/source-failure.ts';
import type { Rejection } from './deliveries.ts';

/** Long, as some receivers do all their work before they answer, and a timeout posts again. */
const answerTimeoutMs = 30_000;
const detailLengthMax = 200;

interface Posted {
  readonly clock: Clock;
  readonly url: string;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** Resolves to null once the receiver has accepted it; never rejects. */
export async function post({ clock, url, body, signal: outer }: Posted): Promise<Rejection | null> {
  return withDeadline({ clock, ms: answerTimeoutMs, outer }, async (signal) => {
    try {
      const answer = await fetchTransport({
        url, body, method: 'POST', signal,
        headers: { 'content-type': 'application/json', 'user-agent': 'alert-analyst' },
      });
      const fault = await faultIn(answer);
      const waitMs = retryAfterMs(answer.headers['retry-after'], clock.now());
      return fault && refusalOf(fault, url, waitMs);
    } catch (error) {
      const detail = `no complete answer within ${answerTimeoutMs / 1000} s`;
      const fault: Fault = signal.aborted ? { reason: 'timeout', detail } : faultOfError(error);
      return refusalOf(fault, url, null);
    }
  });
}

/** Failures after which the same report may well be accepted later. */
const transient: ReadonlySet<FailureReason> = new Set([
  'timeout', 'connection', 'tls', 'rate_limited', 'server_error',
]);

function refusalOf(fault: Fault, url: string, waitMs: number | null): Rejection {
  const detail = shownText(withoutPath(fault.detail, url), detailLengthMax);
  return { detail, isTransient: transient.has(fault.reason), retryAfterMs: waitMs };
}

/** Shorter segments are not secrets, and are too common to be redacted. */
const secretLengthMin = 8;

/** Some servers quote the path in an error, and for webhooks the path is the secret. */
function withoutPath(text: string, url: string): string {
  const { pathname, search } = new URL(url);
  const path = `${pathname}${search}`;
  return [path, ...path.split(/[/?&=]/)]
    .filter(({ length }) => length >= secretLengthMin)
    .reduce((rest, part) => rest.replaceAll(part, '***'), text);
}
