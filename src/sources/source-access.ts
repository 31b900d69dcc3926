/** How to reach a source. Plain data with secrets in the clear, so that it can go to a thread. */
export interface SourceAccess {
  /** Base URLs of the servers, with path prefix and without credentials. */
  readonly urls: readonly string[];
  readonly token: string | null;
  readonly login: { readonly user: string; readonly password: string } | null;
  readonly headers: readonly (readonly [string, string])[];
  /** Certificate authorities in PEM, used in place of the public ones. */
  readonly ca: string | null;
  /** Longest wait for one answer, including a retry. */
  readonly timeoutMs: number;
}

/** What authenticates a request. */
export type Credentials = Pick<SourceAccess, 'token' | 'login' | 'headers'>;

/** A source's name in messages, the prefix of its settings, and what it is asked for. */
export interface SourceIdentity {
  readonly title: string;
  readonly prefix: string;
  /** As the subject of "was not looked at". */
  readonly provides: string;
  /** It takes a POST for a write, so long parameters stay in the URL. */
  readonly readsOnlyByGet?: true;
  /** Advice for status 403: it knows who is asking and refuses. */
  readonly forbiddenHint?: string;
}

/** Names may repeat: `match[]` and `filter` do. */
export type Parameters = readonly (readonly [string, string])[];

/**
 * The URL of `path` below the base URL. Joined as text, since `new URL('/api', base)` would drop
 * the path prefix under which Thanos, Mimir and proxies serve.
 */
export function addressOf(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
}

export function encodeParameters(parameters: Parameters): string {
  // URLSearchParams turns lone surrogates into U+FFFD, where encodeURIComponent would throw.
  const encoded = new URLSearchParams();
  for (const [name, value] of parameters) encoded.append(name, value);
  return encoded.toString();
}

/** The headers of every request. Authorization is set last, so nothing overrides it. */
export function headersFor({ headers, token, login }: Credentials): Record<string, string> {
  // Servers log the user agent with slow queries.
  const all: Record<string, string> = { 'user-agent': 'alert-analyst' };
  for (const [name, value] of headers) all[name.toLowerCase()] = value;
  all['accept'] ??= 'application/json, text/plain;q=0.5, */*;q=0.1';
  if (token !== null) all['authorization'] = `Bearer ${token}`;
  if (login !== null) all['authorization'] = `Basic ${basicCredentials(login)}`;
  return all;
}

/** Shorter secrets would match ordinary text. */
const secretLengthMin = 4;

/** Masks the source's secrets and the login in any URL: some servers echo what they were sent. */
export function withoutSecrets(text: string, credentials: Credentials): string {
  // Longest first, since one secret may contain another.
  const secrets = secretsOf(credentials).filter(({ length }) => length >= secretLengthMin)
    .sort((a, b) => b.length - a.length);
  const cut = secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  return cut.replace(/(?<=\/\/)[^\s/@]{1,200}@/g, '***@');
}

function secretsOf({ token, login, headers }: Credentials): string[] {
  const ofLogin = login === null ? [] : [login.password, basicCredentials(login)];
  return [...(token === null ? [] : [token]), ...headers.map(([, value]) => value), ...ofLogin];
}

/** A shorter one may well be a word of the logs, and the mask would give it away. */
const bareSecretMin = 8;

/**
 * The secrets to mask wherever they stand in evidence. A tenant's name in a header is none, and may
 * be part of half the names in a cluster.
 */
export function bareSecretsOf({ token, login, headers }: Credentials): string[] {
  const ofHeaders = headers
    .filter(([name]) => /auth|token|key|secret|cookie|pass|credential/i.test(name))
    .map(([, value]) => value.replace(/^(?:basic|bearer|token) +/i, ''));
  return secretsOf({ token, login, headers: [] }).concat(ofHeaders)
    .filter((secret) => secret.length >= bareSecretMin);
}

function basicCredentials({ user, password }: NonNullable<SourceAccess['login']>): string {
  return Buffer.from(`${user}:${password}`).toString('base64');
}
