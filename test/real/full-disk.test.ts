import assert from 'node:assert/strict';
import {
  chmodSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { eventually, runProgram } from '../support/programs/programs.ts';
import { startAnalyst, unlimited } from '../support/programs/running-analyst.ts';

const diskBytes = 8 * 1024 * 1024;

/** A small file system in memory. Needs root, which CI has. */
async function smallDisk(t: TestContext): Promise<string> {
  const disk = mkdtempSync(join(tmpdir(), 'alert-analyst-disk-'));
  const options = ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', disk];
  const { status, output } = await runProgram('mount', options);
  assert.equal(status, 0, `Cannot mount a small disk, which needs root: ${output}`);
  t.after(async () => {
    await runProgram('umount', ['-l', disk]);
    rmdirSync(disk);
  });
  const data = join(disk, 'data');
  mkdirSync(data);
  chmodSync(data, 0o700);
  return data;
}

test('a full disk is reported and loses nothing, and the service recovers by itself', async (t) => {
  const data = await smallDisk(t);
  const { url, program } = await startAnalyst({ dataDirectory: data, env: unlimited });
  // Hooks run in order, so the disk is unmounted first, while it is in use: hence umount -l.
  t.after(() => program.stop('SIGKILL'));
  const health = async (): Promise<string> => {
    const response = await fetch(`${url}/health`);
    const { status } = (await response.json()) as { status: string };
    return `${response.status} ${status}`;
  };
  let posted = 0;
  const acknowledged: string[] = [];
  const post = async (): Promise<number> => {
    const fingerprint = `full-${(posted += 1)}`;
    const alert = { labels: { alertname: 'Full' }, annotations: { a: 'x'.repeat(9_000) } };
    const body = JSON.stringify({ alerts: [{ ...alert, fingerprint }] });
    const response = await fetch(`${url}/webhook`, { method: 'POST', body });
    const answer = (await response.json()) as { detail?: string };
    if (response.status === 200) acknowledged.push(fingerprint);
    else assert.equal(answer.detail, 'Storage unavailable');
    return response.status;
  };
  assert.equal(await post(), 200);
  const ballast = join(data, '..', 'ballast');
  const leave = (bytes: number): void => {
    const { bavail, bsize } = statfsSync(data);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - bytes));
  };
  const becomes = (expected: string): Promise<true> =>
    eventually(`health to be ${expected}`, async () => ((await health()) === expected || null));

  leave(0);
  assert.equal(await post(), 200, 'the journal has room left in its file, reports have none');
  await becomes('200 degraded');
  assert.match(program.output(), /"Cannot store an analysis; trying again".*ENOSPC.*"freeBytes":0/);
  rmSync(ballast);
  await becomes('200 healthy');

  leave(64 * 1024);
  await eventually('posts to be refused', async () => ((await post()) === 503 ? true : null));
  await becomes('503 unhealthy');
  rmSync(ballast);
  await eventually('posts to be taken again', async () => ((await post()) === 200 ? true : null));
  for (const fingerprint of acknowledged) {
    await eventually(`the report of ${fingerprint}`, async () => {
      const response = await fetch(`${url}/report/${fingerprint}.json`);
      const report = (await response.json()) as { status?: string };
      return report.status === 'ready' ? true : null;
    });
  }
  assert.equal(await health(), '200 healthy');
});
