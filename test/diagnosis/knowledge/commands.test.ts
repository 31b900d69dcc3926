import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { families } from '../../../src/diagnosis/knowledge/families.ts';
import { fillPromql, fillShell } from '../../../src/diagnosis/knowledge/fill-template.ts';
import { sampleLabels } from '../../support/samples/knowledge-labels.ts';

const templates = families.flatMap(({ causes, steps }) =>
  [...causes.map((cause) => cause.test), ...steps.map(({ command }) => command)])
  .flatMap((template) => (template?.kind === 'shell' ? [template.template] : []));
const commands = templates.map((template) => fillShell(template, sampleLabels) ?? '');

test('labels in a command for another host are quoted for its shell as well', () => {
  const remote = templates.filter((template) => template.startsWith('ssh '));
  assert.ok(remote.length > 50);
  for (const template of remote) assert.match(template, /^ssh -- \{[a-z|.]+\} '[^']+'$/u);
});

test('the command for the busiest processes shows those, of the second round', () => {
  const command = commands.find((text) => text.includes("'top -b")) ?? '';
  // As top writes it: busiest first, and averages since the start of each in the first round.
  const round = (first: string): string =>
    `top - 03:00:00 up 9 days\\n\\n  PID %CPU COMMAND\\n${first}` +
    Array.from({ length: 60 }, (_, n) => `${n + 10} 0.0 idle${n}\\n`).join('');
  const script = 'ssh() { shift 2; eval "$1"; }\n' +
    `top() { printf '%b' '${round('7 3.0 since-boot\\n')}${round('8 99.0 busy\\n')}'; }\n` +
    command;
  const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
  assert.match(stdout, /^top - .*\n\n.*PID.*\n8 99\.0 busy\n/u, stderr);
  assert.doesNotMatch(stdout, /since-boot/u);
  assert.ok(stdout.split('\n').length <= 26);
});

test('logs of containers that ended are read past those that never did', () => {
  const previous = commands.filter((text) => text.includes(' --previous '));
  assert.ok(previous.length >= 3);
  for (const text of previous) assert.match(text, / --all-containers --ignore-errors /u);
});

/** What current versions call it, where older ones have another name. */
const currentNames: readonly (readonly [string, string, string])[] = [
  ['replication-lag', 'stopped', 'replica'],
  ['cilium', 'no-addresses', 'cilium_operator_ipam_available_ips'],
  ['proxy-config', 'push', 'pilot_xds_pushes{job="node-exporter",type=~".*_senderr"}'],
  ['minio-drives', 'server-down', 'minio_cluster_health_nodes_offline_count'],
  ['minio-drives', 'drive-failed', 'minio_cluster_health_drives_offline_count'],
  ['minio-drives', 'full', 'minio_cluster_health_capacity_usable_free_bytes'],
];

for (const [id, cause, name] of currentNames) {
  test(`the query for ${cause} of ${id} asks for ${name} as well`, () => {
    const asked = families.find((family) => family.id === id)?.causes
      .find((each) => each.id === cause)?.test.template ?? '';
    assert.ok(fillPromql(asked, sampleLabels)?.includes(name));
  });
}

test('runners are missed only where jobs wait for them', () => {
  const asked = families.find(({ id }) => id === 'ci-runners')?.causes
    .find(({ id }) => id === 'none-online')?.test.template ?? '';
  assert.match(asked, /gha_registered_runners\S+ and on \(namespace, name\)\s+gha_assigned_jobs/u);
});

test('the agent of Cilium is asked with the program that its image has now', () => {
  assert.ok(commands.some((text) => text.includes(' -- cilium-dbg status ')));
});

test('the battery of a UPS is called worn out by its voltage only on mains', () => {
  const asked = families.find(({ id }) => id === 'ups')?.causes
    .find(({ id }) => id === 'battery-old')?.test.template ?? '';
  assert.match(asked, /0\.95\s+unless apcupsd_battery_time_on_seconds\S+ > 0\)$/u);
});

test('an alarm of heat counts as one in whatever unit it is exported', () => {
  const asked = families.find(({ id }) => id === 'hardware-sensors')?.causes
    .find(({ id }) => id === 'heat')?.test.template ?? '';
  assert.match(asked, /node_hwmon_temp_crit_alarm_celsius\S+ > bool 0\)$/u);
});
