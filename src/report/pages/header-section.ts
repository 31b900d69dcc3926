import { labelOf } from '../../alert/labels.ts';
import type { Severity } from '../../alert/severity.ts';
import { html, isolated, link, webAddress, type Html } from '../html.ts';
import { counted, shorten } from '../plain-text.ts';
import {
  severityOfReport, severityWord, stateSentence, statusWords,
} from '../words.ts';
import { progressSection } from './progress-section.ts';
import { glyph, moment, momentAndAge, type View } from './view.ts';

/** Links of one alert shown; senders put a handful. */
const linksMax = 12;

/** Shapes of severities, as different as their colours. */
export const severitySigns: Readonly<Record<Severity, string>> = {
  critical: '◆', warning: '▲', info: '■', unknown: '▬', none: '○',
};

/** Labels that say where, in the order in which people narrow a place down. */
const placeNames = [
  'cluster', 'namespace', 'service', 'deployment', 'statefulset', 'daemonset', 'job', 'pod',
  'container', 'node', 'instance',
];

const placesMax = 5;
const placeLengthMax = 64;

/** Longest name in the heading; the labels below have it whole. */
const nameLengthMax = 200;

/** State, severity, name, place and since when. */
export function headerSection(view: View): Html {
  const { report, now } = view;
  const severity = severityOfReport(report);
  const isFiring = report.episode.state === 'firing';
  return html`<header class="top">
<p class="badges">
<span class="${isFiring ? severity : 'resolved'}">${glyph(isFiring ? '●' : '✓')} ${
  stateSentence(report, now)}</span>
<span class="${severity}">${glyph(severitySigns[severity])} ${
  isolated(shorten(severityWord(report), 32))}</span>
</p>
<h1>${isolated(shorten(report.alert.name, nameLengthMax))}</h1>
${placeLine(view)}
<p class="small">${sinceLine(view)}</p>
</header>
${progressSection(view)}${failureNotice(view)}`;
}

/** Where to look next: the alert's own links. */
export function linkBar({ report }: View): Html {
  const links = report.alert.links.filter(({ url }) => webAddress(url) !== null);
  if (links.length === 0) return html``;
  const items = links.slice(0, linksMax).map(({ title, url }) => link(url, isolated(title)));
  return html`<nav class="links" aria-label="Elsewhere">${items}</nav>\n`;
}

function placeLine({ report }: View): Html {
  const values = placeNames.map((name) => labelOf(report.alert.labels, name));
  const known = values.filter((value) => value !== null && value !== '');
  const places = [...new Set(known)].slice(0, placesMax);
  if (places.length === 0) return html`<p class="quiet">No label says where.</p>`;
  const names = places.map((place) => isolated(shorten(place ?? '', placeLengthMax)));
  return html`<p class="place">${names}</p>`;
}

function sinceLine({ report, now }: View): Html {
  const { starts_at: startsAt, ends_at: endsAt, number, of, notifications } = report.episode;
  const until = endsAt === null ? null : html` until ${moment(endsAt, now)}`;
  const since = endsAt === null ? momentAndAge(startsAt, now) : moment(startsAt, now);
  return html`${endsAt === null ? 'Since' : 'From'} ${since}${until}<span class="quiet"> · ${
    of > 1 && `episode ${number} of ${of} · `}${counted(notifications, 'notification')}</span>`;
}

/** What the reader must know of the report itself before believing it. */
function failureNotice({ report, now }: View): Html {
  if (report.status !== 'failed') return html``;
  const tries = counted(report.provenance.attempts, 'attempt');
  const when = moment(report.updated_at, now);
  return html`<div class="notice bad" role="status"><p><strong>${statusWords.failed}</strong> after
${tries}, ${when}. What follows is known from the alert itself.</p></div>`;
}
