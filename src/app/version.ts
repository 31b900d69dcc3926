import { readFileSync } from 'node:fs';

/** From package.json, which is beside `dist` in a checkout and in an installation. */
export function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
