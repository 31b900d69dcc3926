import type { Logger } from '../../src/telemetry/log.ts';

/** Says nothing, for tests of what is done rather than said. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  with: () => silentLogger,
};
