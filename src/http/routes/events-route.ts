import { isFingerprint } from '../../alert/fingerprint.ts';
import type { LiveState, LiveSubject } from '../../report/live-state.ts';
import { uncached, type Exchange, type HeaderList, type Reply } from '../exchange.ts';
import { refusal } from '../http-errors.ts';
import { route, type Route } from '../router.ts';
import type { Listeners } from './listeners.ts';
import { episodeNumberIn, isIncidentId } from './segments.ts';

interface EventsRoutesOptions {
  readonly listeners: Listeners;
  readonly stateOf: (subject: LiveSubject) => LiveState | null;
}

/**
 * Streams of events for open pages: the address of the page, followed by `/events`. A fingerprint
 * is a whole segment here, so a suffix such as `.json` is part of it. The caller admits readers.
 */
export function createEventsRoutes({ listeners, stateOf }: EventsRoutesOptions): Route[] {
  const listen = (exchange: Asking, subject: LiveSubject | null): Reply => {
    const { client, headers } = exchange;
    if (subject === null || stateOf(subject) === null) throw refusal('reportNotFound');
    listeners.refuseIfFull(client);
    return {
      status: 200,
      contentType: 'text/event-stream; charset=utf-8',
      body: '',
      headers: streamHeaders,
      stream(output) {
        listeners.add({ client, subject, known: knownTo(headers), output });
      },
    };
  };
  return [
    route('events', 'GET', '/events', (exchange) => listen(exchange, { kind: 'list' })),
    route('events', 'GET', '/report/:fingerprint/events', (exchange) =>
      listen(exchange, reportSubject(exchange.params.fingerprint, null))),
    route('events', 'GET', '/report/:fingerprint/:episode/events', (exchange) => {
      const { fingerprint, episode } = exchange.params;
      return listen(exchange, reportSubject(fingerprint, episode));
    }),
    route('events', 'GET', '/incident/:id/events', (exchange) => {
      const { id } = exchange.params;
      return listen(exchange, isIncidentId(id) ? { kind: 'incident', id } : null);
    }),
  ];
}

type Asking = Pick<Exchange, 'client' | 'headers'>;

function reportSubject(fingerprint: string, digits: string | null): LiveSubject | null {
  const episode = digits === null ? null : episodeNumberIn(digits);
  const isUnknown = digits !== null && episode === null;
  return isUnknown || !isFingerprint(fingerprint) ? null : { kind: 'report', fingerprint, episode };
}

/** The last revision that a reconnecting browser has seen. */
function knownTo(headers: Exchange['headers']): string | null {
  const known = headers['last-event-id'];
  return typeof known === 'string' && known !== '' ? known : null;
}

/** The last one tells nginx not to buffer events. */
const streamHeaders: HeaderList = [
  ...uncached,
  'X-Content-Type-Options', 'nosniff',
  'Cross-Origin-Resource-Policy', 'same-origin',
  'X-Accel-Buffering', 'no',
];
