import { timingSafeEqual } from 'node:crypto';
import type { Exchange } from '../exchange.ts';
import { refusal } from '../http-errors.ts';

/** Throws HttpError 401 unless the request may pass. */
export type AccessCheck = (exchange: Exchange) => void;

/**
 * What lets a request pass: a token, a login, or either. Null is not configured; an empty list lets
 * nobody pass. Called for each request, so that tokens and passwords can rotate.
 */
export interface Access {
  readonly tokens: (() => readonly string[]) | null;
  readonly logins: (() => readonly Login[]) | null;
}

interface Login {
  readonly user: string;
  readonly password: string;
}

/** Lets everybody pass if neither is configured. */
export function createAccessCheck(access: Access): AccessCheck {
  const { tokens, logins } = access;
  if (tokens === null && logins === null) return () => {};
  const isExpected = createComparison(() => [
    ...(tokens?.() ?? []).map((token) => `Bearer ${token}`),
    ...(logins?.() ?? []).map(basicField),
  ]);
  // Browsers can ask their users only for a login.
  const challenge = logins === null ? 'Bearer' : 'Basic realm="alert-analyst", charset="UTF-8"';
  return (exchange) => {
    if (isExpected(authorizationOf(exchange))) return;
    const headers = ['WWW-Authenticate', challenge];
    // A browser's first request has none: the answer makes it ask for them.
    const isWarning = exchange.headers.authorization !== undefined;
    throw refusal('unauthorized', { headers, why: whyNot(exchange, access), isWarning });
  };
}

/** Never quotes the presented credentials: they may be valid elsewhere. */
function whyNot(exchange: Exchange, { tokens, logins }: Access): string {
  const presented = authorizationOf(exchange);
  if (presented === '') return 'There is no Authorization header, or more than one';
  const schemes = [
    ...(tokens === null ? [] : [{ scheme: 'Bearer ', settings: 'ACCESS_TOKEN' }]),
    ...(logins === null ? [] : [{ scheme: 'Basic ', settings: 'READ_USER and READ_PASSWORD' }]),
  ];
  const known = schemes.find(({ scheme }) => presented.startsWith(scheme));
  if (known !== undefined) return `The credentials do not match ${known.settings}`;
  const accepted = schemes.map(({ scheme }) => `"${scheme}…"`).join(' or ');
  return `The Authorization header is not ${accepted}`;
}

function basicField({ user, password }: Login): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** Empty unless there is exactly one. */
function authorizationOf({ headers, rawHeaders }: Exchange): string {
  let fields = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 13 && name.toLowerCase() === 'authorization') fields += 1;
  }
  const presented = fields === 1 ? (headers.authorization ?? '') : '';
  // The scheme's case does not matter (RFC 9110, 11.1).
  return presented.replace(/^(?:bearer|basic) /iu, (scheme) =>
    (scheme[0] ?? '').toUpperCase() + scheme.slice(1).toLowerCase());
}

/**
 * Compares in constant time with every expected text. All are padded to one length, plus a byte
 * that differs if the presented text is longer. The padded texts are reused until one changes.
 */
function createComparison(expected: () => readonly string[]): (presented: string) => boolean {
  let paddedOf = '';
  let padded: readonly Buffer[] = [];
  let scratch = Buffer.alloc(0);
  return (presented) => {
    const texts = expected();
    const all = texts.join('\n');
    if (all !== paddedOf) {
      const width = Math.max(0, ...texts.map((text) => Buffer.byteLength(text))) + 1;
      padded = texts.map((text) => Buffer.concat([Buffer.from(text)], width));
      scratch = Buffer.alloc(width);
      paddedOf = all;
    }
    scratch.fill(0);
    scratch.write(presented, 'latin1'); // As Node decoded it, so these are the bytes as sent.
    let matches = 0;
    for (const candidate of padded) matches += timingSafeEqual(scratch, candidate) ? 1 : 0;
    return matches > 0;
  };
}
