import type { Logger } from '../../src/telemetry/log.ts';

/** For tests that do not look at the log. */
export const silentLog: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  with: () => silentLog,
};
