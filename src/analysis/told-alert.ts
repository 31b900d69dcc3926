import { isFingerprint, fingerprintOf } from '../alert/fingerprint.ts';
import { labelSet, noLabels, type LabelSet } from '../alert/labels.ts';
import { fieldsOf, lenient } from '../lib/parse.ts';
import type { CaseFile } from '../report/case-file.ts';
import type { EvidenceItem, Report } from '../report/report.ts';

/** What an episode was told last, which nobody else keeps once its report is written. */
export interface ToldAlert extends Pick<CaseFile, 'alert' | 'group' | 'receivedAt'> {
  /** The episode's `notifications` at that time. */
  readonly revision: number;
}

/**
 * What the episode was told last, read back from its stored report: all that an investigation asks
 * for. The group's labels and Grafana's values are those of the evidence, which may be cut short
 * when they are many; the addresses of Alertmanager, dashboard and panel are those of the links.
 */
export function toldAlertOf(report: Report): ToldAlert {
  const { alert, episode, fingerprint, timeline, evidence } = report;
  const { labels, annotations, startsAt, endsAt, generatorURL } = alert;
  const grouped = evidence.find(({ kind }) => kind === 'group');
  const valued = evidence.find(({ title }) => title === 'Values sent with the alert');
  return {
    alert: {
      status: episode.state, labels, annotations, startsAt, endsAt, generatorURL,
      fingerprint: isFingerprint(fingerprint) ? fingerprint : fingerprintOf(labels),
      values: labelsIn(valued, 'values'),
      dashboardURL: linkOf(report, 'Dashboard'), panelURL: linkOf(report, 'Panel'),
    },
    group: {
      receiver: alert.receiver, groupKey: alert.group_key,
      groupLabels: labelsIn(grouped, 'groupLabels'),
      externalURL: linkOf(report, 'Alertmanager').replace(/\/#\/alerts\?.*$/su, ''),
      listed: alert.group.listed, truncated: alert.group.truncated,
    },
    receivedAt: timeline.find(({ kind }) => kind === 'received')?.at ?? report.updated_at,
    revision: episode.notifications,
  };
}

function labelsIn(item: EvidenceItem | undefined, member: string): LabelSet {
  const { data } = item ?? {};
  if (typeof data !== 'object' || data === null) return noLabels;
  return fieldsOf(data, 'data')(member, lenient(labelSet, noLabels));
}

function linkOf({ alert }: Report, title: string): string {
  return alert.links.find((link) => link.title === title)?.url ?? '';
}
