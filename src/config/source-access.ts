import type { Secret } from './secret.ts';
import type { Secrets } from './secrets.ts';
import { parseHeaders, type AskedSources, type SourceSettings } from './source-settings.ts';

/** How to reach a source, secrets in clear text: never logged, only handed to its client. */
interface RevealedAccess {
  readonly urls: readonly string[];
  readonly token: string | null;
  readonly login: { readonly user: string; readonly password: string } | null;
  readonly headers: readonly (readonly [string, string])[];
  readonly ca: string | null;
  readonly timeoutMs: number;
}

/** How to reach each source that investigations query, with the current secrets. */
export function sourceAccesses(
  { prometheus, alertmanager, loki, kubernetes }: AskedSources,
  secrets: Secrets,
): Readonly<Record<keyof AskedSources, RevealedAccess | null>> {
  return {
    prometheus: sourceAccess(prometheus, secrets),
    alertmanager: sourceAccess(alertmanager, secrets),
    loki: sourceAccess(loki, secrets),
    kubernetes: sourceAccess(kubernetes, secrets),
  };
}

/** Uses the newest value of each secret. Null for a source that is not configured. */
export function sourceAccess(
  settings: SourceSettings | null,
  secrets: Secrets,
): RevealedAccess | null {
  if (settings === null) return null;
  const { urls, login, ca, timeoutMs } = settings;
  const newest = (secret: Secret | null): string | null => secrets.valuesOf(secret)[0] ?? null;
  return {
    urls,
    token: newest(settings.token),
    login: login && { user: login.user, password: newest(login.password) ?? '' },
    headers: parseHeaders(currentLines(settings.headers, secrets)),
    ca, timeoutMs,
  };
}

/** After a change, a header's old line still counts as secret, but only the new one is sent. */
function currentLines(headers: Secret | null, secrets: Secrets): readonly string[] {
  const seen = new Set<string>();
  return secrets.valuesOf(headers).filter((line) => {
    const name = line.slice(0, line.indexOf(':')).trim().toLowerCase();
    const isFirst = !seen.has(name);
    seen.add(name);
    return isFirst;
  });
}
