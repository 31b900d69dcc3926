import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import { fillPromql, fillShell, hostIn } from '../../src/knowledge/fill-template.ts';

const both = 'up{namespace="{namespace}",pod="{pod}"}';

/** Values that the shell must pass on unharmed, as one word. */
const printable = [
  "it's", '"', '\\', '$(reboot)', '`reboot`', '; rm -rf /', '&& x', '| sh', '*', '~', '!!', '#x',
  '{a,b}', '{pod}', '%s', '\\\'', "''", "'; reboot; '",
  'مرحبا', '日本', '__proto__', ' a  b ',
  "$'x'", '$HOME', '${IFS}', '--', '-rf', '-', '$&', "$'", '$1',
];

for (const value of printable) {
  test(`fillShell() keeps ${JSON.stringify(value)} one word`, () => {
    const command = fillShell('printf %s name={pod}', { pod: value });
    assert.ok(command !== null);
    assert.equal(run(command), `name=${value}`);
  });

  test(`fillShell() keeps ${JSON.stringify(value)} one word in a nested shell`, () => {
    const command = fillShell("sh -c 'printf %s name={pod}'", { pod: value });
    assert.ok(command !== null);
    assert.equal(run(command), `name=${value}`);
  });
}

for (const value of ['a\nreboot', '\u001b[201~reboot\r', 'a\tb', '\0', '\u202eevil', 'a\u2028b',
  'a\u200bb', '\ud800', '', 'x'.repeat(65_536)]) {
  test(`fillShell() gives no command for ${JSON.stringify(value.slice(0, 20))}`, () => {
    assert.equal(fillShell('kubectl describe pod/{pod}', { pod: value }), null);
  });
}

for (const template of ['kubectl describe {pod}', "ssh -- h 'du -- {pod}'", '{pod}']) {
  test(`fillShell() never lets a value be an option in ${template}`, () => {
    assert.equal(fillShell(template, { pod: '-rf' }), null);
    assert.ok(fillShell(template, { pod: 'rf' }) !== null);
  });
}

test('fillShell() gives no command when a label is missing', () => {
  assert.equal(fillShell('kubectl -n {namespace} get pod/{pod}', { pod: 'a' }), null);
});

test('fillShell() leaves write-out variables of curl alone', () => {
  assert.equal(fillShell('curl -w "%{http_code}"', {}), 'curl -w "%{http_code}"');
});

test('labels that objects inherit do not exist', () => {
  assert.equal(fillShell('echo {constructor}', {}), null);
  assert.equal(fillPromql('up{a="{constructor}"}', {}), null);
});

const filled: readonly { labels: LabelSet; template?: string; expected: string | null }[] = [
  { labels: { namespace: 'n', pod: 'p' }, expected: 'up{namespace="n",pod="p"}' },
  { labels: { namespace: 'n' }, expected: 'up{namespace="n"}' },
  { labels: { pod: 'p' }, expected: 'up{pod="p"}' },
  { labels: {}, expected: null },
  { labels: { namespace: '', pod: '' }, expected: null },
  { labels: { pod: 'x'.repeat(65_536) }, expected: null },
  { labels: { pod: '\ud800' }, expected: null },
  { labels: { pod: 'a', exported_pod: 'b' }, expected: 'up{pod="b"}' },
  { labels: { pod: 'a"} or vector(1) #' }, expected: 'up{pod="a\\"} or vector(1) #"}' },
  { labels: { pod: 'a\\' }, expected: 'up{pod="a\\\\"}' },
  { labels: { pod: 'a\nb\0' }, expected: 'up{pod="a\\nb\\u0000"}' },
  { labels: { pod: 'a\ufffdb' }, expected: 'up{pod="a\\ufffdb"}' },
  { labels: { pod: '\u202e' }, expected: 'up{pod="\\u202e"}' },
  { labels: { pod: '\u{e0041}' }, expected: 'up{pod="\\U000e0041"}' },
  { labels: { pod: '$& $1 {namespace}' }, expected: 'up{pod="$& $1 {namespace}"}' },
  { labels: { pod: 'مرحبا' }, expected: 'up{pod="مرحبا"}' },
  { template: 'sum(up)', labels: {}, expected: 'sum(up)' },
  { template: 'up{a="b"}', labels: {}, expected: 'up{a="b"}' },
  { template: 'up{pod="{pod}",a!=""}', labels: { pod: 'p' }, expected: 'up{pod="p",a!=""}' },
  { template: 'up{pod="{pod}",a!=""}', labels: {}, expected: null },
  { template: 'a{p="{pod}"} / b{q="{job}"}', labels: { pod: 'p' }, expected: null },
  {
    template: 'up{instance=~"{instance.host}(:.*)?"}', labels: { instance: 'a.b+c:80' },
    expected: 'up{instance=~"a\\\\.b\\\\+c(:.*)?"}',
  },
  {
    template: 'up{node="{node|instance.host}"}', labels: { instance: 'h:1' },
    expected: 'up{node="h"}',
  },
  {
    template: 'sum by (pod) (\n    rate(up{pod="{pod}"}[5m]))', labels: { pod: 'p' },
    expected: 'sum by (pod) (rate(up{pod="p"}[5m]))',
  },
];

for (const { labels, template = both, expected } of filled) {
  const shown = JSON.stringify(labels).slice(0, 60);
  test(`fillPromql() turns ${template} for ${shown} into ${expected}`, () => {
    assert.equal(fillPromql(template, labels), expected);
  });
}

for (const [address, host] of [
  ['node-1:9100', 'node-1'], ['node-1', 'node-1'],
  ['[2001:db8::1]:9100', '2001:db8::1'], ['fe80::1', 'fe80::1'],
  ['https://shop.example/path?q=1', 'shop.example'], ['http://h:80/x', 'h'], ['', ''],
] as const) {
  test(`hostIn() reads ${host} from ${address}`, () => assert.equal(hostIn(address), host));
}

for (const [instance, address] of [
  ['redis://10.0.0.7:6380', '10.0.0.7:6380'], ['rediss://cache.example', 'cache.example'],
  ['redis://app:hunter2@10.0.0.7:6380/0', '10.0.0.7:6380'], ['10.0.0.7:9121', '10.0.0.7'],
  ['[2001:db8::1]:9121', '[2001:db8::1]'], ['redis://[2001:db8::1]:6380', '[2001:db8::1]:6380'],
] as const) {
  test(`fillShell() reads the server's own address ${address} from ${instance}`, () => {
    const command = fillShell('redis-cli -u redis://{instance.address} ping', { instance });
    assert.equal(command, `redis-cli -u redis://'${address}' ping`);
  });
}

for (const [labels, server] of [
  [{ instance: 'db1:9187', server: '10.0.0.7:6432' }, "'10.0.0.7' '6432'"],
  [{ instance: 'db1:9187', server: 'localhost:5433' }, "'db1' '5433'"],
  [{ instance: 'db1:9187', server: '[::1]:5433' }, "'db1' '5433'"],
  [{ instance: 'db1:9187', server: '/var/run/postgresql:5433' }, "'db1' '5433'"],
  [{ instance: 'db1:9187', server: '[fe80::7]:5433' }, "'fe80::7' '5433'"],
  [{ instance: 'db1:9187' }, "'db1' '5432'"],
] as const) {
  test(`fillShell() reaches the server at ${server} for ${JSON.stringify(labels)}`, () => {
    assert.equal(fillShell('{server.remote|instance.host} {server.port|5432}', labels), server);
  });
}

function run(command: string): string {
  const { stdout, status, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout;
}

test('fillShell() looks up names, and no IP addresses', () => {
  const fill = (instance: string): string | null =>
    fillShell('nslookup {instance.name}', { instance });
  assert.equal(fill('https://shop.example.com:8443/cart'), "nslookup 'shop.example.com'");
  for (const address of ['10.0.0.7:9100', 'http://10.0.0.7/', '[2001:db8::1]:9115', '']) {
    assert.equal(fill(address), null);
  }
});

test('fillShell() gives no command for an address of the reader\'s own machine', () => {
  const curl = 'curl http://{instance}/metrics';
  for (const host of ['localhost', '127.0.0.1', '[::1]', 'http://localhost']) {
    assert.equal(fillShell(curl, { instance: `${host}:9107` }), null);
    assert.equal(fillShell('ssh -- {instance.host} uptime', { instance: `${host}:9107` }), null);
  }
  assert.notEqual(fillPromql('up{instance="{instance}"}', { instance: 'localhost:9107' }), null);
});

test('fillShell() goes to the machine that an exporter tells of, under any spelling', () => {
  const ssh = 'ssh -- {instance.host} uptime';
  for (const name of ['host', 'hostname', 'nodename', 'host.name', 'kubernetes_io_hostname']) {
    assert.equal(fillShell(ssh, { [name]: 'edge-7' }), "ssh -- 'edge-7' uptime");
    assert.equal(fillShell(ssh, { [name]: 'edge-7', instance: 'exporter:9100' }),
      "ssh -- 'edge-7' uptime");
  }
  assert.equal(fillShell(ssh, { kubernetes_node: 'n7' }), "ssh -- 'n7' uptime");
  assert.equal(fillShell('kubectl describe pod/{pod}', { 'k8s.pod.name': 'cart-1' }),
    "kubectl describe pod/'cart-1'");
});
