import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultWorkers, readMachine } from '../../src/config/machine.ts';

const gib = 1024 ** 3;

/** What the shipped unit allows: its MemoryMax and TasksMax. */
const unit = { memory: gib, threads: 128 };

const defaults: readonly (readonly [string, Parameters<typeof defaultWorkers>[0], number])[] = [
  ['one core', { cores: 1, isTerminal: false, ...unit }, 1],
  ['two cores', { cores: 2, isTerminal: false, ...unit }, 1],
  ['four cores', { cores: 4, isTerminal: false, ...unit }, 3],
  ['32 cores under the unit', { cores: 32, isTerminal: false, ...unit }, 4],
  ['256 cores under the unit', { cores: 256, isTerminal: false, ...unit }, 4],
  ['256 cores without limits', { cores: 256, isTerminal: false }, 8],
  ['half a GiB', { cores: 32, isTerminal: false, memory: gib / 2 }, 1],
  ['an eighth of a GiB', { cores: 32, isTerminal: false, memory: gib / 8 }, 1],
  ['20 threads', { cores: 32, isTerminal: false, threads: 20 }, 4],
  ['10 threads', { cores: 32, isTerminal: false, threads: 10 }, 1],
];

for (const [name, machine, workers] of defaults) {
  test(`defaultWorkers() for ${name} is ${workers}`, () => {
    assert.equal(defaultWorkers(machine, 64), workers);
  });
}

test('defaultWorkers() has fewer workers where each may have a larger heap', () => {
  assert.equal(defaultWorkers({ cores: 32, isTerminal: false, memory: gib }, 256), 2);
});

const limits = 'Limit  Soft Limit  Hard Limit  Units\nMax processes  96365  96365  processes\n';
const unlimited = limits.replaceAll('96365', 'unlimited');

const systems: readonly (readonly [string, Readonly<Record<string, string>>, number?])[] = [
  ['a service of systemd', {
    '/proc/self/cgroup': '0::/system.slice/alert-analyst.service\n', '/proc/self/limits': limits,
    '/sys/fs/cgroup/system.slice/alert-analyst.service/pids.max': '128\n',
    '/sys/fs/cgroup/system.slice/pids.max': 'max\n',
  }, 128],
  ['a group in one with a lower limit', {
    '/proc/self/cgroup': '0::/a.slice/b.service\n', '/proc/self/limits': limits,
    '/sys/fs/cgroup/a.slice/b.service/pids.max': 'max\n', '/sys/fs/cgroup/a.slice/pids.max': '77\n',
  }, 77],
  ['a container, which sees only its own group', {
    '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/pids.max': '50\n',
  }, 50],
  ['the first version of cgroups', {
    '/proc/self/cgroup': '9:memory:/m\n8:pids:/system.slice/a\n1:name=systemd:/x\n0::/y\n',
    '/sys/fs/cgroup/pids/system.slice/a/pids.max': '60\n',
  }, 60],
  ['a container of the first version, whose group has another name inside', {
    '/proc/self/cgroup': '8:cpu,pids:/docker/0123\n', '/sys/fs/cgroup/pids/pids.max': '40\n',
  }, 40],
  ['a user with few processes', { '/proc/self/limits': limits.replaceAll('96365', '30') }, 30],
  ['no limit', { '/proc/self/cgroup': '0::/\n', '/proc/self/limits': unlimited }],
  ['another system', {}],
];

for (const [name, files, threads] of systems) {
  test(`readMachine() knows how many threads are allowed: ${name}`, () => {
    const machine = readMachine(false, (path) => {
      const text = files[path];
      if (text === undefined) throw new Error('ENOENT');
      return text;
    });
    assert.equal(machine.threads, threads);
    assert.ok(machine.cores >= 1 && (machine.memory ?? 0) > 2 ** 20);
  });
}
