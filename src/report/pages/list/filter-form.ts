import { severities } from '../../../alert/severity.ts';
import { html, type Html } from '../../html.ts';
import {
  isEverything, listQuery, listStates, spanText, type ListFilter, type ListState,
} from '../../list-filter.ts';
import { shorten } from '../../plain-text.ts';
import type { ReportList } from '../../report-list.ts';
import { formatExactMoment } from '../../time-text.ts';
import { severityName } from '../../words.ts';
import { glyph, severityGlyph } from '../elements.ts';

const stateWords: Readonly<Record<ListState, string>> = {
  all: 'All', open: 'Open', ended: 'Ended',
};

/** Spans to choose from; the address may contain any other. */
const spans = ['1h', '6h', '24h', '7d', '30d'];

const chipLengthMax = 60;

/** Counts by state and severity, each linked to the alerts that it counts. */
export function countsBar({ total, open_by_severity: open }: ReportList, filter: ListFilter): Html {
  const others = { ...filter, state: 'open', severity: null } as const;
  const openCount = severities.reduce((sum, severity) => sum + open[severity], 0);
  const isNarrowed = !isEverything({ ...filter, state: 'all', severity: null });
  const ofSeverity = severities.filter((severity) => open[severity] > 0).map((severity) =>
    count({ ...others, severity }, filter, html`<span class="${severity}">${
      severityGlyph(severity)} <strong>${open[severity]}</strong> ${
      severityName(severity)}</span>`));
  return html`<nav class="counts" id="counts" aria-label="Counts">
${count(others, filter, html`<span>${glyph('●')} <strong>${
  openCount}</strong> open</span>`)}${ofSeverity}
${count({ ...others, state: 'ended' }, filter, html`<span class="resolved">${glyph('✓')} ${
  !isNarrowed && html`<strong>${total.ended}</strong> `}ended</span>`)}
</nav>`;
}

/** The list's address for a filter, relative to the page. */
export function listAddress(filter: ListFilter, after: string | null = null): string {
  return `?${listQuery(filter, after)}`;
}

/** The filter as a form; it needs no script, and its result is an address to share. */
export function filterForm(list: ReportList, filter: ListFilter): Html {
  const { state, severity, namespace, text, sinceMs, from, to } = filter;
  const since = sinceMs === null ? '' : spanText(sinceMs);
  const chosenSpans = since === '' || spans.includes(since) ? spans : [...spans, since];
  const isOpen = !isEverything({ ...filter, text: '' });
  return html`<form class="filter" method="get" role="search" data-filter>
<p class="ask"><label for="text" class="unseen">Search</label><input type="search" id="text"
name="text" value="${text}" maxlength="200" placeholder="Name, verdict or label"
autocomplete="off" spellcheck="false" dir="auto"><button>Show</button>
<button type="button" class="plain" data-keys>Keys <kbd>?</kbd></button></p>
<details id="filter"${isOpen && html` open`}><summary>Filter</summary><div class="fields">
${choice(['state', 'State'], state === 'all' ? '' : state, listStates.map((each) =>
    [each === 'all' ? '' : each, stateWords[each]]))}
${choice(['severity', 'Severity'], severity ?? '', [
    ['', 'Any'], ...severities.map((each) => [each, severityName(each)] as const)])}
<label>Namespace <input name="namespace" value="${namespace ?? ''}" maxlength="253"
list="namespaces" autocomplete="off" spellcheck="false" dir="auto"></label>
${choice(['since', 'Firing within'], since, [
    ['', 'Any time'], ...chosenSpans.map((span) => [span, `the last ${span}`] as const)])}
${timeField('from', 'Firing from (UTC)', from)}${timeField('to', 'Until (UTC)', to)}
</div></details>
<datalist id="namespaces">${
    list.namespaces.map((name) => html`<option value="${name}"></option>`)}</datalist>
${chips(filter)}
</form>`;
}

/** What the list is narrowed to, each part a link to the list without it. */
function chips(filter: ListFilter): Html {
  if (isEverything(filter)) return html``;
  const { state, severity, namespace, text, sinceMs, from, to } = filter;
  const time = (at: number): string => formatExactMoment(new Date(at).toISOString());
  const parts: readonly (readonly [string, Partial<ListFilter>] | false)[] = [
    state !== 'all' && [stateWords[state], { state: 'all' }],
    severity !== null && [severityName(severity), { severity: null }],
    namespace !== null && [`namespace ${namespace}`, { namespace: null }],
    text !== '' && [`“${text}”`, { text: '' }],
    sinceMs !== null && [`firing within the last ${spanText(sinceMs)}`, { sinceMs: null }],
    from !== null && [`from ${time(from)}`, { from: null }],
    to !== null && [`until ${time(to)}`, { to: null }],
  ];
  const shown = parts.filter((part) => part !== false);
  return html`<p class="chips actions">${shown.map(([name, without]) => html`<a href="${
    listAddress({ ...filter, ...without })}"><bdi>${shorten(name, chipLengthMax)}</bdi> ${
    glyph('×')}<span class="unseen"> remove</span></a>\n`)}<a
href="?">Clear the filter</a></p>`;
}

function count(to: ListFilter, current: ListFilter, content: Html): Html {
  const isCurrent = listQuery(to) === listQuery(current);
  return html`<a href="${listAddress(to)}"${
    isCurrent && html` aria-current="true"`}>${content}</a>\n`;
}

type Name = readonly [name: string, label: string];
type Options = readonly (readonly [value: string, word: string])[];

function choice([name, label]: Name, chosen: string, options: Options): Html {
  const items = options.map(([value, word]) => html`<option value="${value}"${
    value === chosen && html` selected`}>${word}</option>`);
  return html`<label>${label} <select name="${name}">${items}</select></label>`;
}

/** A field for times, which takes minutes without a zone. */
function timeField(name: string, label: string, at: number | null): Html {
  const value = at === null ? '' : new Date(at).toISOString().slice(0, 16);
  return html`<label>${label} <input type="datetime-local" name="${name}" value="${
    value}"></label>`;
}
