import { severities, type Severity } from '../../alert/severity.ts';
import { parseTime } from '../../alert/timestamp.ts';
import { isEstablished } from '../certainty.ts';
import { lanes } from '../charts/lanes.ts';
import { pathMap } from '../charts/path-map.ts';
import { html, isolated, link, markupText, sentence, type Html } from '../html.ts';
import type {
  IncidentEntry, IncidentMoment, IncidentView, ScopePart, FromReport,
} from '../incident.ts';
import { counted, shorten, visible } from '../plain-text.ts';
import { formatMoment } from '../time-text.ts';
import { severityName } from '../words.ts';
import { fold, joined, moment, momentAndAge, renderedLine, rowList, section } from './elements.ts';
import { alertItem, memberLine, shortName } from './list/rows.ts';
import { firingMood, renderPage, type PageOptions } from './page.ts';
import { stateBadges } from './state-badges.ts';

/** Seconds after which the page of an open incident reloads. */
const refreshSeconds = 30;

/** Members shown in full, and folded with one line each; the rest is counted. */
const membersShown = 10;
const membersFolded = 240;

const placesShown = 5;
const momentsShown = 12;
const scopePartsShown = 20;

/** The page of an incident: its likely origin, all of its alerts, how it spread and when. */
export function renderIncidentPage(incident: IncidentView, options: PageOptions): string {
  const { now, script, revision } = options;
  const { members, url, opened_at: from, ended_at: to } = incident;
  const open = members.filter((member) => member.ends_at === null);
  const severity = worstOf(open.length === 0 ? members : open);
  const title = `Incident of ${members.length}: ${shorten(incident.name, 100) || 'Unknown'}`;
  const statement = statementOf(incident);
  const named = html`Incident of ${members.length}: ${shortName(incident.name)}`;
  const origin = originSection(incident);
  const isKnown = incident.likely_origin !== null || incident.origin !== null;
  return renderPage({
    title: open.length === 0 ? `Ended: ${title}` : title,
    mood: open.length === 0 ? 'resolved' : firingMood(severity),
    refreshSeconds: open.length === 0 ? null : refreshSeconds,
    script,
    live: { revision, episode: null, now },
    isWide: true,
    main: html`<div class="column" id="story"><header class="top">
${stateBadges({ from, to, severity, word: severityName(severity) }, now, html`<span
class="back">${link(new URL('../', url).href, 'Alerts', 'own')}</span>`)}
${statement !== null && html`<p class="place"><span>${named}</span></p>`}
<h1>${statement === null ? named : sentence(statement)}</h1>
<p class="small since">${stateSentence(open.length, members.length)}
${timesLine(incident, now)}</p>
</header>
${reportsSection(incident)}${isKnown && origin}${alsoBeganSection(incident, now)}${
  members.length > membersShown && scopeSection(incident)}</div>
<div class="column" id="curves">${courseSection(members, now)}${mapSection(incident, now)}${
  timelineSection(incident, now)}</div>
<div class="column" id="base">${membersSection(members, now)}</div>`,
    foot: html`<p>${link(new URL('../', url).href, 'All alerts', 'own')} ${
      link(`${url}.json`, 'JSON')}</p>
${renderedLine(now)}`,
  });
}

/** Which alert began when, and how long each lasted. */
function courseSection(members: readonly IncidentEntry[], now: number): Html | null {
  const drawn = lanes(members.flatMap(({ name, place, severity, starts_at: from, ends_at: to }) => {
    const fromMs = parseTime(from);
    const isOne = members.every((other) => other.name !== name || other.place === place);
    return fromMs === null ? [] : [{
      name: isOne ? name : `${name} ${place}`, severity, fromMs,
      toMs: to === null ? null : parseTime(to),
    }];
  }), now);
  return markupText(drawn) === '' ? null : section('course', 'Course', drawn);
}

/** The way to what fails deepest, as one of its alerts found it. */
function mapSection({ path = null }: IncidentView, now: number): Html | null {
  if (path === null) return null;
  return section('path', 'Path', html`<p class="small quiet">As the report of ${
    link(path.report_url, shortName(path.name), 'own')} has it.</p>
${pathMap(path, { id: 'map', now, changes: [], atFirst: null })}`);
}

function stateSentence(open: number, all: number): string {
  if (open === 0) return 'All alerts have ended.';
  if (open === all) return 'All alerts are firing.';
  return open === 1 ? 'One of them is still firing.' : `${open} of them are still firing.`;
}

function timesLine({ opened_at: from, ended_at: to }: IncidentView, now: number): Html {
  return to === null ? html`Since ${moment(from, now)}.`
    : html`From ${moment(from, now)} to ${momentAndAge(to, now)}.`;
}

/** What is wrong: what fails deepest, or an established cause; null where neither is known. */
function statementOf({ origin, most_likely: cause }: IncidentView): string | null {
  return origin?.text ?? (cause !== null && isEstablished(cause) ? cause.text : null);
}

/** The most certain cause that one of its reports gives, and what to do first. */
function reportsSection({ most_likely: cause, do_first: first }: IncidentView): Html {
  const from = ({ name, report_url: url }: FromReport): Html =>
    html`<span class="quiet">· report of ${link(url, shortName(name), 'own')}</span>`;
  const causeLine = cause === null ? html`<p class="quiet">No report has established a cause.</p>`
    : html`<p><strong>Most likely:</strong> ${sentence(cause.text)} (${cause.certainty}) ${
      from(cause)}</p>`;
  const isSame = first?.report_url === cause?.report_url;
  return section('cause', 'What its reports say', html`${causeLine}${first !== null && html`
<div class="first"><h3 class="kicker">Do first</h3>
<p class="action">${sentence(first.text)}</p>${!isSame && html`<p>${from(first)}</p>`}</div>`}`);
}

function originSection(incident: IncidentView): Html {
  const { members, likely_origin: origin, origin_reasons: reasons, origin: deepest } = incident;
  const [first] = members;
  if (deepest !== null) {
    const why = reasons.map((reason) => html`<li>${sentence(reason)}</li>\n`);
    return section('origin', 'Origin', html`<ul class="points">${why}</ul>${
  origin !== null && first !== undefined && html`
<p>Its alert: ${link(first.report_url, shortName(first.name), 'own')}</p>`}`);
  }
  if (first === undefined || origin === null) {
    const text = 'The origin is unknown: none of these alerts stands out.';
    return section('origin', 'Origin', html`<p class="quiet">${text}</p>`);
  }
  // Its row, below, says the rest.
  return section('origin', 'Likely origin', html`<h3>${
    link(first.report_url, shortName(first.name))}</h3>
${originPlaces(first, members.filter(({ name }) => name === first.name).slice(1))}
<ul class="points">${reasons.map((reason) => html`<li>${sentence(reason)}</li>\n`)}</ul>
<p class="quiet">This is a heuristic, not proof.</p>`);
}

/** Where its alert fires, and on what else, as far as their labels say. */
function originPlaces(first: IncidentEntry, others: readonly IncidentEntry[]): Html | null {
  const places = [...new Set(others.map(({ place }) => place))]
    .filter((place) => place !== '' && place !== first.place);
  const placed = (place: string): Html => isolated(shorten(visible(place), 64));
  const more = others.length > 0 && html`${counted(others.length, 'more alert')} of this name${
    places.length > 0 && html`: ${joined(places.slice(0, placesShown).map(placed), '; ')}${
      places.length > placesShown && '; …'}`}`;
  if (first.place === '') return more === false ? null : html`<p>${more}</p>`;
  return html`<p>${placed(first.place)}${more && html` and ${more}`}</p>`;
}

function alsoBeganSection({ also_began: others }: IncidentView, now: number): Html | null {
  if (others.length === 0) return null;
  return section('also', 'Also began then', html`<ul class="folded">${
    others.map((other) => html`<li>${memberLine(other, now)}</li>\n`)}</ul>
<p class="quiet">Alerts of other incidents, in lower layers than any of this one. No label links
them, but trouble spreads from below.</p>`);
}

function scopeSection({ scope }: IncidentView): Html {
  return section('scope', 'Scope', rowList([
    ['Alerts', parts(scope.names)], ['Namespaces', parts(scope.namespaces)],
    ['Layers', parts(scope.layers)],
  ]));
}

function parts(all: readonly ScopePart[]): Html {
  const shown = all.slice(0, scopePartsShown)
    .map(({ name, alerts }) => html`${isolated(shorten(visible(name), 64))} (${alerts})`);
  const missing = all.length - scopePartsShown;
  return html`${joined(shown, ', ')}${missing > 0 && ` and ${missing} more`}`;
}

function timelineSection({ timeline }: IncidentView, now: number): Html {
  const items = timeline.map((each) => momentItem(each, now));
  const rest = items.slice(momentsShown);
  return section('timeline', 'Timeline', html`<ol class="moments">${
    items.slice(0, momentsShown)}</ol>
${rest.length > 0 && fold(`${rest.length} more`, html`<ol class="moments">${rest}</ol>`)}`);
}

function momentItem(shown: IncidentMoment, now: number): Html {
  const { at, until, kind, name, alerts, report_url: url } = shown;
  const isSpan = formatMoment(at, now, true) !== formatMoment(until, now, true);
  const what = kind === 'changed'
    ? html`${sentence(shorten(name, 300))} ${link(url, 'report')}`
    : html`${link(url, shortName(name))} ${kind}${alerts > 1 && `, ${counted(alerts, 'alert')}`}`;
  return html`<li><span class="quiet">${moment(at, now, true)}</span> <span>${what}${
    isSpan && html`, the last at ${moment(until, now, true)}`}</span></li>\n`;
}

function membersSection(members: readonly IncidentEntry[], now: number): Html {
  const ordered = oneOfEachFirst(members);
  const shown = ordered.slice(0, membersShown).map((member) =>
    alertItem({ kind: 'alert', ...member, incident: null }, now));
  const folded = ordered.slice(membersShown, membersShown + membersFolded);
  const missing = members.length - shown.length - folded.length;
  const lines = html`<ul class="folded">${
    folded.map((member) => html`<li>${memberLine(member, now)}</li>\n`)}</ul>`;
  return section('members', 'Alerts', html`<ol class="list">${shown}</ol>
${folded.length > 0 && fold(`${folded.length} more`, lines)}
${missing > 0 && html`<p class="quiet">and ${missing} more in the JSON</p>`}`);
}

/** The first of each name comes before the others, as not all may be shown in full. */
function oneOfEachFirst(members: readonly IncidentEntry[]): readonly IncidentEntry[] {
  if (members.length <= membersShown) return members;
  const first = new Map([...members].reverse().map((member) => [member.name, member]));
  const isFirst = (member: IncidentEntry): boolean => first.get(member.name) === member;
  return [...members.filter(isFirst), ...members.filter((member) => !isFirst(member))];
}

function worstOf(members: readonly IncidentEntry[]): Severity {
  return severities.find((each) => members.some(({ severity }) => severity === each)) ?? 'unknown';
}
