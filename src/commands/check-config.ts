import { print, printLine } from '../app/outputs.ts';
import type { Environment } from '../config/variables.ts';
import { readSettings } from './read-settings.ts';

/** @throws {ConfigError} With every problem of the settings. */
export function checkConfig(environment: Environment): number {
  for (const warning of readSettings(environment).warnings) printLine(`Warning: ${warning}.`);
  return print('Configuration is valid.\n');
}
