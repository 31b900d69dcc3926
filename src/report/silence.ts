/** How to silence one alert: Alertmanager's form, filled in, and a command for a terminal. */
import { labelOf, type LabelSet } from '../alert/labels.ts';
import { shellWord } from '../lib/shell-word.ts';
import { commandLengthMax, visible } from './plain-text.ts';
import type { Report } from './report.ts';
import { isStored } from './report-url.ts';

/** Separates the address of Alertmanager's page from the route within it. */
const withinPage = '/#/';

/** Addresses in Alertmanager's UI: the alert in its list, and the form of a new silence for it. */
export function alertmanagerAddresses(
  labels: LabelSet,
  externalURL: string,
): { readonly alerts: string; readonly silence: string } {
  const base = externalURL.replace(/[?#].*$/su, '').replace(/(?<!\/)\/+$/u, '');
  // prometheus/alertmanager: ui/app/src/Utils/Filter.elm
  const filter = encodeURIComponent(`{${matchersOf(labels).join(',')}}`);
  return {
    alerts: `${base}${withinPage}alerts?filter=${filter}`,
    silence: `${base}${withinPage}silences/new?filter=${filter}`,
  };
}

/**
 * `amtool silence add` with every label of the alert; null if Alertmanager's address is unknown, a
 * label cannot safely be pasted into a terminal, or it would be too long to be shown whole.
 */
export function silenceCommand({ alert, report_url: reportUrl }: Report): string | null {
  const form = alert.links.find(({ kind }) => kind === 'silence')?.url;
  const [base] = form?.split(withinPage) ?? [];
  const matchers = matchersOf(alert.labels);
  // Another form is Grafana's, for which there is no amtool.
  const isAlertmanager = form?.includes(withinPage) === true;
  if (base === undefined || !isAlertmanager || matchers.length === 0) return null;
  const comment = isStored(reportUrl) ? reportUrl : alert.name;
  if ([base, comment, ...matchers].some((text) => visible(text) !== text)) return null;
  if (matchers.some(hasForeignEscape)) return null;
  const command = [
    'amtool silence add', `--alertmanager.url=${shellWord(base)}`, '--duration=2h',
    `--comment=${shellWord(comment)}`, ...matchers.map(shellWord),
  ].join(' ');
  return command.length > commandLengthMax ? null : command;
}

/** Whether it has an escape that Alertmanager does not know (pkg/labels/parse.go). */
function hasForeignEscape(matcher: string): boolean {
  return matcher.replace(/\\[\\"n]/gu, '').includes('\\');
}

/** `name="value"` of every label, by name: with fewer it would silence other alerts as well. */
function matchersOf(labels: LabelSet): string[] {
  return Object.keys(labels)
    .sort()
    .map((name) => `${matcherName(name)}=${JSON.stringify(labelOf(labels, name) ?? '')}`);
}

/** Names beyond the classic ones are quoted since Alertmanager 0.27. */
function matcherName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}
