import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAlert, type Alert } from '../../src/alert/alert.ts';
import { families } from '../../src/knowledge/families.ts';
import { alwaysOn } from '../../src/knowledge/families/always-on.ts';
import { knowledgeFor, type FilledCause } from '../../src/knowledge/knowledge-for.ts';
import { sampleLabels } from '../support/samples/knowledge-labels.ts';

test('knowledgeFor() is null for an alert that nobody knows', () => {
  assert.equal(knowledgeFor(alertWith({ alertname: 'RevenueAnomaly' }), null), null);
  assert.equal(knowledgeFor(alertWith({}), null), null);
});

test('knowledgeFor() fills tests and steps with the labels of the alert', () => {
  const labels = { alertname: 'KubePodCrashLooping', namespace: 'shop', pod: "it's" };
  const knowledge = knowledgeFor(alertWith(labels), null);
  assert.equal(knowledge?.family.id, 'pod-crash-looping');
  assert.equal(knowledge.how, 'name');
  const log = "kubectl logs --namespace='shop' --previous --tail=100 --all-containers " +
    "--ignore-errors pod/'it'\\''s'";
  assert.equal(knowledge.steps[0]?.command, log);
  assert.deepEqual(
    knowledge.causes.find(({ id }) => id === 'oom-killed')?.test?.bounds,
    { atLeast: 1, notUpTo: 0 },
  );
});

test('knowledgeFor() keeps a cause without its test, and drops a step without its command', () => {
  const knowledge = knowledgeFor(alertWith({ alertname: 'KubePodCrashLooping' }), null);
  assert.ok(knowledge !== null);
  assert.deepEqual(knowledge.steps, []);
  assert.ok(knowledge.causes.length >= 3);
  assert.ok(knowledge.causes.every(({ test: filled }) => filled === null));
});

test('knowledgeFor() marks the cause that the alert itself names', () => {
  const labels = { alertname: 'KubeContainerWaiting', reason: 'ImagePullBackOff' };
  const causes = knowledgeFor(alertWith(labels), null)?.causes ?? [];
  const suggested = causes.filter(({ suggestedByAlert }) => suggestedByAlert);
  assert.deepEqual(suggested.map(({ id }) => id), ['image-pull']);
});

test('knowledgeFor() asks only for rollouts and pods of the workload that the alert names', () => {
  const textOf = (id: string, labels: Record<string, string>): string =>
    testOf(id, { namespace: 'shop', ...labels })?.text ?? '';
  const mismatch = { alertname: 'KubeDeploymentReplicasMismatch', deployment: 'search' };
  assert.match(textOf('new-pods-unready', mismatch),
    /generation\{namespace="shop",deployment=~"search\(-\.\*\)\?"\}\[1h\]\) - changes\(kube_/u);
  for (const id of ['no-capacity', 'image', 'crash']) {
    assert.match(textOf(id, mismatch), /\{namespace="shop",pod=~"search\(-\.\*\)\?"/u);
  }
  const pod = 'checkout-7d9f6c5b8-x2xk9';
  assert.match(textOf('release', { alertname: 'KubePodCrashLooping', pod }),
    /deployment=~"checkout\(/u);
  assert.match(textOf('release', { alertname: 'HighErrorRate', job: 'api' }), /=~"api\(/u);
  assert.match(textOf('release', { alertname: 'HighErrorRate' }),
    /generation\{namespace="shop"\}\[1h\]\)/u);
});

test('knowledgeFor() asks for what is absent, which its alert does not name', () => {
  const alert = alertWith({ alertname: 'LokiAbsent', severity: 'critical' });
  const knowledge = knowledgeFor(alert, 'absent(up{job="loki", cluster=~"a.*"} == 1)');
  const process = knowledge?.causes.find(({ id }) => id === 'process-down');
  assert.equal(process?.test?.text, 'changes(process_start_time_seconds{job="loki"}[1h])');
  const missing = knowledge?.causes.find(({ id }) => id === 'none-listed');
  assert.equal(missing?.test?.text, 'absent(up{job="loki"}) or ' +
    'count(up{job="loki"} offset 1h) - count(up{job="loki"})');
});

test('knowledgeFor() asks what waits in the queue of a consumer that has stopped', () => {
  const queries = (labels: Record<string, string>, expression: string): (string | undefined)[] =>
    ['stalled', 'nothing-to-do'].map((id) => knowledgeFor(alertWith(labels), expression)
      ?.causes.find((cause) => cause.id === id)?.test?.text);
  const named = { alertname: 'NoOrders', job: 'worker', queue: 'orders' };
  const expression = 'rate(jobs_processed_total[5m]) == 0';
  const [stalled, nothing] = queries(named, expression);
  assert.match(nothing ?? '', /^max\(redis_key_size\{key="orders"\} or .*queue="orders"\}\)$/u);
  assert.ok(stalled?.startsWith(`${nothing} and on () sum({__name__=~`), stalled);
  const { queue: _, ...nameless } = named;
  assert.deepEqual(queries(nameless, expression), [undefined, undefined], 'of any queue');
  const backlog = { alertname: 'QueueBacklogHigh', job: 'redis', key: 'orders' };
  assert.equal(queries(backlog, 'redis_key_size > 300')[0], stalled, 'by the consumers of a list');
});

test('knowledgeFor() asks for the job whose targets are counted', () => {
  const knowledge = knowledgeFor(alertWith({ alertname: 'NodesDown' }),
    'count(up{job="node"} == 0) > 0');
  assert.match(JSON.stringify(knowledge?.causes), /\{job=\\"node\\"\}/u);
});

test('knowledgeFor() logs in to the host of an exporter, but not to the address of a pod', () => {
  const commandsFor = (labels: Record<string, string>): string => JSON.stringify(
    knowledgeFor(alertWith({ alertname: 'ProcessFdsHigh', instance: '10.1.0.7:8080', ...labels }),
      'process_open_fds / process_max_fds > 0.8')?.steps);
  assert.match(commandsFor({ job: 'node', pod: 'node-exporter-x7k2p' }), /ssh/u);
  assert.match(commandsFor({ job: 'api' }), /ssh/u);
  assert.doesNotMatch(commandsFor({ job: 'api', pod: 'api-6d9f8b6c5-bcdf2' }), /ssh/u);
});

test('knowledgeFor() takes no program for one on Java without a sign of it', () => {
  const labels = { alertname: 'DbPoolExhausted', namespace: 'shop', pod: 'api-1', job: 'api',
    instance: '10.1.0.7:8080' };
  const saidOf = (expression: string | null, alertname = labels.alertname): string => {
    const knowledge = knowledgeFor(alertWith({ ...labels, alertname }), expression);
    return JSON.stringify([knowledge?.causes, knowledge?.steps]);
  };
  assert.doesNotMatch(saidOf('db_pool_in_use / db_pool_max > 0.9'), /Java|jcmd|hikari|leak det/u);
  assert.match(saidOf('hikaricp_connections_pending > 5'), /Java.*jcmd/u);
  assert.doesNotMatch(saidOf(null, 'JavaScriptPoolExhausted'), /jcmd/u);
});

test('knowledgeFor() gives no cause that only says what the alert says', () => {
  const idsOf = (alertname: string, expression: string): readonly string[] | undefined =>
    knowledgeFor(alertWith({ alertname, job: 'pg', instance: 'db:9187' }), expression)
      ?.causes.map(({ id }) => id);
  assert.ok(idsOf('PostgresqlDown', 'up{job="pg"} == 0')?.includes('refused'));
  assert.ok(!idsOf('PostgresqlDown', 'pg_up == 0')?.includes('refused'));
});

test('knowledgeFor() guesses no port where the exporter has an unusual one', () => {
  const askOf = (instance: string): string | null | undefined =>
    knowledgeFor(alertWith({ alertname: 'RedisDown', job: 'redis', instance }), 'redis_up == 0')
      ?.steps.find(({ action }) => action.startsWith('Ask the server'))?.command;
  assert.equal(askOf('10.0.0.7:9121'), "redis-cli -u redis://'10.0.0.7' ping");
  assert.equal(askOf('redis://10.0.0.7:6390'), "redis-cli -u redis://'10.0.0.7:6390' ping");
  assert.equal(askOf('10.0.0.7:24806'), undefined);
});

test('knowledgeFor() logs in to no application as if it were its database', () => {
  const labels = { alertname: 'HikariPoolExhausted', namespace: 'shop', pod: 'api-1',
    instance: '10.1.0.7:8080', job: 'api' };
  const knowledge = knowledgeFor(alertWith(labels), 'hikaricp_connections_pending > 5');
  assert.equal(knowledge?.family.id, 'connection-pool');
  const said = JSON.stringify([knowledge.causes, knowledge.steps]);
  // Any PostgreSQL may be asked about, but not at the address of the application.
  assert.doesNotMatch(said, /psql|mysql|pg_(?!stat_activity_\w+\{state=\\"active\\"\})/u);
});

test('knowledgeFor() asks any pool of the alert whether requests wait for it', () => {
  for (const alertname of ['HighRequestLatency', 'HighErrorRate', 'ErrorBudgetBurn']) {
    const test = testOf('pool-exhausted', { alertname, job: 'payments' });
    const [, names = ''] = /__name__=~"([^"]+)",job="payments"/u.exec(test?.text ?? '') ?? [];
    const asked = new RegExp(`^(?:${names})$`, 'u');
    for (const name of ['hikaricp_connections_pending', 'db_pool_pending_requests',
      'db_client_connections_pending_requests', 'pg_pool_waiting_count']) {
      assert.match(name, asked);
    }
    assert.doesNotMatch('hikaricp_connections_pending_seconds_sum', asked);
    assert.doesNotMatch('thread_pool_waiting_total', asked);
  }
});

test('knowledgeFor() asks for brokers that are down although their count has no job', () => {
  const brokerTest = (labels: Record<string, string>): string | undefined =>
    knowledgeFor(alertWith({ alertname: 'KafkaBrokerDown', ...labels }), 'count(kafka_brokers) < 3')
      ?.causes.find(({ id }) => id === 'node-gone')?.test?.text;
  assert.equal(brokerTest({ job: 'msk' }), 'min(up{job=~"msk|(?i:.*kafka.*)"})');
  assert.equal(brokerTest({}), 'min(up{job=~"0|(?i:.*kafka.*)"})');
});

test('knowledgeFor() reads no product out of the middle of another word', () => {
  const labels = { alertname: 'DatabaseConnectionsHigh', instance: 'db-1:9104' };
  const testsOf = (job: string): (string | undefined)[] =>
    knowledgeFor(alertWith({ ...labels, job }), null)?.causes.map(({ test: asked }) =>
      asked?.text.replaceAll(job, '')) ?? [];
  assert.deepEqual(testsOf('cargo'), testsOf('shop'));
  assert.notDeepEqual(testsOf('argocd'), testsOf('shop'));
});

test('knowledgeFor() asks nothing of another product than the alert is about', () => {
  const labels = { alertname: 'MysqlTooManyConnections', job: 'db', instance: 'db-1:9104' };
  const commandsOf = (alertname: string): string => {
    const knowledge = knowledgeFor(alertWith({ ...labels, alertname }), null);
    return JSON.stringify([knowledge?.steps, knowledge?.causes.map((cause) => cause.test)]);
  };
  assert.match(commandsOf('MysqlTooManyConnections'), /mysql --host/u);
  assert.doesNotMatch(commandsOf('MysqlTooManyConnections'), /psql|sum\(pg_/u);
  assert.doesNotMatch(commandsOf('DatabaseConnectionsHigh'), /mysql --host|psql/u, 'of either');
  assert.doesNotMatch(commandsOf('ElasticsearchHeapUsageTooHigh'), /redis-cli/u);
  const ofOthers = /psql|pg_isready|mysql --|mysqladmin|redis-cli|rabbitmqctl/u;
  for (const name of ['MongodbDown', 'MongodbReplicationLag', 'MongodbTooManyConnections']) {
    assert.match(commandsOf(name), /mongosh/u);
    assert.doesNotMatch(commandsOf(name), ofOthers);
  }
  for (const name of ['ClickhouseNodeDown', 'CassandraNodeDown', 'MemcachedDown',
    'NatsSlowConsumers', 'PulsarSubscriptionHighNumberOfBacklogEntries', 'SQSQueueTooOld']) {
    assert.doesNotMatch(commandsOf(name), ofOthers);
  }
  assert.doesNotMatch(commandsOf('DatabaseDown'), /mongosh|nodetool/u);
});

test('knowledgeFor() asks the product of the alert even where one query covers several', () => {
  const at = { job: 'db', instance: 'db-1:9187', datname: 'shop' };
  const queryOf = (alertname: string, id: string): string | null => {
    const causes = knowledgeFor(alertWith({ ...at, alertname }), null)?.causes ?? [];
    return causes.find((cause) => cause.id === id)?.test?.text ?? null;
  };
  for (const name of ['PostgresqlDown', 'MysqlDown']) {
    assert.match(queryOf(name, 'refused') ?? '', /_up",job="db",instance="db-1:9187"/u, name);
  }
  const idle = 'max(pg_stat_activity_max_tx_duration{job="db",instance="db-1:9187",' +
    'datname="shop",state=~"idle in transaction.*"}';
  assert.equal(queryOf('PostgreSQLLongTransaction', 'idle-transaction'),
    `${idle}) unless ${idle} offset 30m) >= 30`);
  assert.equal(queryOf('MysqlSlaveSqlThreadNotRunning', 'apply-error'),
    'max(mysql_slave_status_last_sql_errno{job="db",instance="db-1:9187"})');
  assert.equal(queryOf('PostgresqlReplicationLag', 'apply-error'), null);
  // MariaDB counts rows by handler only.
  assert.match(queryOf('MysqlSlowQueries', 'plan-mysql') ?? '', /handlers_total.*"read_\.\+"/u);
  assert.match(queryOf('PostgresqlHighRollbackRate', 'deadlock') ?? '',
    /deadlocks\{[^}]*\}\[5m\]\)\) \/ sum\(increase\(pg_stat_database_xact_rollback/u);
});

test('knowledgeFor() logs in to no machine that is not of Linux, or not to be logged in to', () => {
  const commandsFor = (alertname: string, expression: string | null): string => {
    const knowledge = knowledgeFor(alertWith({ alertname, instance: 'a:9182' }), expression);
    return JSON.stringify([knowledge?.steps, knowledge?.causes.map((cause) => cause.test)]);
  };
  for (const [name, expression] of [
    ['WindowsServerMemoryUsage', null],
    ['HighCpuUsage', '100 - rate(windows_cpu_time_total{mode="idle"}[2m]) > 80'],
    ['RdsCpuHigh', 'aws_rds_cpuutilization_average > 80'],
    ['CloudSQLDiskUsage', null],
    ['SNMPNodeCPUHighUsage', null],
  ] as const) {
    assert.doesNotMatch(commandsFor(name, expression), /ssh|cordon/u);
  }
  assert.match(commandsFor('HighCpuUsage', 'rate(node_cpu_seconds_total[2m]) > 1'), /ssh/u);
  assert.match(commandsFor('HighMemoryUsage', null), /ssh/u);
});

test('knowledgeFor() shows the operations of MongoDB only to an alert that names it', () => {
  const commandsFor = (alertname: string): string => {
    const labels = { alertname, instance: '10.0.0.7:9216', job: 'db' };
    const knowledge = knowledgeFor(alertWith(labels), null);
    return (knowledge?.steps ?? []).map(({ command }) => command).join(' ');
  };
  assert.match(commandsFor('MongodbWriteRequestsQueueingUp'), /currentOp/u);
  assert.match(commandsFor('PostgresqlSlowQueries'), /pg_blocking_pids/u);
  assert.doesNotMatch(commandsFor('PostgresqlSlowQueries'), /currentOp/u);
});

test('knowledgeFor() tests no cause of an alert with metrics of other products only', () => {
  const labels = { instance: '10.0.0.7:9216', job: 'db' };
  const testOf = (alertname: string): string | undefined =>
    knowledgeFor(alertWith({ ...labels, alertname }), null)?.causes
      .find(({ id }) => id === 'slow-queries')?.test?.text;
  assert.equal(testOf('MongodbTooManyConnections'), undefined);
  assert.match(testOf('MysqlTooManyConnections') ?? '', /mysql_global_status_slow_queries/u);
});

test('knowledgeFor() tells causes of one product to alerts on no other', () => {
  const idsOf = (alertname: string): string[] =>
    (knowledgeFor(alertWith({ alertname }), null)?.causes ?? []).map(({ id }) => id);
  assert.ok(idsOf('KafkaConsumerLag').includes('rebalance'));
  assert.ok(idsOf('QueueDepthHigh').includes('rebalance'));
  assert.ok(!idsOf('RabbitmqTooManyMessagesInQueue').includes('rebalance'));
});

test('knowledgeFor() reads the certificate at the port that the alert names', () => {
  const commandFor = (instance: string): string =>
    knowledgeFor(alertWith({ alertname: 'SSLCertExpiringSoon', instance }), null)
      ?.steps[0]?.command ?? '';
  assert.match(commandFor('https://shop.example/a:1'), /-connect 'shop\.example:443'/u);
  assert.match(commandFor('10.0.0.1:6443'), /-connect '10\.0\.0\.1:6443' -servername '10\.0/u);
  assert.match(commandFor('[2001:db8::1]:8443'), /-connect '\[2001:db8::1\]:8443'/u);
});

test('knowledgeFor() knows an alert that is always on, and asks for nothing', () => {
  const knowledge = knowledgeFor(alertWith({ alertname: 'Watchdog' }), 'vector(1)');
  assert.equal(knowledge?.family, alwaysOn);
  assert.deepEqual([knowledge.causes, knowledge.steps], [[], []]);
});

for (const hostile of ["'$(reboot)'`x`\n\"}", '-rf', '__proto__', '\u202e', 'x'.repeat(65_000)]) {
  test(`knowledgeFor() gives the same twice for ${JSON.stringify(hostile.slice(0, 20))}`, () => {
    for (const family of families) {
      const labels = Object.fromEntries(Object.keys(sampleLabels).map((name) => [name, hostile]));
      const alert = alertWith({ ...labels, alertname: family.id });
      assert.deepEqual(knowledgeFor(alert, null), knowledgeFor(alert, null));
    }
  });
}

function alertWith(labels: Record<string, string>): Alert {
  // To make one of long labels takes longer than what is tested.
  const sent = { labels, fingerprint: 'given', startsAt: '2026-01-02T03:04:05Z' };
  return parseAlert('firing', 0)(sent, 'alert');
}

function testOf(id: string, labels: Readonly<Record<string, string>>): FilledCause['test'] {
  const causes = knowledgeFor(alertWith(labels), null)?.causes ?? [];
  return causes.find((cause) => cause.id === id)?.test ?? null;
}

test('knowledgeFor() asks what became of the requests on top of the usual ones', () => {
  const labels = { alertname: 'RequestRateHigh', job: 'web' };
  const causes = knowledgeFor(alertWith(labels), 'sum(rate(http_requests_total[5m])) > 90')?.causes;
  const rateOf = (status: string): string =>
    `((sum(rate(http_requests_total{job="web"${status}}[5m])) or vector(0)) - ` +
    `(sum(rate(http_requests_total{job="web"${status}}[5m] offset 30m)) or vector(0)))`;
  const usual = '(sum(rate(http_requests_total{job="web"}[5m] offset 30m)) or vector(0))';
  for (const [id, codes] of [['on-top', '4..'], ['usual', '[23]..']] as const) {
    assert.equal(causes?.find((cause) => cause.id === id)?.test?.text,
      `${rateOf(`,code=~"${codes}"`)} / (${rateOf('')} > 0.2 * ${usual})`);
  }
  const pool = { alertname: 'DbPoolExhausted', job: 'pay', instance: 'pay:1' };
  assert.match(knowledgeFor(alertWith(pool), 'db_pool_active / db_pool_max > 0.9')?.causes
    .find(({ id }) => id === 'traffic-peak')?.test?.text ?? '', /\bhttp_requests_total\b/u);
});

test('knowledgeFor() checks the configuration that Prometheus has, wherever it is', () => {
  const labels = { alertname: 'PrometheusBadConfig', job: 'prometheus', instance: 'p.shop:9090' };
  const commands = knowledgeFor(alertWith(labels), 'prometheus_config_last_reload_successful == 0')
    ?.steps.flatMap(({ command }) => command ?? []) ?? [];
  const check = commands.find((command) => command.startsWith('promtool check config'));
  assert.match(check ?? '', /--url http:\/\/'?p\.shop:9090'?\/api\/v1\/status\/flags/u);
  assert.doesNotMatch(commands.join('\n'), /\/etc\/prometheus/u);
});

test('a test that says again what the rule says is not asked', () => {
  const labels = { alertname: 'QueueBacklog', job: 'rabbit', queue: 'orders' };
  const testWith = (expression: string): string | undefined =>
    knowledgeFor(alertWith(labels), expression)?.causes
      .find(({ id }) => id === 'consumer-dead')?.test?.text;
  assert.equal(testWith('rabbitmq_queue_consumers < 1'), undefined);
  assert.match(testWith('rabbitmq_queue_messages > 100') ?? 'none', /rabbitmq_queue_consumers/u);
});
