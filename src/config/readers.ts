import { isIP } from 'node:net';
import { type NetworkList, parseNetworkList } from '../lib/network-list.ts';
import type { Reader } from './variables.ts';

/** One line that is not blank. */
export const textLine: Reader<string> = (raw) => {
  if (raw !== '' && !hasControls(raw)) return raw;
  throw new Error('one line that is not blank');
};

/** A path. Only a shell expands `~` and `$`; in an environment file they would be taken as is. */
export const directory: Reader<string> = (raw) => {
  if (raw !== '' && !hasControls(raw) && !/^~|\$\{?\w/.test(raw)) return raw;
  throw new Error('the path of a directory, written out without ~ and $');
};

function hasControls(raw: string): boolean {
  return /[\u0000-\u001f\u007f]/.test(raw);
}

export function integer(min: number, max: number): Reader<number> {
  return (raw) => {
    const value = /^[0-9]+$/.test(raw) ? Number(raw) : Number.NaN;
    if (min <= value && value <= max) return value;
    throw new Error(`a whole number from ${min} to ${max}`);
  };
}

/** A whole number of seconds, kept as milliseconds. */
export function seconds(min: number, max: number): Reader<number> {
  const read = integer(min, max);
  return (raw) => read(raw) * 1000;
}

/** A whole number of days, kept as milliseconds. */
export function days(min: number, max: number): Reader<number> {
  const read = integer(min, max);
  return (raw) => read(raw) * 86_400_000;
}

export const price: Reader<number> = (raw) => {
  const value = /^[0-9]{1,9}(\.[0-9]{1,9})?$/.test(raw) ? Number(raw) : null;
  if (value === null) throw new Error('an amount such as 2.50');
  return value;
};

export function choice<const T extends string>(...allowed: readonly T[]): Reader<T> {
  return (raw) => {
    const found = allowed.find((candidate) => candidate === raw);
    if (found !== undefined) return found;
    throw new Error(`one of ${allowed.join(', ')}`);
  };
}

/** A name or an address to listen on, without a scheme, port or brackets. */
export const host: Reader<string> = (raw) => {
  const bare = raw.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) !== 0) return bare;
  const isName = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/i.test(bare) && !/^[0-9.]+$/.test(bare);
  if (isName && bare.length <= 253) return bare;
  throw new Error('a host name or an IP address without scheme and port');
};

/** User name of a login, in which a colon would end the name. */
export const userName: Reader<string> = (raw) => {
  if (raw !== '' && !raw.includes(':') && !hasControls(raw)) return raw;
  throw new Error('a name without colons or control characters');
};

/** Like `baseUrl`; if the URL holds a login, the error names the variables meant for it. */
export function baseUrlBeside(loginVariables: string): Reader<string> {
  return (raw) => readBaseUrl(raw, ` (give them as ${loginVariables})`);
}

/** Most servers of one source. */
const serversMax = 8;

/**
 * The end of an address that was copied from a page of a source, or from a query to it. Kubernetes
 * itself passes requests on to a service below `/api/v1/namespaces/`.
 */
const belowBase = /\/(?:(?:loki\/)?api\/v\d(?!\/namespaces\/).*|graph|targets)$/;

/** Comma-separated URLs of a source's servers, each as for `baseUrlBeside`. */
export function baseUrlsBeside(loginVariables: string): Reader<readonly string[]> {
  const read = baseUrlBeside(loginVariables);
  return (raw) => {
    const urls = itemsOf(raw).map(read);
    for (const url of urls) {
      const [below] = belowBase.exec(url) ?? [];
      if (below !== undefined) throw new Error(`a base URL, which does not end in ${below}`);
    }
    if (1 <= urls.length && urls.length <= serversMax) return urls;
    throw new Error(`a URL, or up to ${serversMax} separated by commas`);
  };
}

/** An http or https URL to which paths are appended; returned without a trailing slash. */
export const baseUrl: Reader<string> = (raw) => readBaseUrl(raw, '');

function readBaseUrl(raw: string, loginHint: string): string {
  const url = webUrl(raw, loginHint);
  // Not `search` and `hash`: these are empty when nothing follows the `?` or `#`.
  if (/[?#]/.test(url.href)) throw new Error('a URL without query and fragment');
  return url.href.replace(/\/+$/, '');
}

/** An http or https URL, used as it is. The error never quotes it. */
export function webUrl(raw: string, loginHint = ''): URL {
  if (!/^https?:/i.test(raw)) throw new Error('a URL that begins with http:// or https://');
  const url = URL.canParse(raw) ? new URL(raw) : null;
  // To a URL `$HOST` is a valid host; here it is a variable that was not expanded.
  if (url === null || !/^([\w.~-]+|\[.*\])$/.test(url.hostname)) {
    throw new Error('a URL with a valid host and port (IPv6 addresses in brackets)');
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error(`a URL without user and password${loginHint}`);
  }
  return url;
}

/** Whether requests to this URL leave the machine unencrypted. */
export function crossesNetworkInClear(url: string): boolean {
  const isOwnMachine = /^http:\/\/(localhost|127\.[\d.]+|\[::1\])([:/]|$)/.test(url);
  return url.startsWith('http://') && !isOwnMachine;
}

/** Comma-separated addresses and CIDR ranges. */
export const networks: Reader<NetworkList> = (raw) => {
  try {
    return parseNetworkList(itemsOf(raw));
  } catch {
    throw new Error('a comma-separated list of addresses or ranges such as 10.0.0.0/8');
  }
};

function itemsOf(raw: string): string[] {
  return raw.split(/[\s,]+/).filter((item) => item !== '');
}
