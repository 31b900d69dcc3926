/** Locks the given directory, prints `locked`, and runs until it is killed. */
import { lockDirectory } from '../../../src/lib/directory-lock.ts';
import { nodeFileSystem } from '../../../src/lib/file-system.ts';

await lockDirectory(process.argv[2] ?? '', nodeFileSystem);
process.stdout.write('locked\n');
process.stdin.resume();
