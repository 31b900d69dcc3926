import { readMachine } from '../config/machine.ts';
import { loadSettings, type Settings } from '../config/settings.ts';
import type { Environment } from '../config/variables.ts';

/** @throws {ConfigError} With every problem of the settings. */
export function readSettings(environment: Environment): Settings {
  return loadSettings(environment, readMachine(process.stderr.isTTY === true));
}
