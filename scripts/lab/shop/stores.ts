/** The database server and its replica, the cache and the message broker, as exporters see them. */
import type { Noise } from './noise.ts';
import { connectionsMax, queues } from './plan.ts';
import { Target } from './target.ts';

/** Sessions at the database server that no pool of a service accounts for. */
export interface Sessions {
  readonly user: string;
  readonly database: string;
  readonly state: 'active' | 'idle' | 'idle in transaction';
  count: number;
  /** Opened per second and never closed. */
  readonly perSecond?: number;
}

export class Database extends Target {
  /** Times the ordinary time of a query. */
  queryFactor = 1;
  /** Beyond those of the services. */
  readonly sessions: Sessions[] = [];
  startedAt = 0;
  /** Connections of the services in use and idle, by user and database. */
  readonly #pools = new Map<string, { used: number; idle: number }>();
  readonly #queries = new Map<string, number>();
  #connections = 0;

  constructor() {
    super('postgres', 'db-1:9187', 'db-1');
  }

  /** A service's connections and queries in this step. */
  use(user: string, database: string, used: number, queries: number): void {
    const key = `${user} ${database}`;
    const pool = this.#pools.get(key) ?? { used: 0, idle: 0 };
    this.#pools.set(key, { used: pool.used + used, idle: pool.idle + 3 });
    this.#queries.set(database, (this.#queries.get(database) ?? 0) + queries);
  }

  /** Three connections are kept for administrators. */
  isFull(): boolean {
    return this.#connections >= connectionsMax - 3;
  }

  secondsPerQuery(): number {
    return 0.003 * this.queryFactor;
  }

  step(dt: number, noise: Noise): void {
    for (const each of this.sessions) {
      if (!this.isFull()) each.count += (each.perSecond ?? 0) * dt;
    }
    const own = [...this.#pools.values()].reduce((sum, { used, idle }) => sum + used + idle, 0);
    this.#connections = own + this.sessions.reduce((sum, { count }) => sum + count, 0);
    const { metrics } = this;
    metrics.set('pg_up', {}, 1);
    metrics.set('pg_settings_max_connections', {}, connectionsMax);
    metrics.set('pg_postmaster_start_time_seconds', {}, this.startedAt);
    metrics.remove('pg_stat_activity_count');
    const state = (key: string, name: string, count: number): void => {
      const [usename = '', datname = ''] = key.split(' ');
      const labels = { datname, usename, state: name };
      const before = metrics.value('pg_stat_activity_count', labels) ?? 0;
      metrics.set('pg_stat_activity_count', labels, before + Math.round(count));
    };
    for (const [key, { used, idle }] of this.#pools) {
      state(key, 'active', used);
      state(key, 'idle', idle * noise.level(`${key} idle`, 0.1));
    }
    for (const { user, database, state: is, count } of this.sessions) {
      state(`${user} ${database}`, is, count);
    }
    for (const [datname, queries] of this.#queries) {
      metrics.add('pg_stat_database_xact_commit', { datname }, queries);
      metrics.add('pg_stat_database_blks_hit', { datname }, queries * 14);
      metrics.add('pg_stat_database_blks_read', { datname }, queries * 0.1);
    }
    this.#pools.clear();
    this.#queries.clear();
  }
}

export class Replica extends Target {
  /** Seconds by which it falls behind per second; negative while it catches up. */
  lagPerSecond = 0;
  lagSeconds = 0;

  constructor() {
    super('postgres', 'db-2:9187', 'db-2');
  }

  step(dt: number, noise: Noise): void {
    this.lagSeconds = Math.max(0, this.lagSeconds + this.lagPerSecond * dt);
    const { metrics } = this;
    metrics.set('pg_up', {}, 1);
    metrics.set('pg_replication_is_replica', {}, 1);
    const lag = this.lagSeconds + 0.3 * noise.level('lag', 0.4);
    metrics.set('pg_replication_lag_seconds', {}, lag);
    const isStopped = this.lagPerSecond >= 1;
    metrics.add('pg_wal_replayed_bytes_total', {}, isStopped ? 0 : 90_000 * dt);
  }
}

export class Cache extends Target {
  /** Share of its memory limit. */
  usedShare = 0.55;
  startedAt = 0;
  #reads = 0;
  #misses = 0;

  constructor() {
    super('redis', 'db-2:9121', 'db-2');
  }

  use(reads: number, misses: number): void {
    this.#reads += reads;
    this.#misses += misses;
  }

  step(noise: Noise): void {
    const { metrics } = this;
    const used = Math.min(1, this.usedShare * noise.level('redis memory', 0.02));
    metrics.set('redis_up', {}, 1);
    metrics.set('redis_start_time_seconds', {}, this.startedAt);
    metrics.set('redis_memory_used_bytes', {}, used * 512e6);
    metrics.set('redis_memory_max_bytes', {}, 512e6);
    metrics.set('redis_db_keys', { db: 'db0' }, Math.round(used * 400_000));
    metrics.set('redis_connected_clients', {}, Math.round(26 * noise.level('clients', 0.05)));
    metrics.add('redis_keyspace_hits_total', {}, this.#reads - this.#misses);
    metrics.add('redis_keyspace_misses_total', {}, this.#misses);
    metrics.add('redis_commands_processed_total', {}, this.#reads + this.#misses);
    metrics.add('redis_evicted_keys_total', {}, used > 0.99 ? this.#misses : 0);
    this.#reads = 0;
    this.#misses = 0;
  }
}

export class Broker extends Target {
  /** Messages that wait, by queue. */
  readonly depth: Map<string, number> = new Map(queues.map((name) => [name, 0]));
  readonly #published = new Map<string, number>();
  readonly #capacity = new Map<string, number>();
  readonly #consumers = new Map<string, number>();

  constructor() {
    super('rabbitmq', 'app-2:15692', 'app-2');
  }

  publish(queue: string, count: number): void {
    this.#published.set(queue, (this.#published.get(queue) ?? 0) + count);
  }

  /** One consumer, which can take so many messages in this step. */
  consume(queue: string, capacity: number): void {
    this.#capacity.set(queue, (this.#capacity.get(queue) ?? 0) + capacity);
    this.#consumers.set(queue, (this.#consumers.get(queue) ?? 0) + 1);
  }

  /** Returns how many messages were taken from each queue. */
  step(): ReadonlyMap<string, number> {
    const taken = new Map<string, number>();
    for (const [queue, before] of this.depth) {
      const labels = { queue, vhost: '/' };
      const published = this.#published.get(queue) ?? 0;
      const took = Math.min(before + published, this.#capacity.get(queue) ?? 0);
      this.depth.set(queue, before + published - took);
      taken.set(queue, took);
      const { metrics } = this;
      metrics.set('rabbitmq_queue_messages_ready', labels, Math.floor(before + published - took));
      metrics.set('rabbitmq_queue_consumers', labels, this.#consumers.get(queue) ?? 0);
      metrics.add('rabbitmq_queue_messages_published_total', labels, published);
      metrics.add('rabbitmq_queue_messages_delivered_total', labels, took);
    }
    this.#published.clear();
    this.#capacity.clear();
    this.#consumers.clear();
    return taken;
  }
}
