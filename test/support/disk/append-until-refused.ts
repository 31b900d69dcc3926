/**
 * Appends records to the journal in the given directory until one is refused, and prints how many
 * were acknowledged. Run as a process of its own, with a resource limit on that process.
 */
import { systemClock } from '../../../src/lib/clock.ts';
import { nodeFileSystem } from '../../../src/lib/file-system.ts';
import { Journal, StorageUnavailableError } from '../../../src/queue/journal.ts';
import { silentLog } from '../silent-log.ts';

const [directory = '', recordBytes = '1000'] = process.argv.slice(2);
const journal = await Journal.open({
  directory,
  files: nodeFileSystem,
  clock: systemClock,
  log: silentLog,
  onRecord: () => {},
});
let acknowledged = 0;
try {
  for (;;) {
    await journal.append(1, [Buffer.alloc(Number(recordBytes), 97)]);
    acknowledged += 1;
  }
} catch (error) {
  if (!(error instanceof StorageUnavailableError)) throw error;
}
process.stdout.write(`${acknowledged}\n`);
process.exit(0);
