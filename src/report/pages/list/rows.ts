import type { Suppression } from '../../../alert/alert.ts';
import type { Severity } from '../../../alert/severity.ts';
import { parseTime } from '../../../alert/timestamp.ts';
import { firingStrip } from '../../charts/firing-strip.ts';
import { html, isolated, link, sentence, type Content, type Html } from '../../html.ts';
import { counted, shorten, visible } from '../../plain-text.ts';
import type { AlertRow, IncidentRow, ReportListEntry, ReportListRow } from '../../report-list.ts';
import { formatMoment, formatSpan } from '../../time-text.ts';
import {
  classificationWords, endWords, ratedWords, severityName, statusWords,
} from '../../words.ts';
import { ageOf, breakable, glyph, joined, moment, severityGlyph } from '../elements.ts';

const nameLengthMax = 100;
const placeLengthMax = 80;
const gistLengthMax = 240;
const causeLengthMax = 160;
const firstLengthMax = 90;
const namespacesShown = 3;

/** One for firing and one for resolved; only more are worth mentioning. */
const notificationsUsual = 2;

/** Alerts that fire are repeated at least this often by nearly every configuration. */
const unheardMs = 48 * 3_600_000;

/** The rows of a list. Each has its address as id, by which the script identifies it. */
export function alertList(rows: readonly ReportListRow[], now: number): Html {
  const items = rows.map((row) =>
    row.kind === 'alert' ? alertItem(row, now) : incidentItem(row, now));
  return html`<ol class="list">${items}</ol>`;
}

/** `◆ critical` and `● firing, silenced`, both with shape, word and colour. */
function stateCell(
  severity: Severity,
  { hasEnded, suppressed = null }: {
    readonly hasEnded: boolean;
    readonly suppressed?: Suppression | null;
  },
): Html {
  return html`<p class="cell"><strong class="${severity}">${severityGlyph(severity)} ${
    severityName(severity)}</strong> <span class="state ${hasEnded ? 'resolved' : severity}">${
    hasEnded ? html`${glyph('✓')} ended` : html`${glyph('●')} firing`}</span>${
    suppressed !== null && html` <span class="quiet">${suppressed}</span>`}</p>`;
}

/** A sender's name for a list: one line, nothing invisible, cut with an ellipsis. */
export function shortName(name: string): Html {
  const short = shorten(visible(name.slice(0, nameLengthMax * 2)), nameLengthMax) || 'Unknown';
  return html`<bdi>${breakable(short)}</bdi>`;
}

/** What the report concluded, or its progress: `Needs action · rated right`. */
function conclusionOf(
  { status, classification, said: rating }:
    Pick<ReportListEntry, 'status' | 'classification' | 'said'>,
): string {
  const found = classification === null ? statusWords[status] : classificationWords[classification];
  return rating === null ? found : `${found} · ${ratedWords(rating)}`;
}

/** What is wrong, and why as far as that is known. */
function whyCell(
  what: string,
  { certainty, most_likely: cause, cause_from: from = null }:
    Pick<ReportListEntry, 'certainty' | 'most_likely'> & Partial<Pick<IncidentRow, 'cause_from'>>,
): Html {
  const how = certainty !== null && html` <span class="quiet">(${certainty})</span>`;
  const source = from !== null && html` <span class="quiet">· report of ${shortName(from)}</span>`;
  return html`<div class="why">${what !== '' && html`<p class="gist${cause !== null && ' known'}">${
    sentence(shorten(what, gistLengthMax))}</p>`}${cause !== null && html`
<p><span class="label">Most likely:</span> ${
    sentence(shorten(cause, causeLengthMax))}${how}${source}</p>`}</div>`;
}

/** What to do first, if the report says so. */
function firstCell({ do_first: first }: Pick<ReportListEntry, 'do_first'>): Html {
  return html`<p class="do">${first !== null && html`<span class="label">First:</span> ${
    sentence(shorten(first, firstLengthMax))}`}</p>`;
}

type Times = Pick<IncidentRow, 'starts_at' | 'ends_at'> &
  Partial<Pick<ReportListEntry, 'end_unknown'>>;

/** Since when it has been firing or missed, or when it ended and after how long. */
function timesOf(
  { starts_at: startsAt, ends_at: endsAt, end_unknown: isEndUnknown = false }: Times,
  now: number,
): Html {
  if (endsAt === null) {
    return html`<span class="label">since</span> ${moment(startsAt, now)} <span class="age">${
      ageOf(startsAt, now)}</span>`;
  }
  const lasted = html` <span class="whole">after ${formatSpan(startsAt, endsAt, now)}</span>`;
  return html`<span class="label">${endWords(isEndUnknown).ended}</span> ${
    moment(endsAt, now)}${isEndUnknown ? ', end unknown' : lasted}`;
}

/**
 * How old the last notification is, where the alert may have ended meanwhile: Alertmanager sends no
 * end of what ends while it is silenced.
 */
function unheardSince({ heard_at: heardAt }: ReportListEntry, now: number): Html {
  const heardMs = parseTime(heardAt ?? '');
  if (heardAt === null || heardMs === null || now - heardMs < unheardMs) return html``;
  return html`, last notification ${ageOf(heardAt, now)}`;
}

export function alertItem(row: AlertRow, now: number): Html {
  const { gist, incident, notifications, number } = row;
  const repeats = notifications > notificationsUsual
    ? ` · ${counted(notifications, 'notification')}`
    : '';
  const episode = number > 1 ? ` · episode ${number}` : '';
  const part = incident === null ? null : html` · ${
    link(incident.url, `part of an incident of ${counted(incident.members, 'alert')}`)}`;
  return item(row, row.report_url, html`
${stateCell(row.severity, { hasEnded: row.ends_at !== null, suppressed: row.suppressed })}
<p class="when">${timesOf(row, now)}${unheardSince(row, now)}</p>
<div class="what"><h3>${link(row.report_url, shortName(row.name))}</h3> ${placeLine(row)}</div>
${whyCell(gist, row)}${firstCell(row)}
${firingStrip(row.recent ?? [], now)}
<p class="note quiet">${conclusionOf(row)}${episode}${repeats}${part}</p>`);
}

function incidentItem(row: IncidentRow, now: number): Html {
  const { url, name, members, matching, open, alerts } = row;
  const what = row.origin?.text ??
    [row.place, row.gist].filter((text) => text !== '').join(': ');
  const rest = matching - alerts.length;
  const listed = html`<ul class="folded">${
    alerts.map((alert) => html`<li>${memberLine(alert, now)}</li>\n`)}${
    rest > 0 && html`<li class="quiet">${rest} more on ${
      link(url, "the incident's page")}</li>`}</ul>`;
  return item(row, url, html`
${stateCell(row.severity, { hasEnded: row.ends_at !== null })}
<p class="when">${timesOf(row, now)}</p>
<div class="what"><h3>${
  link(url, html`Incident of ${members}: ${shortName(name)}`)}</h3> <span class="quiet">${joined([
    originOf(row),
    open > 0 && open < members && `${open} still firing`,
    matching !== open && matching < members && `${matching} listed here`,
    namespacesLine(row),
  ], ', ')}</span></div>
${whyCell(what, row)}${firstCell(row)}
${firingStrip(row.recent ?? [], now)}
<details id="${url}#alerts" class="note"><summary>${conclusionOf(row)} · ${
  counted(matching, 'alert')}</summary>${listed}</details>`);
}

function originOf({ likely_origin: origin, ends_at: endsAt }: IncidentRow): Html | null {
  if (origin === null) return null;
  return html`Likely origin: ${shortName(origin.name)}${
    origin.has_ended && endsAt === null && ' (ended)'}`;
}

/** `data-row` is when it began or ended, in ms, for the script that marks what is new. */
function item({ starts_at: from, ends_at: to }: Times, key: string, content: Content): Html {
  return html`<li class="row" id="${key}" data-row="${parseTime(to ?? from) ?? 0}">${
    content}</li>\n`;
}

/** One alert on one line, for folded lists. */
export function memberLine(alert: ReportListEntry, now: number): Html {
  const { severity, starts_at: startsAt, ends_at: endsAt, end_unknown: isEndUnknown } = alert;
  // There may be hundreds of these, so what the report tells is left out.
  const at = endsAt ?? startsAt;
  const word = endsAt === null ? 'since' : endWords(isEndUnknown).ended;
  const times = html`${word} <time datetime="${at}">${
    formatMoment(at, now)}</time>${
    alert.suppressed !== null && `, ${alert.suppressed}`}`;
  return html`<strong class="${severity}">${severityGlyph(severity)}<span class="unseen">${
    severityName(severity)} </span></strong> ${
    link(alert.report_url, shortName(alert.name), 'own')} ${
    isolated(shorten(visible(alert.place), placeLengthMax))} <span>${
    times} · ${conclusionOf(alert)}</span>`;
}

function placeLine({ place, namespace }: ReportListEntry): Html | null {
  const text = place || (namespace === null ? '' : `in ${namespace}`);
  if (text === '') return null;
  return html`<span class="quiet">${isolated(shorten(visible(text), placeLengthMax))}</span>`;
}

function namespacesLine({ namespaces }: IncidentRow): Html | null {
  if (namespaces.length === 0) return null;
  const named = namespaces.slice(0, namespacesShown)
    .map((namespace) => isolated(shorten(visible(namespace), placeLengthMax)));
  return html`in ${joined(named, ', ')}${namespaces.length > namespacesShown && ' and others'}`;
}
