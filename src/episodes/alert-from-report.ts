import { fingerprintOf, isFingerprint } from '../alert/fingerprint.ts';
import { labelSet, noLabels, type LabelSet } from '../alert/labels.ts';
import { parseTime } from '../alert/timestamp.ts';
import { lenient, memberOf } from '../lib/parse.ts';
import type { LinkKind } from '../report/kinds.ts';
import type { EvidenceItem, Report } from '../report/report.ts';
import type { Episode } from './episode.ts';
import { ReceivedAlert, type AlertInGroup } from './received-alert.ts';

/**
 * Restores the alert from its stored report, with everything that an investigation needs. Group
 * labels and Grafana's values come from the evidence, which may be cut when they are many; the URLs
 * of Alertmanager, dashboard and panel come from the links.
 */
export function alertInReport(report: Report): AlertInGroup {
  const { alert, episode, fingerprint, evidence } = report;
  const { labels, annotations, startsAt, endsAt, generatorURL } = alert;
  const grouped = evidence.find(({ kind }) => kind === 'group');
  const valued = evidence.find(({ role }) => role === 'sent_values');
  return {
    alert: {
      status: episode.state, labels, annotations, startsAt, endsAt, generatorURL,
      fingerprint: isFingerprint(fingerprint) ? fingerprint : fingerprintOf(labels),
      values: labelsIn(valued, 'values'),
      dashboardURL: linkOf(report, 'dashboard'), panelURL: linkOf(report, 'panel'),
    },
    group: {
      receiver: alert.receiver, groupKey: alert.group_key,
      groupLabels: labelsIn(grouped, 'groupLabels'),
      externalURL: linkOf(report, 'alertmanager').replace(/\/#\/alerts\?.*$/su, ''),
      listed: alert.group.listed, truncated: alert.group.truncated,
    },
  };
}

/** The same as a received alert of the episode, which may have ended since. */
export function receivedInReport(episode: Episode, report: Report): ReceivedAlert {
  const { alert, group } = alertInReport(report);
  const { fingerprint, endsAt } = episode;
  const status = endsAt === null ? 'firing' : 'resolved';
  const startsAt = alert.startsAt ?? episode.startsAt;
  const content = { alert: { ...alert, fingerprint, status, startsAt, endsAt } as const, group };
  return ReceivedAlert.of(content, receivedAt(episode, report));
}

function receivedAt({ startsAt }: Episode, { timeline }: Report): number {
  const received = timeline.find(({ kind }) => kind === 'received')?.at;
  return parseTime(received ?? startsAt) ?? 0;
}

function labelsIn(item: EvidenceItem | undefined, member: string): LabelSet {
  return lenient(labelSet, noLabels)(memberOf(item?.data, member), member);
}

/** The last link of this kind, as those from annotations come first. */
function linkOf({ alert }: Report, kind: LinkKind): string {
  return alert.links.findLast((link) => link.kind === kind)?.url ?? '';
}
