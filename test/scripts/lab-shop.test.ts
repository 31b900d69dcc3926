import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Shop } from '../../scripts/lab/shop/shop.ts';

const noon = 1_795_521_600;

function runFor(shop: Shop, seconds: number): void {
  const from = shop.now;
  for (let passed = 5; passed <= seconds; passed += 5) shop.advance(from + passed);
}

/** Over all instances of a service, of samples with these labels. */
function sumOf(shop: Shop, service: string, name: string, labels: object = {}): number {
  return shop.service(service).instances.flatMap(({ metrics }) => [...metrics.samples()])
    .filter((sample) => sample.name === name)
    .filter((sample) =>
      Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

test('requests from outside arrive at what is called two hops below', () => {
  const shop = new Shop(noon);
  runFor(shop, 600);
  const orders = sumOf(shop, 'checkout', 'http_requests_total');
  const charges = sumOf(shop, 'payments', 'http_server_requests_seconds_count');
  assert.ok(orders > 1000 && Math.abs(charges / orders - 1) < 0.1, `${charges} of ${orders}`);
});

test('a slow call outside makes all slow that wait for it, and nothing else', () => {
  const meanOf = (shop: Shop, name: string): number => {
    const route = name === 'storefront' ? { route: '/checkout' } : {};
    const sum = sumOf(shop, name, 'http_request_duration_seconds_sum', route);
    return sum / sumOf(shop, name, 'http_request_duration_seconds_count', route);
  };
  const shop = new Shop(noon);
  shop.outside.set('acquirer', { seconds: 3, failed: 0 });
  runFor(shop, 600);
  const names = ['storefront', 'checkout', 'inventory', 'catalog'];
  const seconds = names.map((name) => meanOf(shop, name));
  assert.deepEqual(seconds.map((each) => each > 2), [true, true, false, false]);
});

test('a process that ends refuses connections, and begins with new counters', () => {
  const shop = new Shop(noon);
  runFor(shop, 60);
  const instance = shop.service('search').instance('search-1');
  instance.kill();
  runFor(shop, 60);
  assert.equal(instance.isUp(), false);
  instance.start(shop.now);
  runFor(shop, 10);
  const other = shop.service('search').instance('search-2');
  const labels = { method: 'GET', route: '/query', code: '200' };
  const [own, others] = [instance, other].map(({ metrics }) =>
    metrics.value('http_requests_total', labels) ?? 0);
  assert.ok((own ?? 0) > 0 && (own ?? 0) < (others ?? 0) / 5, `${own} of ${others}`);
  assert.equal(instance.metrics.value('process_start_time_seconds', {}), noon + 120);
});

test('sessions that are never closed fill the database, and what needs it fails', () => {
  const shop = new Shop(noon);
  shop.database.sessions.push({
    user: 'reporting', database: 'warehouse', state: 'idle', count: 0, perSecond: 1,
  });
  runFor(shop, 300);
  assert.ok(shop.database.isFull());
  assert.ok(sumOf(shop, 'checkout', 'http_requests_total', { code: '500' }) > 100);
});

test('a shop goes on from the state of another with its counters and versions', () => {
  const shop = new Shop(noon);
  shop.service('cart').restart(noon, '3.2.0');
  runFor(shop, 120);
  const next = new Shop(noon);
  next.adopt(JSON.parse(JSON.stringify(shop.state())));
  assert.deepEqual(next.targets().map(({ metrics }) => metrics.text()),
    shop.targets().map(({ metrics }) => metrics.text()));
  runFor(next, 5);
  assert.equal(next.service('cart').instances[0]?.version, '3.2.0');
  const [later, earlier] = [next, shop].map((each) => sumOf(each, 'cart', 'http_requests_total'));
  assert.ok((later ?? 0) > (earlier ?? 0));
});
