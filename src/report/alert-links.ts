import type { Alert } from '../alert/alert.ts';
import { labelOf, type LabelSet } from '../alert/labels.ts';
import type { Group } from '../alert/notification.ts';
import { shownText } from './shown-text.ts';

export interface Link {
  readonly title: string;
  readonly url: string;
}

const linkLengthMax = 4096;
const linksMax = 12;
const matchersMax = 24;

const knownAnnotations: readonly (readonly [annotation: string, title: string])[] = [
  ['runbook_url', 'Runbook'], ['runbook', 'Runbook'], ['dashboard_url', 'Dashboard'],
  ['dashboard', 'Dashboard'], ['dashboardURL', 'Dashboard'], ['grafana_url', 'Dashboard'],
  ['logs_url', 'Logs'], ['logs', 'Logs'], ['trace_url', 'Traces'], ['playbook_url', 'Playbook'],
  ['link', 'Link'], ['url', 'Link'],
];

/** Pages to open from the report, best first; only http and https addresses that parse. */
export function alertLinks(alert: Alert, group: Group): Link[] {
  const annotated = knownAnnotations.map(([annotation, title]) => ({
    title,
    url: labelOf(alert.annotations, annotation) ?? '',
  }));
  const candidates: Link[] = [
    ...annotated,
    { title: generatorTitle(alert.generatorURL), url: alert.generatorURL },
    { title: 'Dashboard', url: alert.dashboardURL },
    { title: 'Panel', url: alert.panelURL },
    ...alertmanagerLinks(alert.labels, group.externalURL),
  ];
  const links = new Map<string, Link>();
  for (const { title, url } of candidates) {
    const address = webAddress(url);
    if (address !== null && !links.has(address)) links.set(address, { title, url: address });
  }
  return [...links.values()].slice(0, linksMax);
}

/** The runbook the alert names, or null when there is none that a browser could open. */
export function runbookOf(annotations: LabelSet): string | null {
  const named = labelOf(annotations, 'runbook_url') ?? labelOf(annotations, 'runbook');
  return webAddress(named ?? '');
}

/** The address in its normal form; null unless it is http or https and not absurdly long. */
export function webAddress(text: string): string | null {
  if (text.length > linkLengthMax || !/^https?:\/\//iu.test(text)) return null;
  if (!URL.canParse(text)) return null;
  const { protocol, href } = new URL(text);
  return protocol === 'http:' || protocol === 'https:' ? href : null;
}

function generatorTitle(url: string): string {
  return /[?&/#]g0\.expr=/u.test(url) ? 'Prometheus' : 'Alert source';
}

/**
 * The alert's list and the form of a new silence, filled in, as Alertmanager's own page addresses
 * them (prometheus/alertmanager: ui/app/src/Utils/Filter.elm).
 */
function alertmanagerLinks(labels: LabelSet, externalURL: string): Link[] {
  const base = externalURL.replace(/[?#].*$/su, '').replace(/\/+$/u, '');
  const matchers = Object.keys(labels)
    .sort()
    .slice(0, matchersMax)
    .map((name) => `${matcherName(name)}=${JSON.stringify(labelOf(labels, name) ?? '')}`);
  const filter = encodeURIComponent(`{${matchers.join(',')}}`);
  return [
    { title: 'Alertmanager', url: `${base}/#/alerts?filter=${filter}` },
    { title: 'Silence', url: `${base}/#/silences/new?filter=${filter}` },
  ];
}

/** Names beyond the classic ones are quoted since Alertmanager 0.27. */
function matcherName(name: string): string {
  return /^[a-z_][\w]*$/iu.test(name) ? name : JSON.stringify(shownText(name, 200));
}
