import { timingSafeEqual } from 'node:crypto';
import type { Exchange } from '../exchange.ts';
import { unauthorized } from '../http-errors.ts';

/** Throws HttpError 401 unless the request may pass. */
export type AccessCheck = (exchange: Exchange) => void;

/** Asked anew for each request, so that tokens can rotate. Empty: none is configured. */
export type Tokens = () => readonly string[];

/** Who may read reports and metrics. `credentials` is asked anew for each request, too. */
export type ReadAccess =
  | { readonly kind: 'open' }
  | { readonly kind: 'token'; readonly tokens: Tokens }
  | { readonly kind: 'basic'; readonly credentials: () => Login };

interface Login {
  readonly user: string;
  readonly password: string;
}

/** Open while no token is configured; else the field must be `Bearer <token>` to the letter. */
export function createTokenCheck(tokens: Tokens): AccessCheck {
  const isExpected = createComparison(() => tokens().map((token) => `Bearer ${token}`), tokens);
  return (exchange) => {
    if (tokens().length === 0) return;
    if (isExpected(authorizationOf(exchange))) return;
    throw unauthorized('Bearer', whyNot(exchange, 'Bearer ', 'ACCESS_TOKEN'));
  };
}

/** Closed when the access asks for a token or a login and none is configured. */
export function createReadCheck(access: ReadAccess): AccessCheck {
  if (access.kind === 'open') return () => {};
  if (access.kind === 'token') {
    const check = createTokenCheck(access.tokens);
    return (exchange) => {
      if (access.tokens().length === 0) throw unauthorized('Bearer', 'There is no ACCESS_TOKEN');
      check(exchange);
    };
  }
  const isExpected = createComparison(() => [basicField(access.credentials())], null);
  return (exchange) => {
    if (isExpected(authorizationOf(exchange))) return;
    throw unauthorized(basicChallenge, whyNot(exchange, 'Basic ', 'READ_USER and READ_PASSWORD'));
  };
}

/** Who may write; null stands for what is not configured. With neither, everybody may. */
export interface WriteAccess {
  readonly tokens: Tokens | null;
  readonly credentials: (() => Login) | null;
}

/** Takes the token or the login. A browser can be asked for a login only, so that is asked for. */
export function createWriteCheck({ tokens, credentials }: WriteAccess): AccessCheck {
  if (tokens === null && credentials === null) return () => {};
  const isExpected = createComparison(() => [
    ...(tokens?.() ?? []).map((token) => `Bearer ${token}`),
    ...(credentials === null ? [] : [basicField(credentials())]),
  ], null);
  return (exchange) => {
    if (!isExpected(authorizationOf(exchange))) {
      const why = 'Neither ACCESS_TOKEN nor READ_USER and READ_PASSWORD are presented';
      throw unauthorized(credentials === null ? 'Bearer' : basicChallenge, why);
    }
  };
}

/** Never quotes what was presented: it may be a secret of somewhere else. */
function whyNot(exchange: Exchange, scheme: string, settings: string): string {
  const presented = authorizationOf(exchange);
  if (presented === '') return 'There is no Authorization header, or more than one';
  if (!presented.startsWith(scheme)) return `The Authorization header is not "${scheme}…"`;
  return `What it presents is not that of ${settings}`;
}

const basicChallenge = 'Basic realm="alert-analyst", charset="UTF-8"';

function basicField({ user, password }: Login): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** Empty when there is none, or more than one to choose from. */
function authorizationOf({ headers, rawHeaders }: Exchange): string {
  let fields = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 13 && name.toLowerCase() === 'authorization') fields += 1;
  }
  return fields === 1 ? (headers.authorization ?? '') : '';
}

/**
 * Compares with every expected text in time that depends on none of them: all are padded to one
 * length, with a byte to spare that shows whether the presented text is longer. The padded texts
 * are kept for as long as `version` returns the same object.
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
    scratch.write(presented, 'latin1'); // As the parser decoded it, whatever bytes were sent.
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
