/** A ticket shop in Ruby, whose business figures come through a statsd exporter. */
import type { Metrics } from '../shop/metrics.ts';
import { demand, exposeProcess, LinuxHost, millisecondBounds, serve } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

interface Provider {
  readonly psp: string;
  readonly milliseconds: number;
  /** Payments per second, by scheme. */
  readonly schemes: Readonly<Record<string, number>>;
}

const providers: readonly Provider[] = [
  { psp: 'nordpay', milliseconds: 410,
    schemes: { cartes_bancaires: 2.4, visa: 1.1, mastercard: 0.9 } },
  { psp: 'clearwave', milliseconds: 300, schemes: { visa: 2.2, mastercard: 1.7, amex: 0.3 } },
  { psp: 'giroflow', milliseconds: 720, schemes: { sepa: 0.8, ideal: 0.7 } },
];
const webs = ['web-a', 'web-b', 'web-c', 'web-d'];

/** The answers of a provider to a scheme: shares by code; the rest is approved. */
function codesOf(world: World, psp: string, scheme: string): Record<string, number> {
  const isDown = world.age !== null && psp === 'nordpay' && scheme === 'cartes_bancaires';
  return {
    '00': 1, '51_insufficient_funds': 0.045, '05_do_not_honour': 0.02,
    '96_system_malfunction': isDown ? 0.72 : 0.002,
    '59_suspected_fraud': 0.012,
  };
}

function build(world: World): (dt: number) => void {
  const statsd = world.place({ job: 'statsd', instance: 'statsd.tickets.internal:9102',
    dc: 'par3' });
  const redis = world.place({ job: 'redis', instance: 'redis-jobs.tickets.internal:9121',
    dc: 'par3' });
  const rails = webs.map((name) =>
    world.place({ job: 'rails', instance: `${name}.tickets.internal:9394`, dc: 'par3' }));
  const hosts = [...webs, 'jobs-a'].map((name) => new LinuxHost(world,
    world.place({ job: 'node', instance: `${name}.tickets.internal:9100`, dc: 'par3' }),
    { cores: 8, memory: 32e9, disks: [
      { device: 'vda2', mountpoint: '/', bytes: 60e9, usedBytes: 21e9 },
    ] }));
  return (dt) => {
    const wave = demand(world, 'buyers', 1);
    const paid = pay(world, dt, statsd.metrics, wave);
    exposeShop(world, dt, statsd.metrics, { wave, paid });
    const isSlow = world.age !== null;
    rails.forEach((target, index) => {
      for (const [controller, action, rate, mean] of [
        ['events', 'show', 21, 0.07], ['carts', 'update', 7, 0.05],
        ['payments', 'create', 2.6, isSlow ? 1.9 : 0.52], ['orders', 'show', 2, 0.04],
      ] as const) {
        serve(world, dt, {
          metrics: target.metrics, name: 'http_request_duration_seconds',
          labels: { controller, action }, status: 'status', codes: { 200: 1, 500: 0.0005 },
          rate: rate * wave, mean: mean * world.noise.level(`${index} ${action}`, 0.05),
          shape: { bounds: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10], steepness: 4 },
        });
      }
      target.metrics.set('puma_busy_threads', {},
        world.noise.count(3.2 * wave + (isSlow ? 4 : 0)));
      target.metrics.set('puma_max_threads', {}, 40);
      target.metrics.set('puma_backlog', {}, 0);
      target.metrics.set('ruby_rss', {}, Math.round(6.1e8 * world.noise.level(`rss ${index}`,
        0.04)));
      exposeProcess(world, target, dt, {
        cpu: 0.9 * wave, memory: 6.1e8, startedAt: world.origin - 2 * 86_400,
      });
    });
    enqueue(world, dt, redis.metrics);
    hosts.forEach((host) => {
      host.busy = 1.4 * wave;
      host.step(dt);
    });
  };
}

/** Returns how many payments were approved in this step. */
function pay(world: World, dt: number, metrics: Metrics, wave: number): number {
  let paid = 0;
  for (const { psp, milliseconds, schemes } of providers) {
    for (const [scheme, rate] of Object.entries(schemes)) {
      const codes = codesOf(world, psp, scheme);
      const count = world.noise.count(rate * wave * dt);
      let left = count;
      for (const [code, share] of Object.entries(codes)) {
        if (code === '00') continue;
        const some = Math.min(left, world.noise.count(count * share));
        left -= some;
        metrics.add('payments_authorize_total', { psp, scheme, result: 'declined', code }, some);
      }
      metrics.add('payments_authorize_total', { psp, scheme, result: 'approved', code: '00' },
        left);
      paid += left;
      const isDown = (codes['96_system_malfunction'] ?? 0) > 0.1;
      metrics.observe('payments_authorize_duration_ms', { psp, scheme }, count,
        (isDown ? 5200 : milliseconds) * world.noise.level(`${psp} ${scheme}`, 0.08),
        millisecondBounds);
    }
  }
  return paid;
}

function exposeShop(
  world: World,
  dt: number,
  metrics: Metrics,
  { wave, paid }: { readonly wave: number; readonly paid: number },
): void {
  metrics.add('shop_orders_total', { state: 'paid' }, paid);
  metrics.add('shop_orders_total', { state: 'abandoned' }, world.noise.count(2.4 * wave * dt));
  metrics.add('shop_revenue_eur_total', {}, paid * 61);
  metrics.set('shop_carts_open', {}, Math.round(1450 * wave * world.noise.level('carts', 0.04)));
  // A popular tour goes on sale, as every other hour.
  const onSale = Math.floor(world.now / 7200) % 2;
  metrics.set('shop_events_on_sale', {}, 312 + onSale);
  for (const [app, before] of [['storefront', 86_400], ['back-office', 400], ['seatmap',
    9000]] as const) {
    const deployed = world.clock > -before ? world.origin + 86_400 - before : world.origin - 90_000;
    metrics.set('deploy_last_timestamp_seconds', { app }, deployed);
  }
}

/** A newsletter that is sent while payments fail. */
function enqueue(world: World, dt: number, metrics: Metrics): void {
  const mails = world.age !== null && world.age > 12 ? Math.max(0, 900 - (world.age - 12) * 4) : 0;
  for (const [queue, usual] of [['mailers', 3], ['default', 8], ['invoices', 2]] as const) {
    metrics.set('sidekiq_queue_size', { queue },
      world.noise.count(usual) + (queue === 'mailers' ? Math.round(mails) : 0));
    metrics.add('sidekiq_jobs_total', { queue, status: 'success' }, world.noise.count(usual * dt));
    metrics.add('sidekiq_jobs_total', { queue, status: 'failure' }, world.noise.count(0.002 * dt));
  }
  metrics.set('redis_connected_clients', {}, Math.round(88 * world.noise.level('clients', 0.04)));
  metrics.set('redis_memory_used_bytes', {}, Math.round(2.2e8 * world.noise.level('redis', 0.03)));
}

export const incident = inWorld({
  name: 'psp-declines',
  what: 'the payment provider nordpay answers 72 % of Cartes Bancaires with code 96, after 5 s',
  truth: {
    says: 'Fewer payments are approved since T because nordpay declines 72 % of its Cartes '
      + 'Bancaires '
      + 'payments with code 96_system_malfunction, after 5 s instead of 0.4; its Visa and '
      + 'Mastercard and the other providers are as before. Nothing of ours changed; the newsletter '
      + 'in the mailers queue and the back-office deploy are coincidence. Route the scheme to '
      + 'another provider and call nordpay.',
    alerts: ['PaymentAcceptanceRateLow', 'CheckoutPaymentSlow'],
    cause: /nordpay|cartes_bancaires|96_system|malfunction/,
    culprit: /nordpay|cartes_bancaires/,
    holds: [/payments?.*(slow|longer|duration)/, /declined/],
    isFalse: [
      /clearwave|giroflow/, /mailers|sidekiq|newsletter/, /back-office|deploy|release/,
      /insufficient|fraud/, /traffic|more requests/, /redis|puma|memory/, /\bhost\b|web-[abcd]/,
    ],
    mayNotBeRuledOut: /nordpay|provider|external|third|depend|psp/,
    step: /nordpay|psp|provider|cartes|payments_authorize/,
  },
  rules: [
    {
      alert: 'PaymentAcceptanceRateLow', for: '30s', severity: 'critical',
      labels: { squad: 'payments', page: 'true' },
      expr: 'sum(rate(payments_authorize_total{result="approved"}[2m])) '
        + '/ sum(rate(payments_authorize_total[2m])) < 0.82',
      annotations: {
        title: 'Only {{ $value | humanizePercentage }} of payments are accepted',
        dashboard: 'https://grafana.tickets.example/d/payments',
      },
    },
    {
      alert: 'CheckoutPaymentSlow', for: '1m', labels: { squad: 'payments' },
      expr: 'histogram_quantile(0.9, sum by (le, action) (rate(http_request_duration_seconds_bucket'
        + '{controller="payments"}[2m]))) > 2.5',
    },
    { alert: 'SidekiqBacklog', expr: 'sidekiq_queue_size > 5000', labels: { squad: 'platform' } },
  ],
  proofs: [
    'sum(rate(payments_authorize_total{psp="nordpay",scheme="cartes_bancaires",'
      + 'code="96_system_malfunction"}[1m])) / sum(rate(payments_authorize_total{psp="nordpay",'
      + 'scheme="cartes_bancaires"}[1m])) > 0.6',
    'sum(rate(payments_authorize_total{psp="nordpay",scheme!="cartes_bancaires",result="approved"}'
      + '[2m])) / sum(rate(payments_authorize_total{psp="nordpay",scheme!="cartes_bancaires"}[2m]))'
      + ' > 0.85',
    'sum(rate(payments_authorize_total{psp!="nordpay",result="approved"}[2m]))'
      + ' / sum(rate(payments_authorize_total{psp!="nordpay"}[2m])) > 0.85',
    'sum(rate(payments_authorize_duration_ms_sum{scheme="cartes_bancaires"}[1m])) '
      + '/ sum(rate(payments_authorize_duration_ms_count{scheme="cartes_bancaires"}[1m])) > 4000',
    'sidekiq_queue_size{queue="mailers"} > 300',
  ],
  build,
});
