/** The alerts on this service itself, as the rules shipped with it name them. */
import {
  ifNone, ifSome, labelSays, names, promql, shell, type Cause, type Family, type Step,
  type Template,
} from '../family.ts';
import { ofTarget, onHost, twiceYesterday } from '../usual-checks.ts';

const readItsLog: Step = {
  action: 'Read the warnings in the log of alert-analyst.',
  why: 'It names the sender, source, file or directory that it has trouble with, and why.',
  command: shell('journalctl --unit=alert-analyst --since=-1h --no-pager | ' +
    "grep -E 'warn|error'"),
  expected: 'The same warning repeats, and began with the alert.',
};
const askItsHealth: Step = {
  action: 'Ask it for its health.',
  why: 'It says whether alerts are accepted and analysed, and how many are waiting.',
  command: shell('curl -sS {instance}/health'),
  expected: 'The status is healthy, and the queue is short.',
};

/** Notifications were refused for this reason in the last quarter of an hour. */
function refusedFor(reason: string): Omit<Cause, 'id' | 'cause' | 'mechanism'> {
  return {
    test: promql(`sum(increase(service_webhook_errors_total{${ofTarget},reason="${reason}"}[15m]))`,
      { supports: 0.1, refutes: 0 }),
    confirms: `Notifications were refused with the reason ${reason}.`,
    refutes: 'None was refused for this reason.',
    isDirect: true,
    when: labelSays(['reason'], new RegExp(`^${reason}$`, 'u')),
  };
}

const refusals: Family = {
  id: 'own-refusals',
  names: names('alertanalyst(?:rejectssender|refusesnotifications|alertstruncated)'),
  meaning: 'alert-analyst does not take some of the notifications that are sent to it.',
  impact: 'Their alerts get no report, or a late one.',
  causes: [
    {
      id: 'wrong-token', cause: 'The sender has a token that the service does not know',
      mechanism: 'The token was changed on one side only, or never copied.',
      ...refusedFor('unauthorized'),
    },
    {
      id: 'wrong-path', cause: 'Alertmanager posts to another path than /webhook',
      mechanism: 'The url in its webhook_configs is wrong, so every notification is lost.',
      ...refusedFor('wrong_path'),
    },
    {
      id: 'custom-payload', cause: 'What is posted is not the payload of Alertmanager',
      mechanism: 'The receiver sends a payload of its own, or another program posts here.',
      ...refusedFor('invalid_format'),
    },
    {
      id: 'too-large', cause: 'A notification is larger than BODY_LIMIT_BYTES',
      mechanism: 'Its group has very many alerts, or their annotations are very long.',
      ...refusedFor('payload_too_large'),
    },
    {
      id: 'rate-limit', cause: 'More notifications come than the rate limit allows',
      mechanism: 'A storm of alerts, or RATE_LIMIT_PER_CLIENT is too low for the number of groups.',
      ...refusedFor('rate_limited'),
    },
    {
      id: 'queue-full', cause: 'The queue is full',
      mechanism: 'Alerts arrive faster than they are analysed.',
      ...refusedFor('queue_full'),
    },
    {
      id: 'no-storage', cause: 'The journal cannot be written',
      mechanism: 'The disk of its data directory is full, read-only or failing.',
      ...refusedFor('storage_unavailable'),
    },
  ],
  steps: [readItsLog, askItsHealth],
};

const syncTime: Template = promql('histogram_quantile(0.99, sum by (le) ' +
  `(rate(service_journal_sync_duration_seconds_bucket{${ofTarget}}[5m])))`,
{ supports: 0.25, refutes: 0.05 });

const storage: Family = {
  id: 'own-storage',
  names: names('alertanalyst(?:journalunavailable|journaldamaged|reportsnotstored|diskslow)'),
  meaning: 'alert-analyst has trouble with the disk of its data directory.',
  impact: 'Reports are late, and once the journal cannot be written, alerts are refused.',
  causes: [
    {
      id: 'disk-full', cause: 'The disk of its data directory is full',
      mechanism: 'Nothing more can be written there; the service goes on once there is room.',
      test: promql(`min(node_filesystem_avail_bytes{${onHost},` +
        'fstype!~"tmpfs|ramfs|squashfs|overlay|iso9660"} / node_filesystem_size_bytes)',
      { supports: 0.01, refutes: 0.1 }),
      confirms: 'A file system of its host has 1 % left or less.',
      refutes: 'All of them have a tenth left or more.',
    },
    {
      id: 'read-only', cause: 'Its disk has become read-only',
      mechanism: 'After an error the kernel mounts a file system read-only.',
      test: ifSome(`max(node_filesystem_readonly{${onHost},fstype=~"ext.|xfs|btrfs"})`),
      confirms: 'A file system of its host is read-only.',
    },
    {
      id: 'slow-disk', cause: 'Its disk is slow or failing',
      mechanism: 'Another program writes a lot to it, or a network disk is at its limit.',
      test: syncTime,
      confirms: 'One write in a hundred takes longer than a quarter of a second.',
      refutes: 'Writes are fast.',
    },
  ],
  steps: [
    readItsLog,
    {
      action: 'Look at the room on its disk.',
      why: 'A full disk is the usual reason.',
      command: shell('df -h /var/lib/alert-analyst'),
      expected: 'There are gigabytes left.',
    },
    askItsHealth,
  ],
};

const load: Family = {
  id: 'own-load',
  names: names(`alertanalyst(?:queueold|queuefilling|answersslowly|eventloopslow|memoryhigh|notready
    |workersrestart|analysesfail|alertquarantined)`),
  meaning: 'alert-analyst cannot keep up, or some of its analyses fail.',
  impact: 'Reports come late, and say only what the alert itself says until then.',
  causes: [
    {
      id: 'storm', cause: 'Far more alerts arrive than usual',
      mechanism: 'Each needs an analysis; they wait for their turn, the most severe first.',
      ...twiceYesterday(`service_alerts_total{${ofTarget},outcome="queued"}`, 'alerts arrive'),
    },
    {
      id: 'slow-source', cause: 'A source of evidence is slow',
      mechanism: 'Every analysis waits for it as long as its time limit allows.',
      test: promql('histogram_quantile(0.5, sum by (le) ' +
        `(rate(service_evidence_request_duration_seconds_bucket{${ofTarget}}[10m])))`,
      { supports: 1, refutes: 0.2 }),
      confirms: 'Half of the queries take longer than a second.',
      refutes: 'The sources answer quickly.',
    },
    {
      id: 'cpu', cause: 'It is short of CPU',
      mechanism: 'Its host is busy, or the limit of its unit or container is too low.',
      test: promql(`max(rate(process_cpu_seconds_total{${ofTarget}}[5m]))`,
        { supports: 0.9, refutes: 0.3 }),
      confirms: 'It uses a whole core.',
      refutes: 'It uses little CPU.',
    },
    {
      id: 'workers-die', cause: 'Its workers die',
      mechanism: 'An analysis needs more memory or time than a worker may have, and is repeated.',
      test: promql(`sum(increase(service_worker_restarts_total{${ofTarget}}[1h]))`,
        { supports: 1, refutes: 0 }),
      confirms: 'A worker was restarted in the last hour.',
      refutes: 'No worker was restarted.',
    },
    {
      id: 'no-storage', cause: 'Reports cannot be stored',
      mechanism: 'Without room on the disk, finished analyses wait and are made again.',
      test: ifNone(`min(service_reports_storable{${ofTarget}})`),
      confirms: 'The last report could not be stored.',
      refutes: 'Reports are stored.',
      isDirect: true,
    },
  ],
  steps: [readItsLog, askItsHealth],
};

/** Queries to a source ended with one of these outcomes. */
function failedWith(
  outcomes: string, what: string,
): Omit<Cause, 'id' | 'cause' | 'mechanism'> {
  const asked = `${ofTarget},source="{source}",outcome`;
  return {
    test: promql(
      `sum(increase(service_evidence_requests_total{${asked}=~"${outcomes}"}[30m]))
        / sum(increase(service_evidence_requests_total{${asked}!="ok"}[30m]))`,
      { supports: 0.5, refutes: 0 },
    ),
    confirms: `Most of the failed queries ended ${what}.`,
    refutes: 'No query failed in this way.',
  };
}

const sources: Family = {
  id: 'own-sources',
  names: names('alertanalystsourcefails'),
  meaning: 'alert-analyst gets no usable answers from one of its sources.',
  impact: 'Reports are made without its evidence, and conclude little.',
  causes: [
    {
      id: 'source-down', cause: 'The source is down, too slow, or not reachable from there',
      mechanism: 'The connection is refused, or no answer comes in time.',
      ...failedWith('connection|timeout|cancelled|server_error|tls', 'without an answer'),
    },
    {
      id: 'credentials', cause: 'The source refuses its credentials',
      mechanism: 'A token or a password was changed or has expired.',
      ...failedWith('unauthorized', 'with a refusal of the credentials'),
    },
    {
      id: 'address', cause: 'Its address or path prefix in the settings is wrong',
      mechanism: 'Another program answers there, or the path does not exist.',
      ...failedWith('not_found|not_json|unexpected', 'with an answer of another kind'),
    },
  ],
  steps: [readItsLog],
};

const listSecrets: Template = shell('ls -l /etc/alert-analyst');

const secrets: Family = {
  id: 'own-secrets',
  names: names('alertanalystsecretunreadable'),
  meaning: 'alert-analyst cannot read again one of the files that hold its secrets.',
  impact: 'The old value stays in use: what was meant to be replaced is still valid.',
  causes: [
    {
      id: 'not-readable', cause: 'The service may not read the file',
      mechanism: 'The file was written anew, with another owner or other permissions.',
      test: listSecrets,
      confirms: 'The file belongs to somebody else, and the group alert-analyst may not read it.',
    },
    {
      id: 'empty', cause: 'The file is empty or has more than it should',
      mechanism: 'It was being written, or holds something else than the secret.',
      test: listSecrets,
      confirms: 'Its size is 0, or is not that of the secret.',
    },
    {
      id: 'gone', cause: 'The file is gone',
      mechanism: 'It was moved, or what provides it does not run.',
      test: listSecrets,
      confirms: 'It is not listed.',
    },
  ],
  steps: [readItsLog],
};

export const ownFamilies: readonly Family[] = [refusals, storage, load, sources, secrets];
