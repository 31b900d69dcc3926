import { join } from 'node:path';

/** The NODE_OPTIONS that load a script first; quoted, as the path may contain spaces. */
export function requireFirst(path: string): string {
  return `--require ${JSON.stringify(path)}`;
}

/**
 * The environment of a service for which time passes `rate` times as fast. At 0.2 its sources have
 * five times as long to answer, so that a busy machine does not change what a report says.
 */
export function clockRate(rate: number): Readonly<Record<string, string>> {
  const script = join(process.cwd(), 'test/support/programs/clock-rate.cjs');
  return { NODE_OPTIONS: requireFirst(script), CLOCK_RATE: String(rate) };
}
