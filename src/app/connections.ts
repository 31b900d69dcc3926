/**
 * How sources and the model are reached: the settings with the current secrets, in clear text. That
 * is never logged, only handed to clients.
 */
import type { Grant } from '../analysis/threads/worker-messages.ts';
import type { ModelSettings } from '../config/model-settings.ts';
import type { Secret } from '../config/secret.ts';
import { parseHeaders, type AskedSources, type SourceSettings } from '../config/source-settings.ts';
import type { ModelAccess } from '../model/client/model-access.ts';
import type { SourceAccesses } from '../sources/asked-source.ts';
import type { SourceAccess } from '../sources/source-access.ts';

export function sourceAccesses(
  { prometheus, alertmanager, loki, kubernetes }: AskedSources,
): SourceAccesses {
  return {
    prometheus: sourceAccess(prometheus),
    alertmanager: sourceAccess(alertmanager),
    loki: sourceAccess(loki),
    kubernetes: sourceAccess(kubernetes),
  };
}

/** Null for a source that is not configured. */
export function sourceAccess(settings: SourceSettings | null): SourceAccess | null {
  if (settings === null) return null;
  const { urls, token, login, ca, timeoutMs } = settings;
  return {
    urls,
    token: newest(token),
    login: login && { user: login.user, password: newest(login.password) ?? '' },
    headers: parseHeaders(currentLines(settings.headers)),
    ca, timeoutMs,
  };
}

/** After a change, a header's old line still counts as secret, but only the new one is sent. */
function currentLines(headers: Secret | null): readonly string[] {
  const seen = new Set<string>();
  return (headers?.values() ?? []).filter((line) => {
    const name = line.slice(0, line.indexOf(':')).trim().toLowerCase();
    const isFirst = !seen.has(name);
    seen.add(name);
    return isFirst;
  });
}

export function modelAccess(settings: ModelSettings): ModelAccess {
  const { provider, url, name, apiKey, effort, timeoutMs } = settings;
  return { provider, url, name, apiKey: newest(apiKey), effort, requestMs: timeoutMs / 2 };
}

/** What one narrative may take, apart from its rounds. */
export function grantOf(
  { tokensPerAlert, outputTokens, timeoutMs, prices }: ModelSettings,
): Omit<Grant, 'rounds'> {
  return { tokens: tokensPerAlert, outputTokens, deadlineMs: timeoutMs, prices };
}

function newest(secret: Secret | null): string | null {
  return secret?.values()[0] ?? null;
}
