import { labelOf, type LabelSet } from '../../alert/labels.ts';
import type { CaseFile } from '../../report/case-file.ts';
import {
  alertmanagerIdentity, type ActiveAlert, type Alertmanager, type Silence,
} from '../../sources/alertmanager.ts';
import type { Bounded } from '../../sources/answer-room.ts';
import type { Matcher } from '../../sources/promql-text.ts';
import { askWithin, type Ask, type AskContext, type Asked } from '../ask-within.ts';
import { exactMatchers } from '../metrics/matching-labels.ts';

export interface Around {
  /** "namespace shop": what the alerts have in common. */
  readonly place: string;
  readonly alerts: Bounded<ActiveAlert>;
}

export interface AlertmanagerAnswers extends Asked {
  /** The alert as Alertmanager has it, if it is active there; null: unknown. */
  readonly own: { readonly found: ActiveAlert | null } | null;
  readonly around: readonly Around[];
  /** Active alerts of the group; null if the notification left none out, or if unknown. */
  readonly group: Bounded<ActiveAlert> | null;
  /** The silences that apply to the alert, as far as they were read and still exist. */
  readonly silences: readonly Silence[];
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
  return askWithin(alertmanagerIdentity, context, (alertmanager, ask: Ask) =>
    askAll(caseFile, alertmanager, ask));
}

async function askAll(
  { alert, group }: CaseFile,
  alertmanager: Alertmanager,
  ask: Ask,
): Promise<Omit<AlertmanagerAnswers, keyof Asked>> {
  const askOwn = async (): Promise<Pick<AlertmanagerAnswers, 'own' | 'silences'>> => {
    const what = 'Whether the alert is silenced or inhibited';
    const own = await ask(what, () => findOwn(alertmanager, alert));
    const ids = own?.found?.silencedBy.slice(0, silencesMax) ?? [];
    const found = await Promise.all(ids.map((id) => ask(what, () => alertmanager.silence(id))));
    return { own, silences: found.filter((silence) => silence !== null) };
  };
  const [own, around, rest] = await Promise.all([
    askOwn(),
    Promise.all(placesOf(alert.labels).map(({ place, matchers }) => {
      return ask('Which other alerts are active in Alertmanager', async () => {
        return { place, alerts: await alertmanager.alerts(matchers) };
      });
    })),
    group.truncated === 0 ? null
      : ask('The alerts of the group that the notification left out', () =>
        findGroup(alertmanager, group)),
  ]);
  return { ...own, around: around.filter((place) => place !== null), group: rest };
}

/** Null if it may be one of the alerts that were not read. */
async function findOwn(
  alertmanager: Alertmanager,
  { fingerprint, labels }: CaseFile['alert'],
): Promise<AlertmanagerAnswers['own']> {
  const { items, omitted } = await alertmanager.alerts(exactMatchers(labels, identifying));
  const found = items.find((item) => item.fingerprint === fingerprint) ?? null;
  return found === null && omitted > 0 ? null : { found };
}

/** Null if it may be one of the groups that were not read. */
async function findGroup(
  alertmanager: Alertmanager,
  { receiver, groupLabels }: CaseFile['group'],
): Promise<Bounded<ActiveAlert> | null> {
  const names = Object.keys(groupLabels);
  const groups = await alertmanager.groups(receiver, exactMatchers(groupLabels, names));
  const found = groups.items.find(({ labels }) =>
    Object.keys(labels).length === names.length &&
      names.every((name) => labelOf(labels, name) === labelOf(groupLabels, name)));
  return found?.alerts ?? (groups.omitted > 0 ? null : { items: [], omitted: 0 });
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
  return names.find((name) => (labelOf(labels, name) ?? '') !== '') ?? null;
}
