import { alertNameOf, type Alert } from '../../alert/alert.ts';
import { labelOf, type LabelSet } from '../../alert/labels.ts';
import type { Bounds, Cause, Family, Step, Store, Template } from './family.ts';
import { fillPromql, fillShell } from './fill-template.ts';
import { matchFamily, type FamilyMatch } from './match-family.ts';

/** A template with the alert's own values filled in, ready to be pasted. */
interface FilledTemplate {
  readonly kind: Template['kind'];
  readonly text: string;
  /** Null for shell commands, and when a person has to read the answer. */
  readonly bounds: Bounds | null;
}

export interface FilledCause {
  readonly id: string;
  readonly cause: string;
  readonly mechanism: string;
  /** Null when the alert lacks a label that the test needs. */
  readonly test: FilledTemplate | null;
  readonly confirms: string;
  readonly refutes: string;
  /** Its test asks for the cause itself and not for a sign of it. */
  readonly isDirect: boolean;
  /** The alert's own words already name this cause. */
  readonly suggestedByAlert: boolean;
}

interface FilledStep extends Omit<Step, 'command'> {
  readonly command: FilledTemplate | null;
}

/** What is known about one alert's family, filled in for this alert. */
export interface FilledKnowledge {
  readonly family: Family;
  readonly how: FamilyMatch['how'];
  readonly causes: readonly FilledCause[];
  readonly steps: readonly FilledStep[];
}

/**
 * What is known about alerts like this one, or null. `expression` is the rule's PromQL, null when
 * unknown. A cause whose test cannot be filled in stays as a hint; such a step is dropped.
 */
export function knowledgeFor(alert: Alert, expression: string | null): FilledKnowledge | null {
  const { labels } = alert;
  const match = matchFamily({ name: alertNameOf(labels), labels, expression });
  if (match === null) return null;
  const { family } = match;
  const named = `${alertNameOf(labels)} ${labelOf(labels, 'job') ?? ''}`;
  const about = {
    store: storeOf(named) ?? storeOf(expression ?? ''),
    isForeign: foreign.test(expression ?? named),
  };
  return {
    ...match,
    causes: family.causes.filter((cause) => isOfStore(cause, about))
      .map((cause) => filledCause(cause, alert, about)),
    steps: family.steps.filter((step) => isFor(step, about)).flatMap((step) => {
      const command = step.command === null ? null : fill(step.command, labels);
      return command === null && step.command !== null ? [] : [{ ...step, command }];
    }),
  };
}

interface About {
  readonly store: Store | null;
  /** About a machine that does not run Linux, or that nobody can log in to. */
  readonly isForeign: boolean;
}

const foreign = new RegExp('(?<![a-z_])(?:windows|(?:aws|stackdriver|azure)_)' +
  '|(?<![a-z])(?:rds|snmp)|cloudsql', 'iu');

function isFor({ store, onlyFor, command }: Step, about: About): boolean {
  if (onlyFor !== undefined && onlyFor !== about.store) return false;
  return isOfStore({ store }, about) && (command === null || isPossible(command, about));
}

function isOfStore({ store }: { readonly store?: Store | undefined }, about: About): boolean {
  return store === undefined || about.store === null || store === about.store;
}

function isPossible({ kind, template }: Template, { isForeign }: About): boolean {
  return kind === 'promql' || !isForeign || !/^(?:ssh|kubectl cordon) /u.test(template);
}

const storeNames: readonly (readonly [Store, RegExp])[] = [
  ['postgresql', /postgres|pgbouncer|(?<![a-z])pg_/iu],
  ['mysql', /mysql|mariadb|percona/iu],
  ['mongodb', /mongo/iu],
  ['redis', /redis|valkey/iu],
  ['memcached', /memcached/iu],
  ['elasticsearch', /elasticsearch|opensearch/iu],
  ['cassandra', /cassandra/iu],
  ['clickhouse', /clickhouse/iu],
  ['cockroachdb', /cockroach/iu],
  ['sqlserver', /mssql|sqlserver/iu],
  ['oracle', /oracle/iu],
  ['kafka', /kafka/iu],
  ['rabbitmq', /rabbitmq/iu],
  ['nats', /(?<![a-z])nats|jetstream/iu],
  ['pulsar', /pulsar/iu],
  ['sqs', /(?<![a-z])sqs/iu],
  ['celery', /celery/iu],
  ['sidekiq', /sidekiq/iu],
  ['argocd', /(?<![a-zA-Z])(?:argo|ARGO)|Argo/u],
  ['flux', /(?<![a-z])flux|gotk_|helmrelease|kustomization/iu],
  ['velero', /velero/iu],
  ['restic', /restic/iu],
  ['pgbackrest', /pgbackrest/iu],
  ['haproxy', /haproxy/iu],
  ['traefik', /traefik/iu],
];

/** The product that a text names; null where it names none, or several. */
function storeOf(text: string): Store | null {
  const [named = null, ...others] = storesIn(text);
  return others.length === 0 ? named : null;
}

function storesIn(text: string): Store[] {
  return storeNames.filter(([, pattern]) => pattern.test(text.slice(0, 16 * 1024)))
    .map(([name]) => name);
}

function filledCause(cause: Cause, alert: Alert, about: About): FilledCause {
  const { id, mechanism, confirms, refutes } = cause;
  const asked = storesIn(cause.test.template);
  const isOfOther = asked.length > 0 && about.store !== null && !asked.includes(about.store);
  return {
    id,
    cause: cause.cause,
    mechanism,
    test: isOfOther || !isPossible(cause.test, about) ? null : fill(cause.test, alert.labels),
    confirms,
    refutes,
    isDirect: cause.isDirect === true,
    suggestedByAlert: cause.when?.(alert) ?? false,
  };
}

function fill(template: Template, labels: LabelSet): FilledTemplate | null {
  const isPromql = template.kind === 'promql';
  const filled = isPromql ? fillPromql(template.template, labels)
    : fillShell(template.template, labels);
  if (filled === null) return null;
  return { kind: template.kind, text: filled, bounds: isPromql ? template.bounds : null };
}
