import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { conditionsOf, type RuleReading } from '../rule/rule-expression.ts';
import { alertSelector, askFired, type FiredAnswer } from './fired.ts';
import { isWithin, namesOf, ownAmong } from './matching-labels.ts';
import type { Question } from './question.ts';
import { findRule, type FoundRule } from './rule-lookup.ts';

export interface KnownHistory {
  readonly found: FoundRule | null;
  /**
   * The rule as the server has it, else as the alert links to it; of several conditions the one
   * that held when the alert fired.
   */
  readonly reading: RuleReading | null;
  readonly fired: FiredAnswer | null;
  /** Since when the expression holds; null is unknown. */
  readonly activeAtMs: number | null;
  /** The alert's labels that its series can be expected to have on this server. */
  readonly labels: LabelSet;
}

/** The first questions: whatever is wrong with the server shows here. */
export async function askHistory(question: Question): Promise<KnownHistory> {
  const { asker, labels, now, startsAtMs, name, linked } = question;
  const [rules, fired, since] = await Promise.all([
    asker.rules(name),
    askFired(asker, { labels, now }),
    askActiveSince(question),
  ]);
  const found = rules === null ? null : findRule(rules, labels, linked);
  const pendingMs = found?.pending?.activeAtMs ?? null;
  // The server's own alert may be a later one than that of an old notification.
  const isThisOne = pendingMs !== null && pendingMs <= startsAtMs;
  const reading = found?.reading ?? linked;
  return {
    found, fired, reading: reading === null ? null : await askHolding(question, reading),
    activeAtMs: since ?? (isThisOne ? pendingMs : null),
    labels: serverLabels(labels, found, fired?.labelNames ?? null),
  };
}

/** `a or b` has the values of a where there are some, and only else those of b. */
async function askHolding(
  { asker, labels, startsAtMs }: Question,
  whole: RuleReading,
): Promise<RuleReading> {
  const conditions = conditionsOf(whole);
  if (conditions.length === 0) return whole;
  const answers = await Promise.all(conditions.map(({ query }) =>
    asker.query('own', query, startsAtMs)));
  const at = answers.findIndex((answer) =>
    answer !== null && ownAmong(answer.samples, labels) !== null);
  // One that was not answered may have held before the one that did.
  const isSure = at >= 0 && answers.slice(0, at).every((answer) => answer !== null);
  const holding = isSure ? conditions[at]?.reading : undefined;
  return holding === undefined || holding.compared === null ? whole : holding;
}

/** `ALERTS_FOR_STATE` holds the time since when an expression holds, in seconds. */
async function askActiveSince(
  { asker, labels, startsAtMs }: Question,
): Promise<number | null> {
  const { text } = alertSelector('ALERTS_FOR_STATE', labels);
  if (text === null) return null;
  const answer = await asker.query('fired', text, startsAtMs);
  const own = answer?.samples
    .filter((sample) => isWithin(sample.labels, labels))
    .toSorted((a, b) => namesOf(b.labels).length - namesOf(a.labels).length)[0];
  const ms = own === undefined ? Number.NaN : own.value * 1000;
  return ms > 0 && ms <= startsAtMs ? ms : null;
}

/** Labels that senders add to an alert without its series having them. */
const added = new Set([
  'alertname', 'severity', 'priority', 'team', 'prometheus', 'prometheus_replica', 'replica',
  'monitor', 'alertgroup', 'receive', 'tenant_id', 'ruler_cluster',
]);
/** Labels of the whole server: not on its series, unless it says so. */
const external = new Set([
  'cluster', 'region', 'zone', 'env', 'environment', 'datacenter', 'dc', 'stage',
]);
/** A rule that sets these repeats what its series have. */
const trusted = new Set(['namespace', 'job', 'instance', 'pod']);

function serverLabels(
  labels: LabelSet,
  found: FoundRule | null,
  firedNames: readonly string[] | null,
): LabelSet {
  const names = firedNames ?? (found?.pending ? namesOf(found.pending.labels) : null);
  const kept = namesOf(labels).filter((name) => {
    if (added.has(name) || (names === null ? external.has(name) : !names.includes(name))) {
      return false;
    }
    return trusted.has(name) || labelOf(found?.rule.labels ?? {}, name) === null;
  });
  return Object.fromEntries(kept.map((name) => [name, labels[name] ?? '']));
}
