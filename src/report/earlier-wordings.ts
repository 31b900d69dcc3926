/**
 * Reports and records of earlier versions say by their wording alone what causes, evidence, links,
 * steps and changes are. Here, and nowhere else, that wording is read.
 */
import { memberOf } from '../lib/parse.ts';
import { formatQuantity } from '../lib/quantity.ts';
import { alertText } from './author-words.ts';
import type { CauseFacts, ChangeVerb, EvidenceRole, LinkKind } from './kinds.ts';
import type { Change, EvidenceItem, Report } from './report.ts';

/** The report with what an earlier version left to its wording. */
export function withFacts(report: Report): Report {
  const { alert, changes, evidence, hypotheses, next_steps: steps, timeline, verdict } = report;
  const isEarlier = [...alert.links, ...hypotheses, ...steps].some(({ kind }) => kind === undefined)
    || changes.some(({ kind, verb }) => kind === 'series' && verb === undefined)
    || evidence.some((item) => item.role === undefined && roleOf(item) !== undefined);
  if (!isEarlier) return report;
  const first = steps.findIndex(({ action }) => action === verdict.do_first);
  const quoted = alertText(alert);
  return {
    ...report,
    alert: {
      ...alert,
      links: alert.links.map((link) => known({ kind: linkKinds.get(link.title) }, link)),
    },
    changes: changes.map((change) => known({ verb: verbOf(change) }, change)),
    evidence: evidence.map((item) => known({ role: roleOf(item) }, withData(item))),
    hypotheses: hypotheses.map((each) => ({ ...earlierCause(each.cause, changes), ...each })),
    next_steps: steps.map((step, index) => ({
      id: `step-${index + 1}`, ...step.risk === 'none: read-only' && { reads_only: true }, ...step,
    })),
    timeline: timeline.map((entry) =>
      known({ change: changes.find(({ title }) => title === entry.text)?.rank }, entry)),
    unknowns: report.unknowns.map((each) =>
      (each.what === 'Questions that a source did not answer.' ? { is_awaited: true, ...each }
        : each)),
    verdict: {
      ...known({ first_step: first < 0 ? undefined : `step-${first + 1}` }, verdict),
      ...quoted !== null && verdict.headline.includes(quoted) && { is_quoted: true },
    },
  };
}

/** Adds what is known to what lacks it. */
function known<Name extends string, Value, T extends { readonly [N in Name]?: Value }>(
  added: Readonly<Record<Name, Value | undefined>>,
  to: T,
): T {
  return Object.values(added).includes(undefined) ? to : { ...added, ...to };
}

/** What a cause is by its wording; `changes` are those of its report, if it is known. */
export function earlierCause(cause: string, changes: readonly Change[] = []): CauseFacts {
  const words = cause.split(/[\s,;]+/u);
  if (/^(?:A release:|The version of |The image of )/u.test(cause)) {
    return { kind: 'release', about: words };
  }
  if (cause.startsWith('A configuration change:')) return { kind: 'config', about: words };
  if (cause.startsWith('The same problem as ')) return { kind: 'same_problem', about: words };
  const [isElsewhere, who] = /^Something it [^(]*(?:\(([^)]+))?/u.exec(cause) ?? [];
  if (isElsewhere !== undefined) {
    return { kind: 'dependency', ...who !== undefined && { about: who.split(/, because of | /u) } };
  }
  return changes.some(({ title }) => cause.startsWith(title)) ? { kind: 'component' } : {};
}

const linkKinds: ReadonlyMap<string, LinkKind> = new Map([
  ['Dashboard', 'dashboard'], ['Panel', 'panel'], ['Alertmanager', 'alertmanager'],
  ['Silence', 'silence'],
]);

const roles: ReadonlyMap<string, EvidenceRole> = new Map([
  ['Values sent with the alert', 'sent_values'], ['This alert in Alertmanager', 'in_alertmanager'],
  ['What explained the alert while it fired', 'found_before'],
]);
const asked = 'Asked by the model: ';

function roleOf({ title, query }: EvidenceItem): EvidenceRole | undefined {
  if (!title.startsWith(asked)) return roles.get(title);
  const isQuery = query?.startsWith(title.slice(asked.length).replace(/…$/u, '')) === true;
  return isQuery ? 'query_of_model' : 'asked_by_model';
}

function withData(item: EvidenceItem): EvidenceItem {
  const { title, data } = item;
  if (typeof data !== 'object' || data === null) return item;
  if (title.startsWith('Rate of ')) return { ...item, data: { is_rate: true, ...data } };
  const cause = roleOf(item) === 'found_before' ? memberOf(data, 'cause') : null;
  return typeof cause === 'string' ? { ...item, data: { ...earlierCause(cause), ...data } } : item;
}

function verbOf({ title, before, after, unit }: Change): ChangeVerb | undefined {
  const verb = / (rose|fell) from /u.exec(title)?.[1];
  if (verb === 'rose' || verb === 'fell') return verb;
  const hasBoth = before !== null && after !== null &&
    title.includes(`from ${formatQuantity(before, unit)} to ${formatQuantity(after, unit)}`);
  return hasBoth ? 'went' : undefined;
}
