import type { Signal } from '../statistics/names/metric-rule.ts';

/** Words that give away the family of an alert whose name and metrics no family knows. */
export interface WordRule {
  /** Each must match a word of the name. */
  readonly words: readonly RegExp[];
  /** None of the name's words may match: beside such a word, the others mean something else. */
  readonly not?: RegExp;
  /** True: only for alerts with a pod or container label; false: only for those without. */
  readonly pod?: boolean;
  /** What the rule has to read, where it is known: the words may mean something else as well. */
  readonly reads?: RegExp;
  /** What a metric of the rule has to measure by its name, where the rule is known. */
  readonly signal?: Signal;
  /** Id of the family. */
  readonly family: string;
}

type Limits = Omit<WordRule, 'words' | 'family'>;

const whole = (words: string): RegExp => new RegExp(`^(?:${words})$`, 'u');

function rule(family: string, words: readonly string[], limits: Limits = {}): WordRule {
  return { family, words: words.map(whole), ...limits };
}

/** A program's, a database's or a cloud's numbers say nothing of a host or a container. */
const ofHost = { reads: /(?<!\w)(?:node|windows|instance)[_:]/u };
const ofContainer = { reads: /(?<!\w)(?:container|kube|kubelet|cadvisor)_/u };
const isPod: Limits = { pod: true, ...ofContainer };
const hardware = 'temp|temperature|ecc|smart|crc|errors?|fail\\w*|maps?';
const store = 'db|database|sql|jdbc|hikari\\w*|postgres\\w*|pg|mysql|mongo\\w*|redis|rds|store|' +
  'mariadb|oracle';
/** What is only late or behind has no consumers. */
const ofQueue = /queue|message|msg|consumer|topic|partition|job|task|event|letter|unack|backlog/iu;
const run = 'jobs?|cron|cronjobs?|batch|etl|imports?|exports?';

/** The most telling words first; the first matching rule is taken. */
export const wordRules: readonly WordRule[] = [
  rule('pod-crash-looping', ['crash\\w*|restart\\w*'], isPod),
  rule('pod-crash-looping', ['pods?|containers?', 'crash\\w*|restart\\w*']),
  rule('container-memory', ['oom\\w*'], isPod),
  rule('node-oom-kill', ['oom\\w*'], { pod: false, ...ofHost }),
  rule('certificate-expiry', ['certs?|certificates?|ssl|tls', 'expir\\w*|renew\\w*|days?|soon']),
  rule('error-budget', ['slo']),
  rule('error-budget', ['errors?|availability|latency|fast|slow', 'burn|budget']),
  rule('filesystem-inodes', ['inodes?'], ofHost),
  rule('conntrack', ['conntrack']),
  rule('replication-lag', ['replica|replication|standby|slave', 'lag|delay|behind|broken|stopped']),
  rule('disk-io', ['disk|io', 'io|iops|latency|slow|saturat\\w*|busy|wait|queue'],
    ofHost),
  rule('queue-backlog', ['lag|backlog|unacked|dlq'],
    { not: whole('loop|eventloop|clock|ntp|time|raft|replica\\w*'), reads: ofQueue }),
  rule('backup', ['backups?', 'duration|slow|long|overdue|fail\\w*|missed|missing|late|old|stale|' +
    'stuck|error\\w*']),
  rule('job-failed', [run, 'duration|slow|long|overdue'],
    { not: whole('queues?|latency|api|service') }),
  rule('queue-backlog', ['queues?|topics?|consumers?|messages?|jobs', 'size|length|depth|growing|' +
    'full|old|age|stuck|pending|slow|delay\\w*']),
  rule('latency', ['latency|latencies|slow|slowness|duration|p50|p90|p95|p99|p999'],
    { not: whole('builds?|deploy\\w*|releases?|pipelines?|tests?'), signal: 'latency' }),
  rule('latency', ['response', 'times?'], { signal: 'latency' }),
  rule('network-errors', ['net|networks?|nics?|interfaces?|packets?',
    'errors?|errs|drop\\w*|loss'], ofHost),
  rule('client-errors', ['4xx|40[0-9]s?|429s?'], { not: whole('5xx') }),
  rule('error-rate', ['errors?|5xx|500s?|4xx|exceptions?|failures?', 'rates?|ratio|high|many|' +
    'percent\\w*|elevated|increased|spike|requests?|responses?|http|grpc|api'],
    { not: whole('disks?|storage|memory|ecc|smart|crc|filesystem'), signal: 'errors' }),
  rule('error-rate', ['5xx|4xx|exceptions?'], { signal: 'errors' }),
  rule('datastore-connections', ['connections?|pool', store, 'high|full|exhaust\\w*|max|limit|' +
    'many|saturat\\w*|usage|leak']),
  rule('volume-filling-up', ['pvcs?|pvs?', 'full|filling|space|usage|low|high'],
    ofContainer),
  rule('volume-filling-up', ['volumes?', 'full|filling|space|usage'], ofContainer),
  rule('filesystem-space', ['disk|filesystem|fs|partition|storage', 'full|filling|space|usage|' +
    'low|high|free|used|percent|capacity|almost|critical|warning|out|utili[sz]ation'],
    { not: whole(`${hardware}|reads?|writes?|throughput|count|requests?`), ...ofHost }),
  rule('node-memory', ['swap'], ofHost),
  rule('container-memory', ['memory|mem|ram|heap'], { ...isPod, not: whole('maps?') }),
  rule('node-memory', ['memory|mem|ram', 'high|low|usage|full|utili[sz]ation|pressure|free|out|' +
    'used|percent|critical|warning'], { pod: false, not: whole(hardware), ...ofHost }),
  rule('container-cpu', ['cpu'], { ...isPod, not: whole(hardware) }),
  rule('container-cpu', ['throttl\\w*'],
    { ...isPod, not: whole('requests?|api|rates?|clients?|tokens?') }),
  rule('node-cpu', ['cpu', 'high|usage|load|utili[sz]ation|saturat\\w*|busy|percent|critical|' +
    'warning'], { pod: false, not: whole(hardware), ...ofHost }),
  rule('node-load', ['load', 'high|average|system|host|node|server'],
    { not: whole('pages?|balancer|tests?|data'), ...ofHost }),
  rule('queue-backlog', ['queues?', 'high']),
  rule('no-traffic', ['no|zero|low|missing', 'traffic|requests?|throughput'],
    { not: whole('disk|io|storage'), signal: 'traffic' }),
  rule('no-traffic', ['dropped|drop', 'traffic|throughput'], { signal: 'traffic' }),
  rule('much-traffic', ['traffic|requests?|throughput|qps|rps',
    'high|spikes?|surge|peak|increas\\w*|unusual|anomal\\w*'], { signal: 'traffic' }),
  rule('job-failed', ['job|jobs|cron|cronjob', 'fail\\w*|missed|missing|late|old|' +
    'stuck|running|error\\w*']),
  rule('probe-failed', ['probe|healthcheck|blackbox|synthetic|ping|website', 'fail\\w*|down|' +
    'error\\w*|unhealthy'], { not: whole('exporters?') }),
  rule('target-down', ['down|unreachable|offline|unavailable'],
    { reads: /(?<![\w:"'])up(?![\w:"'])|absent/u }),
];
