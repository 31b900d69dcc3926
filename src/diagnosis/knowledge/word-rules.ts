/** Words that tell the family of an alert whose name and metrics are unknown. */
export interface WordRule {
  /** Each must match a word of the name. */
  readonly words: readonly RegExp[];
  /** Only for alerts that name a pod or container (true), or only for those that do not. */
  readonly pod?: boolean;
  /** What the expression has to read, where it is known: the words mean much else as well. */
  readonly reads?: RegExp;
  /** Id of the family. */
  readonly family: string;
}

const rule = (family: string, words: readonly string[], pod?: boolean): WordRule => ({
  family,
  words: words.map((word) => new RegExp(`^(?:${word})$`, 'u')),
  ...(pod !== undefined && { pod }),
});

/** The most telling words first; the first rule that fits is taken. */
export const wordRules: readonly WordRule[] = [
  rule('pod-crash-looping', ['crash\\w*|restart\\w*'], true),
  rule('pod-crash-looping', ['pods?|containers?', 'crash\\w*|restart\\w*']),
  rule('container-memory', ['oom\\w*'], true),
  rule('node-oom-kill', ['oom\\w*'], false),
  rule('certificate-expiry', ['certs?|certificates?|ssl|tls', 'expir\\w*|renew\\w*|days?|soon']),
  rule('error-budget', ['slo|burn|budget']),
  rule('filesystem-inodes', ['inodes?']),
  rule('conntrack', ['conntrack']),
  rule('replication-lag', ['replica|replication|standby|slave', 'lag|delay|behind|broken|stopped']),
  rule('queue-backlog', ['lag|backlog|unacked|dlq']),
  rule('queue-backlog', ['queues?|topics?|consumers?|messages?|jobs', 'size|length|depth|growing|' +
    'high|full|old|age|stuck|pending|slow|delay\\w*']),
  rule('latency', ['latency|latencies|slow|slowness|duration|p50|p90|p95|p99|p999']),
  rule('latency', ['response', 'times?']),
  rule('error-rate', ['errors?|5xx|500s?|4xx|exceptions?|failures?', 'rates?|ratio|high|many|' +
    'percent\\w*|elevated|increased|spike|requests?|responses?|http|grpc|api']),
  rule('error-rate', ['5xx|4xx|exceptions?']),
  rule('datastore-connections', ['connections?|pool', 'high|full|exhaust\\w*|max|limit|many|' +
    'saturat\\w*|usage|leak']),
  rule('volume-filling-up', ['pvc?|volumes?', 'full|filling|space|usage|low|high']),
  rule('disk-io', ['disk|io', 'io|iops|latency|saturat\\w*|busy|wait|utili[sz]ation']),
  rule('filesystem-space', ['disk|filesystem|fs|partition|storage', 'full|filling|space|usage|' +
    'low|high|free|used|percent|capacity|almost|critical|warning|out']),
  rule('swap', ['swap']),
  rule('container-memory', ['memory|mem|ram|heap'], true),
  rule('node-memory', ['memory|mem|ram', 'high|low|usage|full|utili[sz]ation|pressure|free|out|' +
    'used|percent|critical|warning'], false),
  rule('container-cpu', ['cpu|throttl\\w*'], true),
  rule('node-cpu', ['cpu', 'high|usage|load|utili[sz]ation|saturat\\w*|busy|percent|critical|' +
    'warning'], false),
  rule('node-load', ['load', 'high|average|system|host|node|server']),
  rule('no-traffic', ['no|zero|low|missing|dropped|drop', 'traffic|requests?|throughput']),
  rule('job-failed', ['job|jobs|cron|cronjob|backup|backups', 'fail\\w*|missed|missing|late|old|' +
    'stuck|running|error\\w*']),
  rule('probe-failed', ['probe|healthcheck|blackbox|synthetic|ping|website', 'fail\\w*|down|' +
    'error\\w*|unhealthy']),
  {
    ...rule('target-down', ['down|unreachable|offline|absent|missing|dead|unavailable']),
    reads: /(?<![\w:])up(?![\w:])|absent/u,
  },
];
