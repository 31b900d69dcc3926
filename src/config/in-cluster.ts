import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from './variables.ts';

/** Where Kubernetes mounts a pod's service account; it renews the token every hour. */
const serviceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * In a pod, adds the settings for the cluster's own API, unless KUBERNETES_URL is set, even to
 * nothing (kubernetes/website: docs/tasks/run-application/access-api-from-pod).
 */
export function withOwnCluster(
  environment: Environment,
  directory: string = serviceAccount,
): Environment {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment;
  const token = join(directory, 'token');
  const isGiven = environment['KUBERNETES_URL'] !== undefined;
  if (!host || !port || isGiven || !existsSync(token)) return environment;
  return {
    KUBERNETES_URL: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    KUBERNETES_CA_FILE: join(directory, 'ca.crt'),
    ...(!hasCredentials(environment) && { KUBERNETES_TOKEN_FILE: token }),
    ...environment,
  };
}

/** Credentials of another kind than a token's file, which would exclude the service account's. */
function hasCredentials(environment: Environment): boolean {
  const { KUBERNETES_TOKEN: token, KUBERNETES_USER: user } = environment;
  return Boolean(token) || Boolean(user)
    || /\bauthorization[ \t]*:/i.test(headersIn(environment));
}

function headersIn(environment: Environment): string {
  const { KUBERNETES_HEADERS: headers, KUBERNETES_HEADERS_FILE: file } = environment;
  try {
    return headers || readFileSync(file ?? '', 'utf8');
  } catch {
    return ''; // There is no such file; if one is named, reading the setting complains.
  }
}
