import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  constants, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { freeRoomAt, hasCode, nodeFileSystem } from '../../src/lib/file-system.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('nodeFileSystem writes, reads, cuts and syncs a file of mode 0600', async (t) => {
  const path = join(temporaryDirectory(), 'file');
  const file = await nodeFileSystem.open(path, 'replace');
  t.after(() => file.close());
  assert.equal(await file.writev([Buffer.from('abc'), Buffer.from('def')], 0), 6);
  assert.equal(await file.writev([Buffer.from('X')], 3), 1);
  const target = Buffer.alloc(10, '.');
  assert.equal(await file.read(target, 2), 4);
  assert.equal(target.toString(), 'cXef......');
  await file.truncate(4);
  assert.equal(await file.size(), 4);
  await file.sync();
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('nodeFileSystem opens a durable file with the flag that makes every write so', async () => {
  const path = join(temporaryDirectory(), 'file');
  for (const mode of ['create-durable', 'replace-durable'] as const) {
    const file = await nodeFileSystem.open(path, mode);
    assert.equal(await file.writev([Buffer.from('abc')], 0), 3);
    assert.equal(openFlagsOf(path) & constants.O_DSYNC, constants.O_DSYNC, mode);
    await file.close();
  }
});

/** The flags of this process's descriptor for the file, as Linux tells them in octal. */
function openFlagsOf(path: string): number {
  const number = readdirSync('/proc/self/fd').find((fd) => targetOf(fd) === path);
  assert.ok(number !== undefined, 'no descriptor is open on the file');
  const told = readFileSync(`/proc/self/fdinfo/${number}`, 'utf8');
  return Number.parseInt(/^flags:\s+(\d+)$/m.exec(told)?.[1] ?? '', 8);
}

/** Null for a descriptor that is closed by now, as the one that lists the directory. */
function targetOf(fd: string): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return null;
  }
}

test('nodeFileSystem.open() fails with the code of the system call', async () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'file');
  writeFileSync(path, 'content');
  symlinkSync(path, join(directory, 'link'));
  const cases = [
    ['absent', 'read', 'ENOENT'],
    ['file', 'create-durable', 'EEXIST'],
    ['link', 'create-durable', 'EEXIST'],
    ['link', 'read', 'ELOOP'],
    ['link', 'replace', 'ELOOP'],
    ['link', 'replace-durable', 'ELOOP'],
  ] as const;
  for (const [name, mode, code] of cases) {
    const opened = nodeFileSystem.open(join(directory, name), mode);
    await assert.rejects(opened, (error) => hasCode(error, code), `${mode} ${name}`);
  }
});

test('nodeFileSystem names the file in each error', async () => {
  const directory = temporaryDirectory();
  const named = (error: Error): boolean => error.message.endsWith(` '${directory}'`);
  const file = await nodeFileSystem.open(directory, 'read');
  await assert.rejects(file.read(Buffer.alloc(1), 0), named);
  await assert.rejects(file.writev([Buffer.alloc(1)], 0), named);
  await assert.rejects(file.truncate(0), named);
  await file.close();
  await assert.rejects(file.sync(), named);
  await assert.rejects(file.size(), named);
  await assert.rejects(file.close(), named);
  await assert.rejects(nodeFileSystem.open(directory, 'replace'), named);
});

test('nodeFileSystem.open() empties a file only to replace it', async () => {
  const path = join(temporaryDirectory(), 'file');
  for (const [mode, size] of [['read', 7], ['replace', 0], ['replace-durable', 0]] as const) {
    writeFileSync(path, 'content');
    const file = await nodeFileSystem.open(path, mode);
    assert.equal(await file.size(), size, mode);
    await file.close();
  }
});

test('nodeFileSystem.mkdir() makes a directory of mode 0700 where there is none', async () => {
  const parent = temporaryDirectory();
  await nodeFileSystem.mkdir(join(parent, 'new'));
  assert.equal(statSync(join(parent, 'new')).mode & 0o777, 0o700);
  mkdirSync(join(parent, 'old'), { mode: 0o755 });
  await nodeFileSystem.mkdir(join(parent, 'old'));
  assert.equal(statSync(join(parent, 'old')).mode & 0o777, 0o755);
});

test('nodeFileSystem does not wait for the other end of a named pipe', async () => {
  const path = join(temporaryDirectory(), 'pipe');
  execFileSync('mkfifo', [path]);
  const pipe = await nodeFileSystem.open(path, 'read');
  assert.equal(await pipe.size(), 0);
  await pipe.close();
});

test('nodeFileSystem.stat() describes a path without following a symbolic link', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'file'), 'content', { mode: 0o640 });
  symlinkSync('file', join(directory, 'link'));
  const file = await nodeFileSystem.stat(join(directory, 'file'));
  assert.equal(file?.kind, 'file');
  assert.equal(file?.size, 7);
  assert.equal(file?.mode, 0o640);
  assert.equal(file?.owner, process.geteuid?.());
  assert.equal((await nodeFileSystem.stat(join(directory, 'link')))?.kind, 'symlink');
  assert.equal((await nodeFileSystem.stat(directory))?.kind, 'directory');
  assert.equal((await nodeFileSystem.stat('/dev/null'))?.kind, 'other');
  assert.equal(await nodeFileSystem.stat(join(directory, 'absent')), null);
});

test('nodeFileSystem renames, lists and removes, and syncs the directory', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'a'), '');
  await nodeFileSystem.rename(join(directory, 'a'), join(directory, 'b'));
  await nodeFileSystem.syncDirectory(directory);
  assert.deepEqual(await nodeFileSystem.readdir(directory), ['b']);
  await nodeFileSystem.unlink(join(directory, 'b'));
  assert.deepEqual(await nodeFileSystem.readdir(directory), []);
  await assert.rejects(nodeFileSystem.syncDirectory(join(directory, 'absent')), /ENOENT/);
});

test('freeRoomAt() tells of bytes and inodes, and of neither where the disk does not', async () => {
  const directory = temporaryDirectory();
  const { freeBytes, freeFiles } = await freeRoomAt(directory);
  assert.ok(freeBytes !== null && freeBytes > 0);
  assert.ok(freeFiles === null || freeFiles > 0);
  assert.equal((await freeRoomAt('/proc')).freeFiles, null, 'it has as many as it needs');
  const unknown = { freeBytes: null, freeFiles: null };
  assert.deepEqual(await freeRoomAt(join(directory, 'absent')), unknown);
});
