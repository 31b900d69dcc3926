import { join } from 'node:path';

/** Has Node load a script first; quoted, as NODE_OPTIONS is split at every space that is not. */
export function requireFirst(path: string): string {
  return `--require ${JSON.stringify(path)}`;
}

/**
 * Settings of a service for which time passes so many times as fast. At a fifth its sources have
 * five times as long to answer, so that a busy machine does not change what a report says.
 */
export function clockRate(rate: number): Readonly<Record<string, string>> {
  const script = join(process.cwd(), 'test/support/programs/clock-rate.cjs');
  return { NODE_OPTIONS: requireFirst(script), CLOCK_RATE: String(rate) };
}
