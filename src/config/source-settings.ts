import { readCertificates } from './certificates.ts';
import { readLogin, type Login } from './login.ts';
import { baseUrlsBeside, crossesNetworkInClear, seconds } from './readers.ts';
import type { Secret } from './secret.ts';
import { headerValue, type SecretFormat } from './secret-format.ts';
import type { Variables } from './variables.ts';

export interface SourceSettings {
  /**
   * Addresses of all its servers, at least one. Several servers have the same data, or are the
   * Prometheus servers of several clusters. Without a trailing slash; may have a path prefix.
   */
  readonly urls: readonly string[];
  readonly token: Secret | null;
  readonly login: Login | null;
  /** `Name: value` lines, see `parseHeaders`; secret because values often are. */
  readonly headers: Secret | null;
  /** PEM certificates as the file held them at start-up; null trusts the public CAs. */
  readonly ca: string | null;
  readonly timeoutMs: number;
}

/** The sources that investigations query; null: not configured. */
export interface AskedSources {
  readonly prometheus: SourceSettings | null;
  readonly alertmanager: SourceSettings | null;
  readonly loki: SourceSettings | null;
  readonly kubernetes: SourceSettings | null;
}

export function readAskedSources(env: Variables): AskedSources {
  return {
    prometheus: readSource(env, 'PROMETHEUS', 'Prometheus'),
    alertmanager: readSource(env, 'ALERTMANAGER', 'Alertmanager'),
    loki: readSource(env, 'LOKI', 'Loki'),
    kubernetes: readSource(
      env, 'KUBERNETES', 'the Kubernetes API of one cluster', 'unset; in a pod, its cluster',
    ),
  };
}

/** Splits the `Name: value` lines of a headers setting into pairs. */
export function parseHeaders(lines: readonly string[]): readonly (readonly [string, string])[] {
  return lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const;
  });
}

function readSource(
  env: Variables,
  prefix: string,
  title: string,
  shown = 'unset',
): SourceSettings | null {
  const urls = env.read(`${prefix}_URL`, baseUrlsBeside(`${prefix}_USER and ${prefix}_PASSWORD`), {
    fallback: null, shown,
    help: `Base URL of ${title}, including any path prefix; of several servers all, separated by ` +
      'commas.',
  });
  const rest = {
    login: readLogin(env, prefix, { user: 'User name for it.', password: 'Password for it.' }),
    token: env.readSecret(`${prefix}_TOKEN`, { format: headerValue, help: 'Bearer token for it.' }),
    headers: env.readSecret(`${prefix}_HEADERS`, {
      format: headerLines, help: 'Extra headers for it: "Name: value", separated by ";".',
    }),
    ca: env.read(`${prefix}_CA_FILE`, readCertificates, {
      fallback: null, help: 'PEM file of the CA certificates to trust for it.',
    }),
    timeoutMs: env.read(`${prefix}_TIMEOUT_SECONDS`, seconds(1, 300), {
      fallback: '15', help: 'Time limit of one query to it.',
    }),
  };
  checkSource(env, prefix, { urls, headers: rest.headers });
  return urls === null ? null : { urls, ...rest };
}

/** Pages of Prometheus that servers also have as their path prefix. */
const pageOrPrefix = /\/(?:query|alerts)$/;

function checkSource(
  env: Variables,
  prefix: string,
  { urls, headers }: { readonly urls: readonly string[] | null; readonly headers: Secret | null },
): void {
  const isSet = (name: string): boolean => env.isSet(`${prefix}_${name}`);
  const ways = [
    isSet('TOKEN') && `${prefix}_TOKEN`,
    isSet('USER') && isSet('PASSWORD') && `${prefix}_USER`,
    hasAuthorization(headers) && `the Authorization of ${prefix}_HEADERS`,
  ].filter((way) => way !== false);
  if (ways.length > 1) env.problems.push(`${ways.join(' and ')} exclude each other: give only one`);
  const needsUrl = ['TOKEN', 'USER', 'PASSWORD', 'HEADERS', 'CA_FILE', 'TIMEOUT_SECONDS'];
  if (!isSet('URL')) env.warnOfIdle(needsUrl.map((name) => `${prefix}_${name}`), `${prefix}_URL`);
  const [page] = (urls ?? []).flatMap((url) => pageOrPrefix.exec(url) ?? []);
  if (page !== undefined) {
    env.warnings.push(`${prefix}_URL ends in ${page}: remove that unless it is a path prefix`);
  }
  if (urls !== null && ways.length > 0 && urls.some(crossesNetworkInClear)) {
    env.warnings.push(`${prefix}_URL is http: its credentials are sent unencrypted`);
  }
}

function hasAuthorization(headers: Secret | null): boolean {
  const pairs = parseHeaders(headers?.values() ?? []);
  return pairs.some(([name]) => name.toLowerCase() === 'authorization');
}

/** Headers that the HTTP client sets itself. */
const reserved = /^(host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect)$/i;

const headerLines: SecretFormat = (content) => {
  const lines = content.split(/[\r\n;]+/).map((line) => line.trim()).filter((line) => line !== '');
  if (lines.length === 0) throw new Error('is empty');
  for (const line of lines) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]*:[ \t]*[\u0020-\u007e]+$/.test(line)) {
      throw new Error('must be "Name: value" pairs, separated by ";"');
    }
  }
  const names = parseHeaders(lines).map(([name]) => name);
  if (names.some((name) => reserved.test(name))) {
    throw new Error('must not set a header of the connection, such as Host or Content-Length');
  }
  return lines;
};
