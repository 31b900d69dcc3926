/**
 * The built service with its rare work sped up: it compacts the journal and applies retention about
 * twenty times a second, so that random kills hit these. Everything else, settings included, is as
 * in `dist/main.js`. Plain JavaScript, because it imports what was built, wherever the scripts that
 * start it are compiled to.
 */
import { startService } from '../../dist/app/service.js';
import { redactionsOf } from '../../dist/config/secret.js';
import { loadSettings } from '../../dist/config/settings.js';
import { createLogger } from '../../dist/telemetry/log.js';

const pace = { everyMs: 50, retentionEveryRounds: 1, compactFromBytes: 1, compactGrowth: 0 };

const stopAsked = new Promise((resolve) => process.once('SIGTERM', resolve));
const settings = loadSettings({ LOG_LEVEL: 'debug', ...process.env }, {
  cores: 2, isTerminal: false,
});
const log = createLogger({
  ...settings.log,
  now: () => Date.now(),
  write: (line) => process.stderr.write(line),
  redact: () => redactionsOf(settings.secrets),
});
const service = await startService(settings, log, { version: 'hurried', pace });
await stopAsked;
await service.stop();
log.info('Stopped');
