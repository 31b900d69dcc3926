import {
  ifNone, names, promql, shell, ssh, type Family, type Step, type TestQuery,
} from '../family.ts';
import {
  describePod, hostAnswers, hostDown, leastFree, ofTarget, onHost,
} from '../usual-checks.ts';
import { stores } from './data-stores.ts';

const ownPod: Step = {
  ...describePod, action: 'Look at the pod if the store runs in one.',
  why: 'Its events show a restart, a failed probe or a missing volume.',
};
const answers = '{__name__=~"(pg|mysql|mssql|redis|mongodb|memcached|elasticsearch|cassandra)_up",';

/** The exporter could not read from Redis, and this is the answer that it got. */
function scrapeError(pattern: string): TestQuery {
  return promql(`count(redis_exporter_last_scrape_error{${ofTarget},err=~".*(${pattern}).*"})`,
    { atLeast: 1 });
}

export const redisDown: Family = {
  id: 'redis-down',
  names: names('(?:redis|valkey)(?:is|instance|server|node)*(?:down|unreachable|offline)'),
  reads: /(?<![\w:])(?:redis|valkey)_up(?![\w:])/u,
  metrics: /(?<![\w:])(?:redis|valkey)_up\s*(?:\{[^{}]*\}\s*)?(?:==|<|!=)/u,
  meaning: 'The exporter gets no answer from Redis.',
  impact: 'If Redis is down, everything that uses it fails; clients already connected may be well.',
  unit: 'state',
  causes: [
    {
      id: 'refused', cause: 'Redis is not running',
      mechanism: 'Nothing listens at its address.',
      test: scrapeError('connection refused|no such host|no route to host'),
      isDirect: true,
    },
    {
      id: 'closed', cause: 'Redis closes new connections at once',
      mechanism: 'maxclients is reached, or protected mode refuses clients of other hosts.',
      test: scrapeError('max number of clients|reset by peer|broken pipe|EOF|closed network'),
      isDirect: true,
    },
    {
      id: 'hangs', cause: 'Redis runs, but does not answer in time',
      mechanism: 'A slow command, swapping or a stopped process holds its one thread.',
      test: scrapeError('i/o timeout|deadline exceeded'),
      isDirect: true,
    },
    {
      id: 'denied', cause: 'Redis denies its exporter access',
      mechanism: 'The password or the rights of its user have changed.',
      test: scrapeError('NOAUTH|WRONGPASS|NOPERM|invalid password'),
      isDirect: true,
    },
    {
      id: 'loading', cause: 'Redis has started and still loads its data',
      mechanism: 'Until that is done it refuses all commands.',
      test: scrapeError('LOADING'),
      isDirect: true,
    },
    hostDown,
  ],
  steps: [
    {
      action: 'Ask the server whether it answers.',
      why: 'Refused means stopped, an error names the reason, and no answer means that it hangs.',
      command: shell('redis-cli -u redis://{instance.address} ping'),
    },
    {
      action: 'Read the error that the exporter got.',
      why: 'The label err holds the error of its last attempt; "unknown network" only means ' +
        'that it got no connection.',
      command: promql(`redis_exporter_last_scrape_error{${ofTarget}}`),
      expected: '0, with an empty err.',
    },
    ownPod,
    hostAnswers,
  ],
};

export const storeDown: Family = {
  id: 'datastore-down',
  names: names(`
    (?:${stores}){1,3}(?:is|instance|server|node|broker|master|cluster)*(?:down|unreachable
    |offline|unavailable|missing|missingmaster|absent)`),
  metrics: new RegExp('(?<![\\w:])(?:pg|mysql|mssql|redis|mongodb|memcached|cassandra)_up\\s*' +
    '(?:\\{[^{}]*\\}\\s*)?(?:==|<|!=)', 'u'),
  meaning: 'The data store, or one of its nodes, does not answer.',
  impact: 'Reads and writes fail, or go on with one node fewer.',
  unit: 'state',
  causes: [
    {
      id: 'refused', cause: 'Its exporter runs but gets no answer from it',
      mechanism: 'The store is stopped, refuses connections, or denies the exporter access.',
      test: ifNone(`min(${answers}${ofTarget}})`),
      unlessRead: /(?<!\w)[a-z]+_up(?!\w)/u,
    },
    {
      id: 'connections', cause: 'All its connections are in use, so its exporter gets none',
      mechanism: 'Clients that are connected go on; each further one is refused.',
      test: promql(`max(max_over_time(mysql_global_status_threads_connected{${ofTarget}}[10m])
        / max_over_time(mysql_global_variables_max_connections{${ofTarget}}[10m]))
        or sum(max_over_time(pg_stat_database_numbackends{${ofTarget}}[10m]))
        / max(max_over_time(pg_settings_max_connections{${ofTarget}}[10m]))`,
        { atLeast: 0.9 }),
    },
    {
      id: 'exporter-down', cause: 'Only its exporter is down',
      mechanism: 'Nothing measures the store any more, but it may be fine.',
      test: ifNone(`min(up{${ofTarget}})`),
    },
    hostDown,
    {
      id: 'disk-full', cause: 'A disk of the host is full',
      mechanism: 'A store that cannot write its log stops.',
      test: leastFree(onHost, { atMost: 0.01, notFrom: 0.05 }),
    },
  ],
  steps: [
    {
      action: 'Ask the server whether it accepts connections (PostgreSQL).',
      why: '"No response" means stopped, "rejecting" that it starts up or recovers.',
      command: shell('pg_isready -h {server.remote|instance.host} -p {server.port|5432}'),
      store: 'postgresql',
    },
    {
      action: 'Ask the server whether it is alive (MySQL).',
      why: 'A server that denies access is running; one with "Too many connections" is full.',
      command: shell('mysqladmin --host={instance.host} ping'),
      store: 'mysql',
    },
    {
      action: 'Ask the server for its role (Redis).',
      why: 'It tells a server that is down from one that lost its master.',
      command: shell('redis-cli -u redis://{instance.address} info replication'),
      expected: 'role is master, or master_link_status is up.',
      store: 'redis',
    },
    {
      action: 'Ask the server whether it is alive (MongoDB).',
      why: 'A server that asks for a login is running.',
      command: shell("mongosh --host={instance.host} --quiet --eval 'db.hello()'"),
      expected: 'isWritablePrimary or secondary is true.',
      onlyFor: 'mongodb',
    },
    {
      action: 'Ask the server whether it is alive (ClickHouse).',
      why: 'It needs no login.',
      command: shell("curl -gsS -m 10 --url http://{instance.host}':8123/ping'"),
      onlyFor: 'clickhouse',
    },
    {
      action: 'Ask the cluster which nodes are up (Cassandra).',
      why: 'DN marks a node that the others cannot reach, UJ and UL one that joins or leaves.',
      command: ssh('nodetool status'),
      onlyFor: 'cassandra',
    },
    {
      action: 'Ask the node for the state of its cluster (RabbitMQ).',
      why: 'It lists the running nodes, partitions and alarms.',
      command: ssh('sudo rabbitmqctl cluster_status'),
      onlyFor: 'rabbitmq',
    },
    ownPod,
    hostAnswers,
  ],
};
