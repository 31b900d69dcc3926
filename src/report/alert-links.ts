import type { Alert } from '../alert/alert.ts';
import { labelOf, type LabelSet } from '../alert/labels.ts';
import type { Group } from '../alert/notification.ts';
import { parseTime } from '../alert/timestamp.ts';
import type { LinkKind } from './kinds.ts';
import type { Link } from './reported-alert.ts';
import { alertmanagerAddresses } from './silence.ts';
import { isoTime } from './time-text.ts';
import { webAddress } from './web-address.ts';

const linksMax = 12;

/** How much of a graph's two hours lies after the alert's start. */
const graphAfterMs = 30 * 60_000;

const knownAnnotations: readonly (readonly [annotation: string, kind: LinkKind])[] = [
  ['runbook_url', 'runbook'], ['runbook', 'runbook'], ['dashboard_url', 'dashboard'],
  ['dashboard', 'dashboard'], ['dashboardURL', 'dashboard'], ['grafana_url', 'dashboard'],
  ['logs_url', 'logs'], ['logs', 'logs'], ['trace_url', 'traces'], ['playbook_url', 'playbook'],
  ['link', 'link'], ['url', 'link'],
];

const titles: Readonly<Record<LinkKind, string>> = {
  runbook: 'Runbook', playbook: 'Playbook', dashboard: 'Dashboard', panel: 'Panel', logs: 'Logs',
  traces: 'Traces', link: 'Link', prometheus: 'Prometheus', source: 'Alert source',
  alertmanager: 'Alertmanager', silence: 'Silence',
};

/** Links to show on the report, the most useful first; only valid http and https addresses. */
export function alertLinks(alert: Alert, group: Group): Link[] {
  const annotated = knownAnnotations.map(([annotation, kind]) => ({
    kind,
    url: addressIn(labelOf(alert.annotations, annotation) ?? ''),
  }));
  const { alerts, silence } = alertmanagerAddresses(alert.labels, group.externalURL);
  const candidates: readonly Pick<Required<Link>, 'kind' | 'url'>[] = [
    ...annotated,
    generatorLink(alert),
    { kind: 'dashboard', url: alert.dashboardURL },
    { kind: 'panel', url: alert.panelURL },
    // Grafana has its own form, and no page of Alertmanager's.
    ...alert.silenceURL === undefined
      ? [{ kind: 'alertmanager', url: alerts } as const, { kind: 'silence', url: silence } as const]
      : [{ kind: 'silence', url: alert.silenceURL } as const],
  ];
  const links = new Map<string, Link>();
  for (const { kind, url } of candidates) {
    const address = webAddress(url);
    if (address === null || links.has(address)) continue;
    links.set(address, { kind, title: titles[kind], url: address });
  }
  return [...links.values()].slice(0, linksMax);
}

/** Where Prometheus draws another query around the alert's start; null where that is unknown. */
export function graphOf(query: string, links: readonly Link[]): string | null {
  const own = links.find(({ kind }) => kind === 'prometheus');
  if (own === undefined || webAddress(own.url) === null) return null;
  const address = new URL(own.url);
  if (!address.searchParams.has('g0.expr')) return null;
  address.searchParams.set('g0.expr', query);
  return address.href;
}

/** The runbook that the alert names; null unless it is an http or https address. */
export function runbookOf(annotations: LabelSet): string | null {
  const named = labelOf(annotations, 'runbook_url') ?? labelOf(annotations, 'runbook');
  return webAddress(addressIn(named ?? ''));
}

const linkTextMax = 4096;

/** The first address in an annotation for one, which may be marked up: `<https://…|Runbook>`. */
function addressIn(text: string): string {
  if (webAddress(text) !== null || text.length > linkTextMax) return text;
  return /https?:\/\/[^\s<>"'|)\]]+/iu.exec(text)?.[0] ?? text;
}

function generatorLink({ generatorURL, startsAt }: Alert): Pick<Required<Link>, 'kind' | 'url'> {
  const isGraph = /[?&/#]g0\.expr=/u.test(generatorURL);
  if (!isGraph) return { kind: 'source', url: generatorURL };
  return { kind: 'prometheus', url: graphAround(generatorURL, startsAt) };
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
