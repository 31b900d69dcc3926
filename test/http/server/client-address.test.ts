import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientOf } from '../../../src/http/server/client-address.ts';
import { parseNetworkList } from '../../../src/lib/network-list.ts';
import { collectGarbage } from '../../support/collect-garbage.ts';

const nobody = parseNetworkList([]);
const proxies = parseNetworkList(['10.0.0.0/8', 'fd00::/8', '192.0.2.7']);

const plain: readonly [address: string, client: string][] = [
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::ffff:cb00:7109', '203.0.113.9'],
  ['0:0:0:0:0:ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
];
for (const [address, client] of plain) {
  test(`clientOf() counts the socket ${address || '(gone)'} as ${client}`, () => {
    assert.equal(clientOf(address, undefined, nobody), client);
  });
}

const forwarded: readonly [socket: string, header: string, client: string][] = [
  ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['10.1.1.1', '198.51.100.1', '198.51.100.1'],
  ['::ffff:10.1.1.1', '198.51.100.1', '198.51.100.1'],
  ['10.1.1.1', '1.2.3.4, 198.51.100.1', '198.51.100.1'],
  ['10.1.1.1', '1.2.3.4, 198.51.100.1, 10.2.2.2,192.0.2.7', '198.51.100.1'],
  ['10.1.1.1', '198.51.100.1:4711', '198.51.100.1'],
  ['10.1.1.1', '[2001:db8::5]:4711', '2001:db8:0:0::/64'],
  ['fd00::1', '2001:db8:9:9::5', '2001:db8:9:9::/64'],
  ['10.1.1.1', '198.51.100.1, garbage, 10.2.2.2', '10.2.2.2'],
  ['10.1.1.1', '', '10.1.1.1'],
  ['10.1.1.1', '10.3.3.3', '10.3.3.3'],
  ['10.1.1.1', 'unknown', '10.1.1.1'],
];
for (const [socket, header, client] of forwarded) {
  test(`clientOf() counts ${socket} forwarding "${header}" as ${client}`, () => {
    assert.equal(clientOf(socket, header, proxies), client);
  });
}

test('clientOf() counts a trusted proxy itself where it forwards for nobody', () => {
  assert.equal(clientOf('10.1.1.1', undefined, proxies), '10.1.1.1');
  assert.equal(clientOf('fd00::1', undefined, proxies), 'fd00:0:0:0::/64');
});

test('clientOf() walks at most 16 hops', () => {
  const hops = ['198.51.100.1', ...Array<string>(16).fill('10.9.9.9')];
  assert.equal(clientOf('10.1.1.1', hops.join(), proxies), '10.9.9.9');
  assert.equal(clientOf('10.1.1.1', hops.slice(0, 16).join(), proxies), '198.51.100.1');
});

test('clientOf() looks only at the end of an overlong field', () => {
  const field = `${'x'.repeat(10_000)}, 198.51.100.1`;
  assert.equal(clientOf('10.1.1.1', field, proxies), '198.51.100.1');
});

test('clientOf() keeps nothing of the field in memory but the client', () => {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const clients = Array.from({ length: 1000 }, (_, index) => {
    const field = Buffer.from(`${'x'.repeat(15_000)}, 198.51.100.${100 + index % 100}`);
    return clientOf('10.1.1.1', field.toString('latin1'), proxies);
  });
  collectGarbage();
  const kept = process.memoryUsage().heapUsed - before;
  assert.ok(kept < 5_000_000, `${clients.length} clients keep ${kept} bytes`);
});

const garbled = ['', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::/129', 'host', '10.0.0/8'];
for (const entry of garbled) {
  test(`parseNetworkList() refuses ${JSON.stringify(entry)} by name`, () => {
    assert.throws(() => parseNetworkList(['10.0.0.1', entry]), (error: Error) => {
      assert.ok(error instanceof RangeError);
      return error.message.includes(JSON.stringify(entry));
    });
  });
}

test('parseNetworkList() has no network for what is no address', () => {
  assert.equal(parseNetworkList(['0.0.0.0/0']).has('garbage'), false);
});
