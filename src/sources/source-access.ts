/** How a source is reached. Plain data, secrets in clear, so that it can cross to a thread. */
export interface SourceAccess {
  /** Base URL, with its path prefix and without credentials. */
  readonly url: string;
  readonly token: string | null;
  readonly login: { readonly user: string; readonly password: string } | null;
  readonly headers: readonly (readonly [string, string])[];
  /** Certificates in PEM that it is trusted by, in place of the public ones. */
  readonly ca: string | null;
  /** Longest wait for one answer, a repeated attempt included. */
  readonly timeoutMs: number;
}

/** What somebody who asks shows of himself. */
export type Credentials = Pick<SourceAccess, 'token' | 'login' | 'headers'>;

/** How a source is called in messages, and how the names of its settings begin. */
export interface SourceIdentity {
  readonly title: string;
  readonly prefix: string;
  /** To it a POST is no question: long parameters stay in the address. */
  readonly readsOnlyByGet?: true;
  /** What to do where it knows who asks and refuses. */
  readonly forbiddenHint?: string;
}

/** Names may repeat: `match[]` and `filter` do. */
export type Parameters = readonly (readonly [string, string])[];

/**
 * The address of `path` below the base URL. The texts are joined, since `new URL('/api', base)`
 * would drop the prefix under which Thanos, Mimir and proxies serve.
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

/** The headers of every request to the source. What authorises is last: nothing overrides it. */
export function headersFor({ headers, token, login }: Credentials): Record<string, string> {
  // Servers note the agent beside slow queries.
  const all: Record<string, string> = { 'user-agent': 'alert-analyst' };
  for (const [name, value] of headers) all[name.toLowerCase()] = value;
  all['accept'] ??= 'application/json, text/plain;q=0.5, */*;q=0.1';
  if (token !== null) all['authorization'] = `Bearer ${token}`;
  if (login !== null) all['authorization'] = `Basic ${basicCredentials(login)}`;
  return all;
}

/** Shorter texts are too common to be cut out of what a source says. */
const secretLengthMin = 4;

/**
 * Cuts every secret of the source, and the login of every address, out of a text: some servers
 * repeat what they were sent.
 */
export function withoutSecrets(text: string, { token, login, headers }: Credentials): string {
  const secrets = [token, ...headers.map(([, value]) => value)];
  if (login !== null) secrets.push(login.password, basicCredentials(login));
  const cut = secrets.reduce<string>((rest, secret) => {
    if (secret === null || secret.length < secretLengthMin) return rest;
    return rest.replaceAll(secret, '***');
  }, text);
  return cut.replace(/(?<=\/\/)[^\s/@]{1,200}@/g, '***@');
}

function basicCredentials({ user, password }: NonNullable<SourceAccess['login']>): string {
  return Buffer.from(`${user}:${password}`).toString('base64');
}
