import { timingSafeEqual } from 'node:crypto';
import type { Exchange } from '../exchange.ts';
import { unauthorized } from '../http-errors.ts';

/** Throws HttpError 401 unless the request may pass. */
export type AccessCheck = (exchange: Exchange) => void;

/** Called for each request, so that tokens can rotate. Empty: none is configured. */
export type Tokens = () => readonly string[];

/** Called for each request, so that the password can rotate. Empty: nobody gets in. */
export type Logins = () => readonly Login[];

/** Who may read reports and metrics. */
export type ReadAccess =
  | { readonly kind: 'open' }
  | { readonly kind: 'token'; readonly tokens: Tokens }
  | { readonly kind: 'basic'; readonly logins: Logins };

interface Login {
  readonly user: string;
  readonly password: string;
}

/** Open while no token is configured; otherwise requires exactly `Bearer <token>`. */
export function createTokenCheck(tokens: Tokens): AccessCheck {
  const isExpected = createComparison(() => tokens().map((token) => `Bearer ${token}`), tokens);
  return (exchange) => {
    if (tokens().length === 0) return;
    if (isExpected(authorizationOf(exchange))) return;
    throw unauthorized('Bearer', whyNot(exchange, 'Bearer ', 'ACCESS_TOKEN'));
  };
}

/** Refuses everybody when a token is required and none is configured. */
export function createReadCheck(access: ReadAccess): AccessCheck {
  if (access.kind === 'open') return () => {};
  if (access.kind === 'token') {
    const check = createTokenCheck(access.tokens);
    return (exchange) => {
      if (access.tokens().length === 0) throw unauthorized('Bearer', 'ACCESS_TOKEN is not set');
      check(exchange);
    };
  }
  const isExpected = createComparison(() => access.logins().map(basicField), null);
  return (exchange) => {
    if (isExpected(authorizationOf(exchange))) return;
    throw unauthorized(basicChallenge, whyNot(exchange, 'Basic ', 'READ_USER and READ_PASSWORD'));
  };
}

/** Who may write. Null: not configured; if both are null, everybody may. */
export interface WriteAccess {
  readonly tokens: Tokens | null;
  readonly logins: Logins | null;
}

/** Accepts the token or the login. Challenges for the login, as browsers can prompt only for it. */
export function createWriteCheck({ tokens, logins }: WriteAccess): AccessCheck {
  if (tokens === null && logins === null) return () => {};
  const isExpected = createComparison(() => [
    ...(tokens?.() ?? []).map((token) => `Bearer ${token}`),
    ...(logins?.() ?? []).map(basicField),
  ], null);
  return (exchange) => {
    if (!isExpected(authorizationOf(exchange))) {
      const why = 'The credentials match neither ACCESS_TOKEN nor READ_USER and READ_PASSWORD';
      throw unauthorized(logins === null ? 'Bearer' : basicChallenge, why);
    }
  };
}

/** Never quotes the presented credentials: they may be valid elsewhere. */
function whyNot(exchange: Exchange, scheme: string, settings: string): string {
  const presented = authorizationOf(exchange);
  if (presented === '') return 'There is no Authorization header, or more than one';
  if (!presented.startsWith(scheme)) return `The Authorization header is not "${scheme}…"`;
  return `The credentials do not match ${settings}`;
}

const basicChallenge = 'Basic realm="alert-analyst", charset="UTF-8"';

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
  return fields === 1 ? (headers.authorization ?? '') : '';
}

/**
 * Compares in constant time with every expected text. All are padded to one length, plus a byte
 * that differs if the presented text is longer. The padded texts are reused for as long as
 * `version` returns the same object; null means never.
 */
function createComparison(
  expected: () => readonly string[],
  version: (() => object) | null,
): (presented: string) => boolean {
  let madeFor: object | null = null;
  let padded: readonly Buffer[] = [];
  let scratch = Buffer.alloc(0);
  return (presented) => {
    const current = version?.() ?? null;
    if (current === null || current !== madeFor) {
      padded = padAlike(expected());
      scratch = Buffer.alloc(padded[0]?.length ?? 0);
      madeFor = current;
    }
    scratch.fill(0);
    scratch.write(presented, 'latin1'); // As Node decoded it, so these are the bytes as sent.
    let matches = 0;
    for (const candidate of padded) matches += timingSafeEqual(scratch, candidate) ? 1 : 0;
    return matches > 0;
  };
}

function padAlike(texts: readonly string[]): Buffer[] {
  const buffers = texts.map((text) => Buffer.from(text));
  const width = Math.max(...buffers.map(({ length }) => length)) + 1;
  return buffers.map((buffer) => Buffer.concat([buffer], width));
}
