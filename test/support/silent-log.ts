import type { Logger } from '../../src/telemetry/log.ts';

/** Discards everything. */
export const silentLog: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  with: () => silentLog,
};
