/** How to silence one alert: the form in Alertmanager, filled in, and the same for a terminal. */
import { labelOf, type LabelSet } from '../alert/labels.ts';
import { shellWord } from '../lib/shell-word.ts';
import { visible } from './plain-text.ts';
import { isKept } from './report-url.ts';
import type { Report } from './report.ts';
import { shownText } from './shown-text.ts';

/** Where Alertmanager's own page ends and the address within it begins. */
const withinPage = '/#/';

/** The alert's list and the form of a new silence, as Alertmanager's own page addresses them. */
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
 * `amtool silence add` with every label of the alert; null without an address of Alertmanager, and
 * for labels that are not fit to be pasted into a terminal.
 */
export function silenceCommand({ alert, report_url: reportUrl }: Report): string | null {
  const form = alert.links.find(({ title }) => title === 'Silence')?.url;
  const [base] = form?.split(withinPage) ?? [];
  const matchers = matchersOf(alert.labels);
  if (base === undefined || matchers.length === 0) return null;
  const comment = isKept(reportUrl) ? reportUrl : alert.name;
  if ([base, comment, ...matchers].some((text) => visible(text) !== text)) return null;
  if (matchers.some(hasForeignEscape)) return null;
  return [
    'amtool silence add', `--alertmanager.url=${shellWord(base)}`, '--duration=2h',
    `--comment=${shellWord(comment)}`, ...matchers.map(shellWord),
  ].join(' ');
}

/** Matchers know only three escapes (prometheus/alertmanager: pkg/labels/parse.go). */
function hasForeignEscape(matcher: string): boolean {
  return matcher.replace(/\\[\\"n]/gu, '').includes('\\');
}

/** `name="value"` in the order of the names: of all, as with fewer it would silence others too. */
function matchersOf(labels: LabelSet): string[] {
  return Object.keys(labels)
    .sort()
    .map((name) => `${matcherName(name)}=${JSON.stringify(labelOf(labels, name) ?? '')}`);
}

/** Names beyond the classic ones are quoted since Alertmanager 0.27. */
function matcherName(name: string): string {
  return /^[a-z_][\w]*$/iu.test(name) ? name : JSON.stringify(shownText(name, 200));
}
