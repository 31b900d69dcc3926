import { userName } from './readers.ts';
import type { Secret } from './secret.ts';
import type { Variables } from './variables.ts';

export interface Login {
  readonly user: string;
  readonly password: Secret;
}

/** Reads `<prefix>_USER` and `<prefix>_PASSWORD`; null when they are not set. */
export function readLogin(
  env: Variables,
  prefix: string,
  help: { readonly user: string; readonly password: string },
): Login | null {
  const [userSetting, passwordSetting] = [`${prefix}_USER`, `${prefix}_PASSWORD`];
  const user = env.read(userSetting, userName, {
    fallback: null, help: help.user, isPrivate: true,
  });
  const password = env.readSecret(passwordSetting, { help: help.password });
  env.requireBoth(userSetting, passwordSetting);
  return user && password ? { user, password } : null;
}
