import { severities } from '../../alert/severity.ts';
import { html, link, type Html } from '../html.ts';
import { isEverything, listQuery, type ListFilter } from '../list-filter.ts';
import { counted } from '../plain-text.ts';
import type { ReportList, ReportListRow } from '../report-list.ts';
import { momentAndAge, renderedLine, section } from './elements.ts';
import { countsBar, filterForm, listAddress } from './list/filter-form.ts';
import { gettingStartedSection, type GettingStarted } from './list/getting-started.ts';
import { alertList } from './list/rows.ts';
import { firingMood, renderPage, type PageMood, type PageOptions } from './page.ts';

export interface ListPageOptions extends PageOptions, GettingStarted {
  readonly filter: ListFilter;
}

/** Seconds after which the list reloads; sooner while it waits for the first alert. */
const refreshSeconds = 30;
const firstRefreshSeconds = 5;

/** The list of alerts: open ones, worst first, then ended ones; how to send some if it is empty. */
export function renderListPage(list: ReportList, options: ListPageOptions): string {
  const { total } = list;
  const isEmpty = total.open + total.ended === 0;
  return renderPage({
    title: total.open === 0 ? 'Alerts' : counted(total.open, 'open alert'),
    mood: moodOf(list),
    refreshSeconds: isEmpty ? firstRefreshSeconds : list.is_continued ? null : refreshSeconds,
    script: options.script,
    live: { revision: options.revision, episode: null, now: options.now },
    isWide: true,
    main: html`<header class="top"><h1>Alerts</h1></header>
${isEmpty ? gettingStartedSection(options) : alertsPart(list, options)}`,
    foot: html`${!isEmpty && html`<p>${jsonLink(options)}</p>`}
${renderedLine(options.now)}`,
  });
}

/** The script replaces the parts that have an id: counts, open, ended, pages. */
function alertsPart(list: ReportList, { filter, now }: ListPageOptions): Html {
  const { state } = filter;
  const showsOpen = state !== 'ended' && (!list.is_continued || list.open.length > 0);
  const showsEnded = state !== 'open' && (list.ended.length > 0 || state === 'ended');
  return html`<div id="list">
${countsBar(list, filter)}
${filterForm(list, filter)}
${list.ignored.length > 0 && html`<div class="notice" role="status">${
  list.ignored.map((sentence) => html`<p>${sentence}</p>`)}</div>`}
${showsOpen && section('open', 'Open', rowsOrNone(list.open, filter, now))}
${showsEnded && section('ended', 'Ended', rowsOrNone(list.ended, filter, now))}
${pager(list, filter, now)}
</div>
${keysDialog()}`;
}

function rowsOrNone(rows: readonly ReportListRow[], filter: ListFilter, now: number): Html {
  if (rows.length > 0) return alertList(rows, now);
  const isEnded = filter.state === 'ended';
  const none = !isEverything({ ...filter, state: 'all' })
    ? `No ${isEnded ? 'ended' : 'open'} alert matches this filter.`
    : isEnded ? 'No alert has ended yet.' : 'No alert is open.';
  return html`<p class="quiet">${none}</p>`;
}

/** Links to other pages of the list, and how far was searched if not everything was. */
function pager(list: ReportList, filter: ListFilter, now: number): Html {
  const { next, searched, is_continued: isContinued } = list;
  const cut = searched.ended_back_to;
  const links = html`${isContinued && html`<a href="${listAddress(filter)}">First page</a>`}${
    next !== null && html`<a rel="next" href="${listAddress(filter, next)}">${
      cut === null ? 'Next page' : 'Search further back'}</a>`}`;
  return html`<nav class="pager" id="pages" aria-label="Pages">
${searched.open_cut && html`<p class="quiet">Searched only the latest ${
  searched.open} of ${list.total.open} open alerts.</p>`}
${cut !== null && html`<p class="quiet">Searched ${
  searched.ended} ended alerts, back to ${momentAndAge(cut, now)}.</p>`}
<p>${links}</p></nav>`;
}

function jsonLink({ reportBase, filter }: ListPageOptions): Html {
  const query = listQuery(filter);
  return link(`${reportBase}/reports.json${query && `?${query}`}`, 'JSON');
}

function moodOf({ total, open_by_severity: open }: ReportList): PageMood {
  if (total.open === 0) return total.ended === 0 ? 'unknown' : 'resolved';
  return firingMood(severities.find((severity) => open[severity] > 0) ?? 'unknown');
}

const keys: readonly (readonly [key: string, does: string])[] = [
  ['/', 'search'],
  ['j', 'next alert'],
  ['k', 'previous alert'],
  ['Enter', 'open the selected alert'],
  ['o', 'show or hide the alerts of an incident'],
  ['Esc', 'leave a field or the selection'],
  ['?', 'this list of keys'],
];

/** The keys that the script handles; without a script the dialog stays closed. */
function keysDialog(): Html {
  const rows = keys.map(([key, does]) => html`<dt><kbd>${key}</kbd></dt><dd>${does}</dd>\n`);
  return html`<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2>
<dl class="rows">${rows}</dl>
<form method="dialog"><button>Close</button></form></dialog>`;
}
