import { isFingerprint } from '../../alert/fingerprint.ts';
import { compareText } from '../../lib/compare-text.ts';
import { shownNameOf } from '../../report/alert-place.ts';
import type { CaseFile, OpenAlert } from '../../report/case-file.ts';
import { counted } from '../../report/plain-text.ts';
import type { SourceState, Statement, Unknown } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { isoTime } from '../../report/time-text.ts';
import type { ActiveAlert } from '../../sources/alertmanager.ts';
import type { Ledger, NewEvidence } from '../ledger.ts';
import type { Outcome } from '../ask-within.ts';
import type { AlertmanagerAnswers, Around } from './ask-alertmanager.ts';
import { ownFindings, ownSummary } from './own-state.ts';

/** What Alertmanager answered, and the evidence for each statement. */
export interface AlertmanagerFacts {
  readonly source: {
    readonly state: SourceState;
    readonly durationMs: number;
    /** The first failure; null when every question was answered. */
    readonly problem: string | null;
    /** The item that says how the source did. */
    readonly evidence: string;
  };
  readonly findings: readonly Statement[];
  readonly unknowns: readonly Unknown[];
  /** It listed the alerts that the notification left out, as far as they are still active. */
  readonly isGroupTold: boolean;
  /** Active in Alertmanager but not known to this service. */
  readonly others: readonly OpenAlert[];
  /** Alerts that inhibit this one; labels are null when they were not among the answers. */
  readonly inhibitors: readonly { fingerprint: string; labels: ActiveAlert['labels'] | null }[];
}

/** Adds an evidence item of this source and returns its id. */
type Add = (item: Omit<NewEvidence, 'source'>) => string;

/** Items that {@linkcode collectAlertmanager} adds at most. */
export const alertmanagerItemsMax = 5;

const alertsShown = 20;
const namesShown = 3;

/** Turns the answers into evidence items; the same answers give the same items. */
export function collectAlertmanager(
  caseFile: CaseFile,
  answers: AlertmanagerAnswers,
  { ledger, now }: { readonly ledger: Ledger; readonly now: number },
): AlertmanagerFacts {
  const { alert } = caseFile;
  const add: Add = (item) => {
    return ledger.add({ ...item, source: 'alertmanager', fetched_at: isoTime(now) });
  };
  const source = addSource(add, answers);
  const others = activeAround(answers).filter(({ fingerprint }) => {
    return fingerprint !== alert.fingerprint;
  });
  const findings: Statement[] = [];
  if ('value' in answers.own) {
    const evidence = addOwn(add, answers.own.value, answers);
    findings.push(...ownFindings(alert, answers, { others, now, evidence }));
  }
  for (const place of answers.around) {
    if ('value' in place) findings.push(...addAround(add, place.value, alert.fingerprint));
  }
  if (answers.group !== null && 'value' in answers.group) {
    findings.push(addGroup(add, answers.group.value, caseFile));
  }
  const known = new Set(caseFile.openAlerts.map(({ fingerprint }) => fingerprint));
  const own = 'value' in answers.own ? answers.own.value : null;
  return {
    source: { ...source, durationMs: Math.round(answers.durationMs) },
    findings,
    unknowns: unknownsOf(answers, source.state),
    isGroupTold: answers.group !== null && 'value' in answers.group,
    others: others.flatMap((other) => (known.has(other.fingerprint) ? [] : openAlert(other))),
    inhibitors: (own?.inhibitedBy ?? []).filter(isFingerprint).map((fingerprint) => ({
      fingerprint,
      labels: others.find((other) => other.fingerprint === fingerprint)?.labels ?? null,
    })),
  };
}

function allOutcomes({ own, around, group, silences }: AlertmanagerAnswers): Outcome<unknown>[] {
  return [own, ...around, ...(group === null ? [] : [group]), ...silences];
}

function addSource(
  add: Add,
  answers: AlertmanagerAnswers,
): { state: SourceState; evidence: string; problem: string | null } {
  const all = allOutcomes(answers);
  const failed = all.flatMap((outcome) => ('value' in outcome ? [] : [outcome]));
  const [first] = failed;
  const state = failed.length < all.length ? 'ok' : 'failed';
  const problem = first === undefined ? null : `Cannot read from Alertmanager: ${first.why}.`;
  const evidence = add({
    kind: 'source',
    title: 'Alertmanager',
    state,
    summary: `Alertmanager answered ${all.length - failed.length} of ` +
      `${counted(all.length, 'question')}.${first === undefined ? '' : ` ${first.hint}`}`,
    error: problem,
  });
  return { state, evidence, problem };
}

function addOwn(add: Add, own: ActiveAlert | null, answers: AlertmanagerAnswers): string {
  const silences = answers.silences.flatMap((outcome) => {
    return 'value' in outcome ? [outcome.value] : [];
  });
  return add({
    kind: 'related',
    title: 'This alert in Alertmanager',
    state: own === null ? 'empty' : 'ok',
    summary: ownSummary(own),
    data: own && {
      state: own.state, receivers: own.receivers, inhibited_by: own.inhibitedBy,
      muted_by: own.mutedBy, silences: silences.map(({ id, endsAt, createdBy, comment }) => ({
        id, endsAt, createdBy, comment,
      })),
    },
  });
}

function addAround(
  add: Add,
  { place, alerts }: Around,
  ownFingerprint: string,
): Statement[] {
  const others = alerts.items.filter(({ fingerprint }) => fingerprint !== ownFingerprint);
  const count = others.length + alerts.omitted;
  const where = shownText(place, 120);
  const summary = count === 0
    ? `No other alert is active with ${where}.`
    : `${counted(count, 'other alert')} ${count === 1 ? 'is' : 'are'} active with ${where}: ` +
      `${namesIn(others, alerts.omitted)}.`;
  const evidence = add({
    kind: 'related',
    title: `Active alerts with ${where}`,
    state: count === 0 ? 'empty' : 'ok',
    summary,
    data: others.slice(0, alertsShown).map(({ fingerprint, labels, startsAt, state }) => ({
      fingerprint, name: shownNameOf(labels), startsAt, state,
    })),
    truncated: count > alertsShown,
  });
  return [{ text: summary, evidence: [evidence] }];
}

function addGroup(add: Add, alerts: readonly ActiveAlert[], { group }: CaseFile): Statement {
  const count = alerts.length;
  const active = count === 0 ? 'none is active now'
    : `${count} ${count === 1 ? 'is' : 'are'} active now: ${namesIn(alerts)}`;
  const text = `The notification lists ${group.listed} of the ` +
    `${group.listed + group.truncated} alerts of its group; ${active}.`;
  const evidence = add({
    kind: 'group',
    title: 'The whole group',
    state: alerts.length === 0 ? 'empty' : 'ok',
    summary: text,
    data: alerts.slice(0, alertsShown).map(({ fingerprint, labels, state }) => ({
      fingerprint, name: shownNameOf(labels), state,
    })),
    truncated: alerts.length > alertsShown,
  });
  return { text, evidence: [evidence] };
}

/** "8 HighLatency, 2 PodDown and 5 more"; `omitted` are those that were not read. */
function namesIn(alerts: readonly ActiveAlert[], omitted = 0): string {
  const counts = new Map<string, number>();
  for (const { labels } of alerts) {
    const name = shownNameOf(labels);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1] || compareText(a[0], b[0]));
  const shown = sorted.slice(0, namesShown);
  const rest = sorted.slice(namesShown).reduce((sum, [, count]) => sum + count, omitted);
  const names = shown.map(([name, count]) => (count === 1 ? name : `${count} ${name}`)).join(', ');
  if (rest === 0) return names;
  return names === '' ? 'none of them was read' : `${names} and ${rest} more`;
}

function unknownsOf(answers: AlertmanagerAnswers, state: SourceState): Unknown[] {
  const what = (outcome: Outcome<unknown> | null, text: string): Unknown[] => {
    if (outcome === null || 'value' in outcome) return [];
    const why = `Cannot read from Alertmanager: ${outcome.why}.`;
    return [{ what: text, why, how_to_get: outcome.hint }];
  };
  if (state === 'failed') {
    const first = allOutcomes(answers).find((outcome) => !('value' in outcome)) ?? null;
    return what(first, 'Silences, inhibitions and alerts that were not sent here.');
  }
  return [
    ...what(answers.own, 'Whether the alert is silenced or inhibited.'),
    ...what(answers.around.find((outcome) => !('value' in outcome)) ?? null,
      'Which other alerts are active in Alertmanager.'),
    ...what(answers.group, 'The alerts of the group that the notification left out.'),
  ];
}

function activeAround({ around, group }: AlertmanagerAnswers): ActiveAlert[] {
  const lists = around.map((outcome) => ('value' in outcome ? outcome.value.alerts.items : []));
  if (group !== null && 'value' in group) lists.push(group.value);
  const byFingerprint = new Map(lists.flat().map((alert) => [alert.fingerprint, alert]));
  return [...byFingerprint.values()];
}

function openAlert({ fingerprint, labels, startsAt }: ActiveAlert): OpenAlert[] {
  if (startsAt === null || !isFingerprint(fingerprint)) return [];
  return [{ fingerprint, labels, startsAt }];
}
