import { isFingerprint } from '../../alert/fingerprint.ts';
import { compareText } from '../../lib/compare-text.ts';
import { shownNameOf } from '../../report/alert-place.ts';
import type { CaseFile, OpenAlert } from '../../report/case-file.ts';
import { counted } from '../../report/plain-text.ts';
import type { Statement } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { isoTime } from '../../report/time-text.ts';
import type { ActiveAlert } from '../../sources/alertmanager.ts';
import type { Bounded } from '../../sources/answer-room.ts';
import { listedClause } from '../from-notification.ts';
import type { AddItem } from '../ledger.ts';
import { addSourceReport, type CollectContext, type SourceReport } from '../source-report.ts';
import type { AlertmanagerAnswers, Around } from './ask-alertmanager.ts';
import { ownFindings, ownSummary } from './own-state.ts';

/** What Alertmanager answered, and the evidence for each statement. */
export interface AlertmanagerFacts {
  readonly source: SourceReport;
  readonly findings: readonly Statement[];
  /** It listed the alerts that the notification left out, as far as they are still active. */
  readonly isGroupListed: boolean;
  /** Active in Alertmanager but not known to this service. */
  readonly others: readonly OpenAlert[];
  /** Alerts that inhibit this one; labels are null when they were not among the answers. */
  readonly inhibitors: readonly { fingerprint: string; labels: ActiveAlert['labels'] | null }[];
}

/** Items that {@linkcode collectAlertmanager} adds at most. */
export const alertmanagerItemsMax = 5;

const alertsShown = 20;
const namesShown = 3;

/** Turns the answers into evidence items; the same answers give the same items. */
export function collectAlertmanager(
  caseFile: CaseFile,
  answers: AlertmanagerAnswers,
  { ledger, now, queries }: Omit<CollectContext, 'secrets'>,
): AlertmanagerFacts {
  const { alert, openAlerts } = caseFile;
  const { own, around, group } = answers;
  const add = ledger.adderFor('alertmanager', isoTime(now));
  const source = addSourceReport(add, 'alertmanager', { ...answers, queries });
  const others = activeAround(answers).filter(({ fingerprint }) =>
    fingerprint !== alert.fingerprint);
  const findings: Statement[] = [];
  if (own !== null) {
    const evidence = addOwn(add, own.found, answers);
    findings.push(...ownFindings(alert, { ...answers, ...own, others, now, evidence }));
  }
  findings.push(...around.map((place) => addAround(add, place, alert.fingerprint)));
  if (group !== null) findings.push(addGroup(add, group, caseFile));
  const known = new Set(openAlerts.map(({ fingerprint }) => fingerprint));
  return {
    source, findings, isGroupListed: group !== null,
    others: others.flatMap((other) => (known.has(other.fingerprint) ? [] : openAlert(other))),
    inhibitors: (own?.found?.inhibitedBy ?? []).filter(isFingerprint).map((fingerprint) => ({
      fingerprint,
      labels: others.find((other) => other.fingerprint === fingerprint)?.labels ?? null,
    })),
  };
}

function addOwn(add: AddItem, own: ActiveAlert | null, { silences }: AlertmanagerAnswers): string {
  return add({
    kind: 'related',
    role: 'in_alertmanager', title: 'This alert in Alertmanager',
    state: own === null ? 'empty' : 'ok',
    summary: ownSummary(own),
    data: own && {
      state: own.state, receivers: own.receivers, inhibited_by: own.inhibitedBy,
      muted_by: own.mutedBy, silences,
    },
  });
}

function addAround(add: AddItem, { place, alerts }: Around, ownFingerprint: string): Statement {
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
    truncated: count > Math.min(others.length, alertsShown),
  });
  return { text: summary, evidence: [evidence] };
}

function addGroup(
  add: AddItem,
  { items: alerts, omitted }: Bounded<ActiveAlert>,
  { group }: CaseFile,
): Statement {
  const count = alerts.length + omitted;
  const active = count === 0 ? 'none is active now'
    : `${count} ${count === 1 ? 'is' : 'are'} active now: ${namesIn(alerts, omitted)}`;
  const text = `${listedClause(group)}; ${active}.`;
  const evidence = add({
    kind: 'group',
    title: 'The whole group',
    state: count === 0 ? 'empty' : 'ok',
    summary: text,
    data: alerts.slice(0, alertsShown).map(({ fingerprint, labels, state }) => ({
      fingerprint, name: shownNameOf(labels), state,
    })),
    truncated: count > Math.min(alerts.length, alertsShown),
  });
  return { text, evidence: [evidence] };
}

/** "8 HighLatency, 2 PodDown and 5 more"; `omitted` are those that were not read. */
function namesIn(alerts: readonly ActiveAlert[], omitted: number): string {
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

function activeAround({ around, group }: AlertmanagerAnswers): ActiveAlert[] {
  const all = [...around.flatMap(({ alerts }) => alerts.items), ...(group?.items ?? [])];
  return [...new Map(all.map((alert) => [alert.fingerprint, alert])).values()];
}

function openAlert({ fingerprint, labels, startsAt }: ActiveAlert): OpenAlert[] {
  if (startsAt === null || !isFingerprint(fingerprint)) return [];
  return [{ fingerprint, labels, startsAt }];
}
