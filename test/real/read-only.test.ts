import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { eventually, runProgram } from '../support/programs/programs.ts';
import { spawnAnalyst, startAnalyst, unlimited } from '../support/programs/running-analyst.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const imageBytes = 16 * 1024 * 1024;

interface Disk {
  readonly data: string;
  /** Makes the kernel remount it read-only, as after an error; files stay open. */
  makeReadOnly(): void;
  /** Checks and mounts it again, as an operator would. */
  repair(): Promise<void>;
}

async function run(command: string, ...args: readonly string[]): Promise<string> {
  const { status, output } = await runProgram(command, args);
  if (status === 0) return output.trim();
  throw new Error(`${command} ${args.join(' ')}: ${output.trim()}`);
}

/** A small ext4 file system in a file; null if this machine has no loop devices. */
async function loopDisk(t: TestContext): Promise<Disk | null> {
  const directory = temporaryDirectory();
  const [image, mountPoint] = [join(directory, 'image'), join(directory, 'disk')];
  writeFileSync(image, Buffer.alloc(imageBytes));
  mkdirSync(mountPoint);
  const mount = (): Promise<string> =>
    run('mount', '-o', 'loop,errors=remount-ro', image, mountPoint);
  try {
    await run('mkfs.ext4', '-q', '-F', image);
    await mount();
  } catch (error) {
    t.diagnostic(String(error));
    return null;
  }
  t.after(() => runProgram('umount', ['-l', mountPoint]));
  const data = join(mountPoint, 'data');
  mkdirSync(data);
  chmodSync(data, 0o700);
  const device = basename(await run('findmnt', '-no', 'SOURCE', mountPoint));
  return {
    data,
    makeReadOnly: () => writeFileSync(`/sys/fs/ext4/${device}/trigger_fs_error`, '1'),
    async repair() {
      await run('umount', mountPoint);
      await runProgram('e2fsck', ['-p', '-f', image]); // Exits with 1 if it repaired something.
      await mount();
    },
  };
}

test('a disk that turns read-only is reported, and nothing is lost', async (t) => {
  const disk = process.getuid?.() === 0 ? await loopDisk(t) : null;
  if (disk === null) return t.skip('needs root and loop devices');
  const options = { dataDirectory: disk.data, env: unlimited };
  const { url, program } = await startAnalyst(options, t);
  const acknowledged: string[] = [];
  let posted = 0;
  const post = async (): Promise<number> => {
    const fingerprint = `read-only-${(posted += 1)}`;
    const alerts = [{ labels: { alertname: 'ReadOnly', instance: fingerprint }, fingerprint }];
    const answer = await fetch(`${url}/webhook`, {
      method: 'POST', body: JSON.stringify({ alerts }),
    });
    if (answer.status === 200) acknowledged.push(fingerprint);
    return answer.status;
  };
  const statusOf = async (base: string, fingerprint: string): Promise<string> => {
    const answer = await fetch(`${base}/report/${fingerprint}.json`);
    return ((await answer.json()) as { readonly status: string }).status;
  };
  for (let count = 0; count < 20; count += 1) assert.equal(await post(), 200);
  await eventually('a report', async () =>
    (await statusOf(url, 'read-only-1')) === 'ready' ? true : null);

  disk.makeReadOnly();
  await eventually('posts to be refused', async () => ((await post()) === 503 ? true : null));
  assert.equal((await fetch(`${url}/health`)).status, 503);
  assert.equal(await statusOf(url, 'read-only-1'), 'ready', 'what is there can be read');
  assert.match(program.output(), /"Journal cannot be written".*(EIO|EROFS)/);
  assert.ok(!program.hasExited());
  await program.stop();
  assert.equal(program.exitCode(), 0);

  const refused = spawnAnalyst(options);
  await eventually('the refusal', () => (refused.hasExited() ? true : null));
  assert.equal(refused.exitCode(), 1);
  assert.match(refused.output(), /it cannot be written to/);

  await disk.repair();
  const again = await startAnalyst(options, t);
  for (const fingerprint of acknowledged) {
    await eventually(`the report of ${fingerprint}`, async () =>
      (await statusOf(again.url, fingerprint)) === 'ready' ? true : null);
  }
});
