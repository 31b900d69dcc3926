import {
  ifNone, ifSome, metrics, names, promql, shell, type Family, type TestQuery,
} from '../family.ts';
import {
  allPods, listPods, ofTarget, ofWork, readLog, stalled, twiceBefore, waiting,
} from '../usual-checks.ts';

const itsQueue = 'consumergroup="{consumergroup}",queue="{queue}"';
const ofQueue = 'queue="{queue}"';
const listConsumers = [
  {
    action: 'Describe the consumer group (Kafka).',
    why: 'Lag and member by partition tell slow, dead and stuck apart.',
    command: shell('kafka-consumer-groups.sh --bootstrap-server localhost:9092 --describe ' +
      '--group={consumergroup}'),
    store: 'kafka',
  },
  {
    action: 'List the queues (RabbitMQ).',
    why: 'Ready messages without consumers mean dead ones; unacked messages mean stuck ones.',
    command: shell('rabbitmqctl list_queues name messages_ready ' +
      'messages_unacknowledged consumers'),
    store: 'rabbitmq',
  },
] as const;

const notRunning = {
  id: 'not-running', mechanism: 'It crashed, was scaled to zero, or waits to be started.',
  test: allPods,
  confirms: 'Its pods are missing, or not Ready.',
  refutes: 'They are Ready, without new restarts.',
} as const;

const noConsumers: Family = {
  id: 'no-consumers',
  names: names(`(?:kafka|rabbitmq|nats|pulsar)?\\w*(?:no|without|zero|missing)(?:queue)?consumers?
    |(?:kafka|rabbitmq|nats|pulsar)\\w*consumers?(?:missing|gone|disconnected)
    |(?:no|low)(?:jobs?|tasks?|messages?|events?|orders?)(?:processed|completed|consumed|handled
    |done|processing)|(?:worker|consumer|job|task|queue)s?(?:processing|consumption)?(?:is|are|has)?
    (?:stalled|stopped|notprocessing|notconsuming)`),
  metrics: new RegExp('(?:rabbitmq_queue_consumers|kafka_consumergroup_members)' +
    '(?:\\{[^{}]*\\})?\\s*(?:<=?\\s*[01]|==\\s*0)(?![.\\d])' +
    `|(?<![\\w:])\\w*${ofWork}_(?:processed|completed|consumed|handled)(?:_total)?` +
    '(?:\\{[^{}]*\\})?(?:\\[[^\\]]*\\])?[)\\s]*(?:==\\s*0|<)', 'u'),
  meaning: 'Nothing, or too little, is taken from the queue.',
  impact: 'What is in the queue waits; at a limit new messages are refused or lost.',
  causes: [
    stalled,
    { ...notRunning, cause: 'The program that consumes from it does not run' },
    {
      id: 'failing', cause: 'What it does fails',
      mechanism: 'Something that it needs is down or refuses it, and it is tried again or dropped.',
      test: promql(`sum(rate({__name__=~".*${ofWork}_(failed|failures|errors)(_total)?",
        ${ofTarget},queue="{queue}"}[5m]))`, { atLeast: 0.01, notUpTo: 0 }),
      isDirect: true,
    },
    {
      id: 'nothing-to-do', cause: 'Nothing waits in the queue',
      mechanism: 'What fills it has stopped, or has no reason to.',
      test: promql(waiting, { atMost: 0, notFrom: 20 }),
    },
    {
      id: 'refused', cause: 'The broker refuses its consumers',
      mechanism: 'A password, a permission or a limit of connections has changed.',
      test: ifSome('sum(increase(rabbitmq_auth_attempts_failed_total{job="{job}"}[15m]))'),
      store: 'rabbitmq',
    },
    {
      id: 'unused', cause: 'Nobody needs it any more',
      mechanism: 'A program that is gone for good left it behind.',
      test: ifNone('sum(increase(rabbitmq_queue_messages_published_total{queue="{queue}"}[6h]))'),
      store: 'rabbitmq',
    },
  ],
  steps: [...listConsumers, readLog, listPods],
};

const otherTopics = (ago: string): string =>
  `sum(rate(kafka_topic_partition_current_offset{job="{job}",topic!="{topic}"}[15m]${ago}))`;

const silentTopic: Family = {
  id: 'no-messages',
  names: names(`(?:kafka|rabbitmq|nats|pulsar)\\w*(?:no|without|zero|missing)(?:new)?messages?
    |(?:kafka|rabbitmq|nats|pulsar)\\w*producers?(?:down|stopped|stalled|missing)`),
  meaning: 'Nothing is written to the topic.',
  impact: 'Whatever is fed by it goes stale, and its consumers notice nothing.',
  causes: [
    { ...notRunning, cause: 'The program that writes to it does not run' },
    {
      id: 'refused', cause: 'The brokers refuse what it writes',
      mechanism: 'Too few copies in sync, a full disk or changed credentials.',
      test: ifSome('sum(increase({__name__=~"kafka_server_brokertopicmetrics_' +
        'failedproducerequests(persec)?(_total|_count)?",topic="{topic}"}[15m]))'),
      store: 'kafka',
    },
    {
      id: 'upstream', cause: 'What causes the messages has stopped',
      mechanism: 'Users, a feed or a job further up no longer give reason to write.',
      test: promql(`${otherTopics('')} / ${otherTopics(' offset 1d')}`,
        { atMost: 0.5, notFrom: 0.9 }),
      note: 'It compares the other topics with this time yesterday.',
      store: 'kafka',
    },
  ],
  steps: [
    {
      action: 'Read the end of the topic twice (Kafka).',
      why: 'Offsets that do not move confirm it without any exporter.',
      command: shell('kafka-run-class.sh kafka.tools.GetOffsetShell ' +
        '--broker-list localhost:9092 --topic {topic}'),
      expected: 'The same offsets a minute later.',
      store: 'kafka',
    },
    listPods,
  ],
};

/** Messages that the broker of the queue has dead-lettered lately for one reason. */
const deadFor = (reason: string): TestQuery => ifSome(
  `sum(increase(rabbitmq_global_messages_dead_lettered_${reason}_total[15m])
    and on (instance) rabbitmq_queue_messages{${ofQueue}})`);

const deadLetters: Family = {
  id: 'dead-letters',
  names: names('\\w*(?:deadletter|dlq|dlx)\\w*'),
  meaning: 'Messages end in a queue for those that could not be processed.',
  impact: 'What they ask for has not been done; they wait there until somebody handles them.',
  unit: 'count',
  causes: [
    {
      id: 'rejected', cause: 'Consumers reject messages',
      mechanism: 'They cannot read them, or what they call fails, and do not requeue them.',
      test: deadFor('rejected'),
      isDirect: true,
    },
    {
      id: 'expired', cause: 'Messages expire before they are consumed',
      mechanism: 'Consumers are too slow or gone, and a time to live is set.',
      test: deadFor('expired'),
      isDirect: true,
    },
    {
      id: 'overflow', cause: 'A queue is at its maximum length',
      mechanism: 'Its oldest messages make room for new ones.',
      test: deadFor('maxlen'),
      isDirect: true,
    },
    {
      id: 'tried', cause: 'Messages were delivered too often without success',
      mechanism: 'A quorum queue gives one up after its delivery limit.',
      test: deadFor('delivery_limit'),
      isDirect: true,
    },
  ],
  steps: [
    {
      action: 'See whose consumers do not acknowledge what they get (RabbitMQ).',
      why: 'What is delivered and not acknowledged is rejected, or still being processed.',
      command: promql(`sum by (queue) (rate(rabbitmq_channel_messages_delivered_ack_total[5m])
        - rate(rabbitmq_channel_messages_acked_total[5m])
        and on (instance) rabbitmq_queue_messages{${ofQueue}})`),
      expected: 'About 0 for every queue; the one above it is where they come from.',
      onlyFor: 'rabbitmq',
    },
    {
      action: 'Read one message of the queue, and leave it there (RabbitMQ).',
      why: 'Its header x-death names the queue that it comes from and the reason.',
      command: shell('rabbitmqadmin get queue={queue} ackmode=ack_requeue_true count=1 -f long'),
      expected: 'One queue, and one reason: rejected, expired, maxlen or delivery_limit.',
      risk: 'low: the message is marked as redelivered',
      onlyFor: 'rabbitmq',
    },
    {
      action: 'Send the messages back only when what failed is mended.',
      why: 'Before that they return here.',
      expected: 'The queue empties, and stays empty.',
      risk: 'medium: what had half succeeded is done twice',
    },
  ],
};

const processed = (ago: string): string =>
  'sum(rate({__name__=~"kafka_consumergroup_current_offset' +
  `|rabbitmq_queue_messages_acked_total",${itsQueue}}[5m]${ago}))`;
const kafkaLag = `sum by (consumergroup, topic) (kafka_consumergroup_lag{
  consumergroup="{consumergroup}",topic="{topic}",job="{job}"})`;
const queueBacklog: Family = {
  id: 'queue-backlog',
  names: names(`(?!\\w*(?:unroutable|payload|error|cpu|restart|flag))
    (?:kafka|rabbitmq|nats|pulsar|sqs|celery|sidekiq)\\w*
    (?:lag|consumer|queue|backlog|message|unack|pending)\\w*
    |(?:high)?(?:consumer|consumergroup|queue|topic|message)s?(?:consumer)?(?:lag|backlog|size
    |length|depth|growing|full|fillingup|toolong|toolarge|stuck|notconsumed|unacked|high)+
    |toomany(?:messages|unacked)\\w*|(?:high)?(?:queue|job|task)(?:latency|backlog|depth|size)
    \\w*|backlog\\w*`),
  metrics: metrics(`kafka_consumergroup\\w*|rabbitmq_queue_\\w+|pulsar_subscription_\\w+
    |aws_sqs_\\w+|jetstream_consumer_\\w+|celery_queue_\\w+|sidekiq_(?!jobs_failed)\\w+`),
  meaning: 'Messages arrive faster than they are processed.',
  impact: 'Work is done late; at a limit new messages are refused or lost.',
  unit: 'count',
  causes: [
    {
      id: 'consumer-dead', cause: 'Consumers are down or crash',
      mechanism: 'No consumer, or too few, take messages.',
      test: ifNone('min({__name__=~"kafka_consumergroup_members|rabbitmq_queue_consumers",' +
        `${itsQueue}})`),
      isDirect: true,
    },
    stalled,
    {
      id: 'unacked', cause: 'Consumers take messages, but do not acknowledge them',
      mechanism: 'They hang, forget to acknowledge, or prefetch far more than they can process.',
      test: promql(`sum(rabbitmq_queue_messages_unacked{${ofQueue}})
        / sum(rabbitmq_queue_messages{${ofQueue}})`, { atLeast: 0.8, notUpTo: 0.2 }),
      store: 'rabbitmq',
      isDirect: true,
    },
    {
      id: 'consumer-slow', cause: 'Consumers are slow because of what they call',
      mechanism: 'Each message waits for a database or service that became slow.',
      test: promql(`${processed('')} / ${processed(' offset 1h')}`, { atMost: 0.7, notFrom: 1 }),
    },
    {
      id: 'poison', cause: 'One message or one consumer is stuck',
      mechanism: 'A message fails each time, or its consumer hangs, and what is behind it waits.',
      test: promql(`max(${kafkaLag.replace('(consumergroup, topic)',
        '(consumergroup, topic, partition)')}) / sum(${kafkaLag})`,
        { atLeast: 0.9, notUpTo: 0.5 }),
    },
    {
      id: 'producer-burst', cause: 'Far more messages are produced',
      mechanism: 'A batch, a replay or a loop writes more than usual.',
      test: twiceBefore('{__name__=~"kafka_topic_partition_current_offset' +
        '|rabbitmq_queue_messages_published_total",topic="{topic}",queue="{queue}"}'),
    },
    {
      id: 'rebalance', cause: 'The group rebalances all the time',
      mechanism: 'Members that join, leave or time out stop all the others for a while.',
      test: promql('changes(kafka_consumergroup_members{consumergroup="{consumergroup}"}[1h])',
        { atLeast: 3, notUpTo: 0 }),
      store: 'kafka',
    },
    {
      id: 'broker', cause: 'A broker is down',
      mechanism: 'Its queues or partitions are moved to others, or cannot be used.',
      // An exporter that answers does not speak for the brokers.
      test: promql('min(up{job="{job}"})', { atMost: 0 }),
    },
  ],
  steps: [
    ...listConsumers,
    {
      action: 'List the consumers and how much each may prefetch (RabbitMQ).',
      why: 'A prefetch count of 0 lets one consumer take everything that waits.',
      command: shell('rabbitmqctl list_consumers queue_name channel_pid ack_required ' +
        'prefetch_count'),
      onlyFor: 'rabbitmq',
    },
    {
      action: 'Read the streams and their consumers (NATS).',
      why: 'Unprocessed and outstanding messages tell a missing consumer from a stuck one.',
      command: shell('nats stream report'),
      onlyFor: 'nats',
    },
    {
      action: 'Read the subscriptions of the topic (Pulsar).',
      why: 'msgBacklog and the consumers of each name the one that lags.',
      command: shell('pulsar-admin topics stats {topic}'),
      onlyFor: 'pulsar',
    },
    listPods,
  ],
};

const jetStream: Family = {
  id: 'jetstream-full',
  names: names('(?:high)?(?:nats)?jetstream(?:store|storage|memory)(?:usage)?(?:high|full)?'),
  metrics: metrics('gnatsd_varz_jetstream_(?:stats|config_max)_(?:storage|memory)'),
  meaning: 'JetStream uses nearly all of the memory or storage that it may use.',
  impact: 'At the limit it rejects new messages or drops the oldest, as each stream is set up.',
  unit: 'ratio',
  causes: [
    {
      id: 'consumer-stuck', cause: 'A consumer is down or slow',
      mechanism: 'Streams that keep a message until it is acknowledged grow.',
      test: promql('max(jetstream_consumer_num_pending{job="{job}"})',
        { atLeast: 10_000, notUpTo: 100 }),
    },
    {
      id: 'no-limit', cause: 'A stream has no age or size limit',
      mechanism: 'It keeps all messages forever.',
      test: shell('nats stream report'),
      confirms: 'One stream holds most of the bytes.',
      refutes: 'The bytes are spread as usual.',
    },
    {
      id: 'burst', cause: 'Far more messages are written than usual',
      mechanism: 'A replay, a batch or a loop.',
      test: twiceBefore('gnatsd_varz_in_msgs{job="{job}"}'),
    },
  ],
  steps: [
    {
      action: 'Read the streams and their consumers.',
      why: 'The largest stream, and what its consumers have not acknowledged, name the cause.',
      command: shell('nats stream report'),
    },
    listPods,
  ],
};

export const queueFamilies: readonly Family[] = [
  jetStream, deadLetters, noConsumers, silentTopic, queueBacklog,
];
