import type { NetworkList } from '../lib/network-list.ts';
import { pairProblem, pemFile } from './certificates.ts';
import { readLogin, type Login } from './login.ts';
import { baseUrl, choice, host, integer, networks } from './readers.ts';
import type { Secret } from './secret.ts';
import { tokenLines } from './secret-format.ts';
import type { Variables } from './variables.ts';

export interface HttpSettings {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Null: built from host and port once the service listens, see `reportBaseUrl`. */
  readonly reportBaseUrl: string | null;
  /** PEM files; null serves plain http. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  /** Proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: NetworkList;
  readonly bodyLimitBytes: number;
  readonly access: AccessSettings;
  /** `auto` answers 503 to Alertmanager, which never retries a 429, and 429 to everybody else. */
  readonly webhookLimits: LimitSettings & { readonly status: 'auto' | '429' | '503' };
  readonly readLimits: LimitSettings;
}

interface AccessSettings {
  /** Null when no token is configured: the webhook is then open to everybody. */
  readonly token: Secret | null;
  readonly readAuth: 'open' | 'basic' | 'token';
  /** Null when no login is configured. Always set when `readAuth` is `basic`. */
  readonly login: Login | null;
}

/** Requests per minute; 0 means no limit. */
interface LimitSettings {
  readonly perClient: number;
  readonly total: number;
}

export function readHttpSettings(env: Variables): HttpSettings {
  env.group('Listening');
  const address = readAddress(env);
  env.group('Access');
  const access = readAccess(env);
  env.group('Limits');
  const limits = readLimits(env);
  const settings = { ...address, access, ...limits };
  warnOfOpenAccess(env, settings);
  return settings;
}

/** The base of all links to reports; `port` is the port that the service listens on. */
export function reportBaseUrl(settings: HttpSettings, port: number): string {
  return settings.reportBaseUrl ?? listeningUrl(settings, port);
}

/** The address of the service as seen from this machine, e.g. `http://127.0.0.1:8080`. */
export function listeningUrl(settings: Pick<HttpSettings, 'host' | 'tls'>, port: number): string {
  const scheme = settings.tls === null ? 'http' : 'https';
  const name = isWildcard(settings.host) ? 'localhost' : settings.host;
  return `${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function readAddress(
  env: Variables,
): Pick<HttpSettings, 'host' | 'port' | 'reportBaseUrl' | 'tls' | 'trustedProxies'> {
  return {
    host: env.read('HOST', host, { fallback: '127.0.0.1', help: 'Address to listen on.' }),
    port: env.read('PORT', integer(0, 65_535), {
      fallback: '8080', help: 'Port to listen on; 0 picks a free one.',
    }),
    reportBaseUrl: env.read('REPORT_BASE_URL', baseUrl, {
      fallback: null,
      shown: 'from HOST and PORT',
      help: 'Base URL of links to reports: the address at which people reach this service.',
    }),
    tls: readTls(env),
    trustedProxies: env.read('TRUSTED_PROXIES', networks, {
      fallback: '',
      shown: 'none',
      help: 'Addresses and CIDR ranges whose X-Forwarded-For is trusted, comma-separated.',
    }),
  };
}

function readTls(env: Variables): HttpSettings['tls'] {
  const file = (name: string, what: string): string | null =>
    env.read(name, pemFile, {
      fallback: null, help: `${what} (PEM file) for https, reloaded on SIGHUP.`,
    });
  const certFile = file('TLS_CERT_FILE', 'Certificate chain');
  const keyFile = file('TLS_KEY_FILE', 'Private key');
  env.requireBoth('TLS_CERT_FILE', 'TLS_KEY_FILE');
  if (certFile === null || keyFile === null) return null;
  const problem = pairProblem(certFile, keyFile);
  if (problem !== null) {
    env.problems.push(
      'TLS_CERT_FILE and TLS_KEY_FILE must be a certificate and its private key, without a ' +
        `passphrase (${problem})`,
    );
  }
  return { certFile, keyFile };
}

function readAccess(env: Variables): AccessSettings {
  const token = env.readSecret('ACCESS_TOKEN', {
    format: tokenLines,
    help: 'Bearer token required of senders; in a file, each line is a valid token.',
  });
  const readAuth = env.read('READ_AUTH', choice('open', 'basic', 'token'), {
    fallback: 'open',
    help: 'Who may read reports and metrics: open (anybody), basic (needs the login) or token.',
  });
  const login = readLogin(env, 'READ', {
    user: 'User name of the login.', password: 'Password of the login.',
  });
  if (readAuth === 'basic' && !env.isSet('READ_USER') && !env.isSet('READ_PASSWORD')) {
    env.problems.push('READ_AUTH=basic needs READ_USER and READ_PASSWORD');
  }
  if (readAuth === 'token' && !env.isSet('ACCESS_TOKEN')) {
    env.problems.push('READ_AUTH=token needs ACCESS_TOKEN');
  }
  return { token, readAuth, login };
}

function readLimits(
  env: Variables,
): Pick<HttpSettings, 'bodyLimitBytes' | 'webhookLimits' | 'readLimits'> {
  const perMinute = (name: string, fallback: string, help: string): number =>
    env.read(name, integer(0, 1_000_000), { fallback, help: `${help} per minute; 0: no limit.` });
  return {
    webhookLimits: {
      perClient: perMinute('RATE_LIMIT_PER_CLIENT', '100', 'Webhook requests from one address'),
      total: perMinute('RATE_LIMIT_TOTAL', '1000', 'Webhook requests in total'),
      status: env.read('RATE_LIMIT_STATUS', choice('auto', '429', '503'), {
        fallback: 'auto',
        help:
          'Status of requests above the limit: 429, 503, or auto, which is 503 for Alertmanager ' +
          '(it never retries a 429) and 429 for others.',
      }),
    },
    readLimits: {
      perClient: perMinute('READ_LIMIT_PER_CLIENT', '600', 'Page requests of one address'),
      total: perMinute('READ_LIMIT_TOTAL', '6000', 'Page requests in all'),
    },
    // Has to fit into one journal record, together with the decisions on its alerts.
    bodyLimitBytes: env.read('BODY_LIMIT_BYTES', integer(1, 2 ** 27), {
      fallback: '16777216', help: 'Largest notification accepted.',
    }),
  };
}

function warnOfOpenAccess(env: Variables, settings: HttpSettings): void {
  const { access, host: name } = settings;
  const reached = isWildcard(name) ? 'this machine' : name;
  if (!env.isSet('ACCESS_TOKEN')) {
    const reach = isLoopback(name)
      ? 'any program on this machine can post alerts'
      : `ANYBODY who can reach ${reached} can post alerts; set ACCESS_TOKEN or listen on 127.0.0.1`;
    env.warnings.push(`ACCESS_TOKEN is not set, so the webhook is open: ${reach}`);
  }
  warnOfGuessable(env, access.token, 16);
  warnOfGuessable(env, access.login?.password ?? null, 12);
  if (access.readAuth === 'open' && !isLoopback(name)) {
    env.warnings.push(`READ_AUTH is open: reports can be read by anybody who can reach ${reached}`);
  }
  if (settings.reportBaseUrl === null && isWildcard(name)) {
    env.warnings.push(
      'Links to reports lead to localhost: set REPORT_BASE_URL so that they work elsewhere',
    );
  }
}

function warnOfGuessable(env: Variables, secret: Secret | null, lengthMin: number): void {
  if (secret?.values().some(({ length }) => length < lengthMin) !== true) return;
  env.warnings.push(`${secret.name} has fewer than ${lengthMin} characters and may be guessed`);
}

function isWildcard(name: string): boolean {
  return name === '0.0.0.0' || /^[0:]+$/.test(name);
}

/** Whether only this machine can reach it: `::1` in every spelling, 127.0.0.0/8, `localhost`. */
export function isLoopback(name: string): boolean {
  return /^localhost\.?$/i.test(name) || /^127\.[\d.]+$/.test(name) || /^[0:]*:0*1$/.test(name);
}
