import type { Alert } from '../alert/alert.ts';
import { labelOf, type LabelSet } from '../alert/labels.ts';
import type { Group } from '../alert/notification.ts';
import { parseTime } from '../alert/timestamp.ts';
import type { Link } from './report.ts';
import { alertmanagerAddresses } from './silence.ts';
import { isoTime } from './time-text.ts';
import { webAddress } from './web-address.ts';

const linksMax = 12;

/** How much of a graph's two hours lies after the alert's start. */
const graphAfterMs = 30 * 60_000;

const knownAnnotations: readonly (readonly [annotation: string, title: string])[] = [
  ['runbook_url', 'Runbook'], ['runbook', 'Runbook'], ['dashboard_url', 'Dashboard'],
  ['dashboard', 'Dashboard'], ['dashboardURL', 'Dashboard'], ['grafana_url', 'Dashboard'],
  ['logs_url', 'Logs'], ['logs', 'Logs'], ['trace_url', 'Traces'], ['playbook_url', 'Playbook'],
  ['link', 'Link'], ['url', 'Link'],
];

/** Links to show on the report, the most useful first; only valid http and https addresses. */
export function alertLinks(alert: Alert, group: Group): Link[] {
  const annotated = knownAnnotations.map(([annotation, title]) => ({
    title,
    url: labelOf(alert.annotations, annotation) ?? '',
  }));
  const { alerts, silence } = alertmanagerAddresses(alert.labels, group.externalURL);
  const candidates: Link[] = [
    ...annotated,
    generatorLink(alert),
    { title: 'Dashboard', url: alert.dashboardURL },
    { title: 'Panel', url: alert.panelURL },
    { title: 'Alertmanager', url: alerts },
    { title: 'Silence', url: silence },
  ];
  const links = new Map<string, Link>();
  for (const { title, url } of candidates) {
    const address = webAddress(url);
    if (address !== null && !links.has(address)) links.set(address, { title, url: address });
  }
  return [...links.values()].slice(0, linksMax);
}

/** The runbook that the alert names; null unless it is an http or https address. */
export function runbookOf(annotations: LabelSet): string | null {
  const named = labelOf(annotations, 'runbook_url') ?? labelOf(annotations, 'runbook');
  return webAddress(named ?? '');
}

function generatorLink({ generatorURL, startsAt }: Alert): Link {
  const isGraph = /[?&/#]g0\.expr=/u.test(generatorURL);
  if (!isGraph) return { title: 'Alert source', url: generatorURL };
  return { title: 'Prometheus', url: graphAround(generatorURL, startsAt) };
}

/**
 * A link to Prometheus that shows a graph around the alert's start instead of a table of current
 * values; any other address is returned unchanged. The parameters are those of Prometheus' own
 * links (prometheus/prometheus: web/ui/mantine-ui/src/promql/urlStateEncoding).
 */
function graphAround(url: string, startsAt: string | null): string {
  const at = startsAt === null ? null : parseTime(startsAt);
  if (at === null || webAddress(url) === null) return url;
  const address = new URL(url);
  if (!address.pathname.endsWith('/graph') && !address.pathname.endsWith('/query')) return url;
  address.searchParams.set('g0.tab', '0');
  address.searchParams.set('g0.range_input', '2h');
  const end = isoTime(at + graphAfterMs).slice(0, 19).replace('T', ' ');
  address.searchParams.set('g0.end_input', end);
  return address.href;
}
