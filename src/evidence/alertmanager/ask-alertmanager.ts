import { labelOf, type LabelSet } from '../../alert/labels.ts';
import type { CaseFile } from '../../report/case-file.ts';
import {
  alertmanagerIdentity, type ActiveAlert, type Alertmanager, type Bounded, type Silence,
} from '../../sources/alertmanager.ts';
import type { Matcher } from '../../sources/promql-text.ts';
import { exactMatchers } from '../metrics/matching-labels.ts';
import { askWithin, type AskContext, type Outcome, type Settle } from '../ask-within.ts';

export interface Around {
  /** "namespace shop": what the alerts have in common. */
  readonly place: string;
  readonly alerts: Bounded<ActiveAlert>;
}

export interface AlertmanagerAnswers {
  readonly durationMs: number;
  /** The alert as Alertmanager has it; null when it is not active there. */
  readonly own: Outcome<ActiveAlert | null>;
  readonly around: readonly Outcome<Around>[];
  /** Active alerts of the group; null when the notification left none out. */
  readonly group: Outcome<readonly ActiveAlert[]> | null;
  /** The silences that apply to the alert; one that has been deleted since is left out. */
  readonly silences: readonly Outcome<Silence>[];
}

/** Labels by which an alert is looked up; it need not have all of them. */
const identifying = [
  'alertname', 'namespace', 'pod', 'instance', 'node', 'service', 'job', 'severity', 'cluster',
];
const silencesMax = 3;

/** Asks all questions about the alert at once. Rejects only when the signal is aborted. */
export function askAlertmanager(
  caseFile: CaseFile,
  context: AskContext<Alertmanager>,
): Promise<AlertmanagerAnswers> {
  return askWithin(alertmanagerIdentity, context, (alertmanager, settle) => {
    return askAll(caseFile, alertmanager, settle);
  });
}

async function askAll(
  { alert, group }: CaseFile,
  alertmanager: Alertmanager,
  settle: Settle,
): Promise<Omit<AlertmanagerAnswers, 'durationMs'>> {
  const ownAndSilences = (async () => {
    const own = await settle(findOwn(alertmanager, alert));
    const ids = 'value' in own ? (own.value?.silencedBy ?? []).slice(0, silencesMax) : [];
    const found = await Promise.all(ids.map((id) => settle(alertmanager.silence(id))));
    return { own, silences: found.flatMap(withoutNull) };
  })();
  const around = placesOf(alert.labels).map(({ place, matchers }) => {
    return settle(alertmanager.alerts(matchers).then((alerts) => ({ place, alerts })));
  });
  const rest = group.truncated > 0 ? settle(findGroup(alertmanager, group)) : null;
  const answers = await Promise.all([ownAndSilences, Promise.all(around), rest]);
  return { ...answers[0], around: answers[1], group: answers[2] };
}

async function findOwn(
  alertmanager: Alertmanager,
  { fingerprint, labels }: CaseFile['alert'],
): Promise<ActiveAlert | null> {
  const { items } = await alertmanager.alerts(exactMatchers(labels, identifying));
  return items.find((item) => item.fingerprint === fingerprint) ?? null;
}

async function findGroup(
  alertmanager: Alertmanager,
  { receiver, groupLabels }: CaseFile['group'],
): Promise<readonly ActiveAlert[]> {
  const names = Object.keys(groupLabels);
  const groups = await alertmanager.groups(receiver, exactMatchers(groupLabels, names));
  const found = groups.items.find(({ labels }) => {
    return Object.keys(labels).length === names.length &&
      names.every((name) => labelOf(labels, name) === labelOf(groupLabels, name));
  });
  return found?.alerts ?? [];
}

/** Where to look for other alerts: in the alert's namespace, cluster or job, and on its host. */
function placesOf(labels: LabelSet): { place: string; matchers: Matcher[] }[] {
  const wide = firstPresent(labels, ['namespace', 'cluster', 'job']);
  const host = firstPresent(labels, ['instance', 'node', 'host']);
  return [wide, host].flatMap((name) => {
    if (name === null) return [];
    const matchers = exactMatchers(labels, name === 'cluster' ? [name] : [name, 'cluster']);
    return [{ place: `${name} ${labelOf(labels, name) ?? ''}`, matchers }];
  });
}

function firstPresent(labels: LabelSet, names: readonly string[]): string | null {
  return names.find((name) => labelOf(labels, name) !== null && labelOf(labels, name) !== '') ??
    null;
}

function withoutNull<T>(outcome: Outcome<T | null>): Outcome<T>[] {
  if (!('value' in outcome)) return [outcome];
  return outcome.value === null ? [] : [{ value: outcome.value }];
}
