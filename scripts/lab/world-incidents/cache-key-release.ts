/** A dating site in PHP with memcached before MySQL, on machines with numbers for names. */
import type { Metrics } from '../shop/metrics.ts';
import { demand, LinuxHost } from '../worlds/parts.ts';
import { inWorld, type World } from '../worlds/world.ts';

const webs = ['fe101', 'fe102', 'fe103', 'fe104'];
const caches = ['mc201', 'mc202'];
const release = '2026-11-29.2';
const before = '2026-11-26.1';
/** Seconds from one web server to the next as the release is rolled out. */
const rollSeconds = 6;
/** What php-fpm does on each web server. */
const processes = 40;

const isNewOn = (world: World, index: number): boolean =>
  world.age !== null && world.age >= index * rollSeconds;

/** Share of the web servers that ask for the new keys. */
const newShare = (world: World): number =>
  webs.filter((_, index) => isNewOn(world, index)).length / webs.length;

function build(world: World): (dt: number) => void {
  const fpm = webs.map((name) => world.place({ job: 'php-fpm', host: name,
    instance: `${name}:9253` }));
  const memcached = caches.map((name) =>
    world.place({ job: 'memcached', host: name, instance: `${name}:9150` }));
  const mysql = ['db301', 'db302'].map((name) =>
    world.place({ job: 'mysqld', host: name, instance: `${name}:9104` }));
  const textfile = [...webs, ...caches, 'db301', 'db302', 'adm001'].map((name) => {
    const endpoint = world.place({ job: 'node', host: name, instance: `${name}:9100` });
    const disks = [{ device: 'sda2', mountpoint: '/', bytes: 200e9, usedBytes: 71e9 },
      ...(name.startsWith('db')
        ? [{ device: 'sdb1', mountpoint: '/srv/mysql', bytes: 1.6e12, usedBytes: 9.1e11 }] : [])];
    return { name, endpoint, host: new LinuxHost(world, endpoint, { cores: 8, memory: 64e9,
      disks }) };
  });
  return (dt) => {
    const views = 260 * demand(world, 'views', 1);
    const share = newShare(world);
    const reads = views * 6;
    const missing = reads * (0.035 * (1 - share) + 0.78 * share);
    const queries = views * 1.1 + missing;
    const load = queries / 700;
    const seconds = load < 1 ? 0.0022 / Math.max(0.3, 1 - load * 0.4) : 0.005 + (load - 1) * 0.09;
    exposeCaches(world, dt, memcached.map(({ metrics }) => metrics), { reads, missing, share });
    fpm.forEach(({ metrics }, index) => {
      servePages(world, dt, metrics, { index, views: views / webs.length, seconds });
    });
    mysql.forEach(({ metrics }, index) => {
      query(world, dt, metrics, { isPrimary: index === 0, queries, seconds, views });
    });
    for (const { name, endpoint, host } of textfile) {
      const index = webs.indexOf(name);
      host.busy = name === 'db301' ? 1.1 + Math.min(6.4, load * 3) : index >= 0 ? 2.6 * views / 260
        : 0.9;
      host.memoryShare = name.startsWith('mc') ? 0.83 : 0.5;
      // A dump of the replica runs each morning and has just begun.
      if (name === 'db302' && world.clock > -60) {
        host.reads.set('sdb1', 1.4e8);
        host.ioBusy.set('sdb1', 0.6);
      }
      host.step(dt);
      if (index >= 0) {
        const isNew = isNewOn(world, index);
        endpoint.metrics.remove('app_release_info');
        endpoint.metrics.set('app_release_info',
          { app: 'profile', release: isNew ? release : before }, 1);
        endpoint.metrics.set('app_release_info', { app: 'chat', release: '2026-11-18.4' }, 1);
      }
      if (name === 'adm001') {
        endpoint.metrics.remove('app_release_info');
        endpoint.metrics.set('app_release_info',
          { app: 'backoffice', release: world.clock > -200 ? '2026-11-29.1' : '2026-11-20.3' }, 1);
      }
    }
  };
}

function exposeCaches(
  world: World,
  dt: number,
  all: readonly Metrics[],
  { reads, missing, share }: {
    readonly reads: number; readonly missing: number; readonly share: number;
  },
): void {
  all.forEach((metrics, index) => {
    const gets = world.noise.count(reads / 2 * dt);
    const misses = Math.min(gets, world.noise.count(missing / 2 * dt));
    metrics.add('memcached_commands_total', { command: 'get', status: 'hit' }, gets - misses);
    metrics.add('memcached_commands_total', { command: 'get', status: 'miss' }, misses);
    metrics.add('memcached_commands_total', { command: 'set', status: 'hit' }, misses);
    const items = metrics.value('memcached_current_items', {}) ?? 1.9e6 + index * 4000;
    const grows = share > 0 ? misses * 0.9 : world.noise.normal() * 3;
    metrics.set('memcached_current_items', {}, Math.round(Math.max(1.8e6, items + grows)));
    metrics.add('memcached_items_evicted_total', {}, world.noise.count(0.4 * dt));
    metrics.set('memcached_current_bytes', {}, Math.round(items * 2600));
    metrics.set('memcached_limit_bytes', {}, 12e9);
    metrics.set('memcached_current_connections', {},
      Math.round(412 * world.noise.level(`mc ${String(index)}`, 0.02)));
    metrics.set('memcached_uptime_seconds', {}, 7_300_000 + Math.round(world.clock));
    metrics.set('memcached_up', {}, 1);
  });
}

function servePages(
  world: World,
  dt: number,
  metrics: Metrics,
  { index, views, seconds }: {
    readonly index: number; readonly views: number; readonly seconds: number;
  },
): void {
  const pool = { pool: 'www' };
  const mean = 0.038 + seconds * 5;
  const wanted = views * mean;
  const active = Math.min(processes, wanted);
  metrics.set('phpfpm_active_processes', pool, world.noise.count(active));
  metrics.set('phpfpm_total_processes', pool, processes);
  metrics.set('phpfpm_idle_processes', pool, Math.max(0, Math.round(processes - active)));
  metrics.set('phpfpm_listen_queue', pool, 
    wanted > 36 ? world.noise.count((wanted - 36) * 2) : 0);
  metrics.add('phpfpm_accepted_connections', pool, world.noise.count(views * dt));
  // A reload of the pool is part of each release.
  const since = isNewOn(world, index) && world.age !== null ? world.age - index * rollSeconds
    : 240_000 + world.clock;
  metrics.set('phpfpm_start_since', pool, Math.round(since));
  for (const route of ['/u/{id}', '/matches', '/api/presence']) {
    const isUser = route !== '/api/presence';
    metrics.observe('app_page_seconds', { route, status: '200' },
      world.noise.count(views / 3 * dt), isUser ? mean * 1.2 : 0.01,
      { bounds: [0.01, 0.03, 0.1, 0.3, 1, 3, 10], steepness: 4 });
  }
}

function query(
  world: World,
  dt: number,
  metrics: Metrics,
  { isPrimary, queries, seconds, views }: {
    readonly isPrimary: boolean; readonly queries: number; readonly seconds: number;
    readonly views: number;
  },
): void {
  const selects = isPrimary ? queries : 40;
  const busy = isPrimary ? queries * seconds : 0.5;
  metrics.set('mysql_up', {}, 1);
  metrics.add('mysql_global_status_queries', {}, world.noise.count((selects + views * 0.2) * dt));
  for (const [command, rate] of [['select', selects], ['update', isPrimary ? views * 0.09 : 0],
    ['insert', isPrimary ? views * 0.05 : 0]] as const) {
    metrics.add('mysql_global_status_commands_total', { command }, world.noise.count(rate * dt));
  }
  metrics.set('mysql_global_status_threads_running', {}, 2 + world.noise.count(Math.min(260,
    busy)));
  metrics.set('mysql_global_status_threads_connected', {},
    Math.round(120 + Math.min(250, busy) + 5 * world.noise.normal()));
  metrics.set('mysql_global_variables_max_connections', {}, 800);
  metrics.add('mysql_global_status_slow_queries', {},
    world.noise.count((seconds > 0.02 ? selects * 0.02 : 0.01) * dt));
  metrics.add('mysql_global_status_innodb_row_ops_total', { operation: 'read' }, selects * 11 * dt);
  metrics.add('mysql_global_status_innodb_buffer_pool_reads', {}, selects * 0.01 * dt);
  metrics.set('mysql_slave_status_seconds_behind_master', {}, isPrimary ? 0
    : world.noise.count(0.3));
}

export const incident = inWorld({
  name: 'cache-key-release',
  what: 'release 2026-11-29.2 of profile asks memcached for other keys: 4 of 5 reads become '
    + 'queries',
  truth: {
    says: 'db301 is overloaded since T because four of five reads of memcached miss, where 3.5 % '
      + 'did: '
      + 'profile 2026-11-29.2 was rolled out on fe101 to fe104 at T and asks for other keys. '
      + 'memcached did not restart, lost nothing and evicts nothing more; its items grow. No more '
      + 'page views. The dump on db302 and backoffice 2026-11-29.1 are coincidence. Roll back.',
    alerts: ['MySQLThreadsRunning', 'PhpFpmQueueing', 'ProfilePagesSlow'],
    unrelated: ['Watchdog'],
    cause: /miss|\bhits?\b|hit rate|hit ratio|release|2026-11-29\.2|rolled out|deploy/,
    culprit: /profile|2026-11-29\.2|memcached|mc20\d/,
    holds: [/quer(y|ies)|select|innodb|row_ops/, /set\b/, /phpfpm.*(start|restart|reload)|restart/],
    isFalse: [
      /backoffice|2026-11-29\.1|adm001/, /chat/, /db302|dump|backup/, /evict/,
      /traffic|more (requests|page views)|accepted_connections/, /memcached.*restart/, /network/,
      /\bdisk\b/, /leak/,
    ],
    mayNotBeRuledOut: /cache|memcached|release|profile|miss/,
    step: /profile|release|memcached|cache|roll|processlist|miss/,
  },
  rules: [
    {
      alert: 'MySQLThreadsRunning', for: '30s', severity: 'critical', labels: { oncall: 'dba' },
      expr: 'avg_over_time(mysql_global_status_threads_running[1m]) > 40',
      annotations: { description: '{{ $labels.host }}: {{ $value }} running threads' },
    },
    {
      alert: 'PhpFpmQueueing', for: '30s', labels: { oncall: 'web' },
      expr: 'sum by (job) (phpfpm_listen_queue) > 20',
    },
    {
      alert: 'ProfilePagesSlow', for: '30s', labels: { oncall: 'web' },
      expr: 'histogram_quantile(0.95, sum by (le, route) (rate(app_page_seconds_bucket[1m]))) > '
        + '1.5',
    },
    { alert: 'Watchdog', for: '0s', expr: 'vector(1)', labels: { oncall: 'none' } },
  ],
  proofs: [
    'sum(rate(memcached_commands_total{command="get",status="hit"}[1m])) / '
      + 'sum(rate(memcached_commands_total{command="get"}[1m])) < 0.3',
    'sum(rate(memcached_commands_total{command="get",status="hit"}[1m] offset 5m)) / '
      + 'sum(rate(memcached_commands_total{command="get"}[1m] offset 5m)) > 0.9',
    'sum(rate(memcached_items_evicted_total[2m])) < 3',
    'min(memcached_uptime_seconds) > 86400',
    'count(app_release_info{app="profile",release="2026-11-29.2"}) == 4',
    'abs(sum(rate(phpfpm_accepted_connections[1m])) / sum(rate(phpfpm_accepted_connections[1m] '
      + 'offset 5m)) - 1) < 0.15',
    'sum(rate(mysql_global_status_commands_total{command="select"}[1m])) > 2 * '
      + 'sum(rate(mysql_global_status_commands_total{command="select"}[1m] offset 5m))',
  ],
  build,
});
