/**
 * The built service, whose rare work is done all the time: the journal is compacted and old
 * episodes are forgotten some twenty times a second, so that kills at random hit it. All else,
 * settings included, is as in `dist/main.js`, which is why this is no TypeScript: it imports what
 * was built, wherever the scripts that start it are compiled to.
 */
import { Secrets } from '../../dist/config/secrets.js';
import { loadSettings } from '../../dist/config/settings.js';
import { startService } from '../../dist/service.js';
import { createLogger } from '../../dist/telemetry/log.js';

const pace = { everyMs: 50, retentionEveryRounds: 1, compactFromBytes: 1, compactGrowth: 0 };

const stopAsked = new Promise((resolve) => process.once('SIGTERM', resolve));
const settings = loadSettings({ LOG_LEVEL: 'debug', ...process.env }, {
  cores: 2, isTerminal: false,
});
const secrets = new Secrets(settings.secrets);
const log = createLogger({
  ...settings.log,
  now: () => Date.now(),
  write: (line) => process.stderr.write(line),
  redact: () => secrets.redactions(),
});
const service = await startService(settings, log, { version: 'hurried', secrets, pace });
await stopAsked;
await service.stop();
log.info('Stopped');
