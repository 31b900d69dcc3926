import type { Alert } from '../alert/alert.ts';
import { parseTime } from '../alert/timestamp.ts';
import type { Report } from '../report/report.ts';
import type { Episode } from './episode.ts';
import { ReceivedAlert, type AlertInGroup } from './received-alert.ts';

/**
 * The alert as its stored report holds it. What a report leaves out stays empty: the values that
 * Grafana computed, its panel, and the labels that the group has in common.
 */
export function toldInReport(episode: Episode, report: Report): ReceivedAlert {
  const { alert: told } = report;
  const alert: Alert = {
    status: episode.endsAt === null ? 'firing' : 'resolved',
    labels: told.labels,
    annotations: told.annotations,
    startsAt: told.startsAt ?? episode.startsAt,
    endsAt: episode.endsAt,
    generatorURL: told.generatorURL,
    fingerprint: episode.fingerprint,
    values: {},
    dashboardURL: '',
    panelURL: '',
  };
  const group = {
    receiver: told.receiver, groupKey: told.group_key, groupLabels: {}, externalURL: '',
    ...told.group,
  };
  return receivedAs({ alert, group }, receivedAt(episode, report));
}

/** A notification put together from what is known; `at` in wall time. */
export function receivedAs(told: AlertInGroup, at: number): ReceivedAlert {
  return ReceivedAlert.of(told, { at, weight: JSON.stringify(told).length });
}

function receivedAt({ startsAt }: Episode, { timeline }: Report): number {
  const received = timeline.find(({ kind }) => kind === 'received')?.at;
  return parseTime(received ?? startsAt) ?? 0;
}
