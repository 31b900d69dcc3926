import { formatQuantity } from '../../../lib/quantity.ts';
import type { SeriesRead } from '../../charts/read-series.ts';
import { sparkline } from '../../charts/sparkline.ts';
import { html, isolated, link, sentence, unbroken, type Html } from '../../html.ts';
import { listedEvidence } from '../../listed-evidence.ts';
import { shorten } from '../../plain-text.ts';
import type { EvidenceItem } from '../../report.ts';
import { webAddress } from '../../web-address.ts';
import { sourceStateWords } from '../../words.ts';
import { commandBlock, joined, listItems, listLengthMax, moment } from '../elements.ts';
import { chartIds } from './drawn-series.ts';
import { foundData } from './found-data.ts';
import { linkedText } from './linked-text.ts';
import { isUnderWay, type View } from './view.ts';

/** Longest summary shown while an item is folded. */
const gistLengthMax = 60;

/**
 * The evidence. Each item is the target of its citations and folded until one of them is followed;
 * its title and the start of its summary are always visible.
 */
export function evidenceContent(view: View): Html {
  const { evidence } = view.report;
  if (evidence.length === 0) {
    return isUnderWay(view) ? html`` : html`<p class="quiet">No evidence was collected.</p>`;
  }
  const unused = new Set(view.anchors);
  const charts = chartIds(view);
  const items = listedEvidence(view.report).slice(0, listLengthMax).map((item) => {
    // Ids must be unique on the page, even if a report contains one twice.
    return evidenceItem(item, { view, charts, isAnchor: unused.delete(item.id) });
  });
  return html`${items}`;
}

interface ItemContext {
  readonly view: View;
  /** Ids of charts by the id of the item whose series they show. */
  readonly charts: ReadonlyMap<string, string>;
  /** Whether the element gets the item's id. */
  readonly isAnchor: boolean;
}

function evidenceItem(item: EvidenceItem, { view, charts, isAnchor }: ItemContext): Html {
  const { id, title, summary, query, warnings, error, state } = item;
  // In other states the word next to the title says enough.
  const isGist = state === 'ok' || state === 'failed';
  const notes = error === null || error === summary ? warnings : [error, ...warnings];
  const series = view.series.get(id);
  const shownQuery = query !== null && html`<pre dir="ltr">${query}</pre>`;
  return html`<article${isAnchor && html` id="${id}"`}><details>
<summary><h3><span class="id">${isolated(id)}</span>${sentence(title)}${
  state !== 'ok' && html` <span class="quiet">(${sourceStateWords[state]})</span>`}</h3>${
  isGist && html`
<span class="gist">${linkedText(shorten(summary, gistLengthMax), view)}</span>`}</summary>
${(!isGist || summary.length > gistLengthMax) && html`<p>${linkedText(summary, view)}</p>`}
${query !== null && isAnchor
  ? commandBlock(query, { id: `query-${id}`, what: `the query of ${id}` }) : shownQuery}
${notes.length > 0 && html`<ul class="small">${listItems(notes, (note) => sentence(note))}</ul>`}
<p class="small quiet">${originLine(item, view.now)}</p>
${seriesFound(series, charts.get(id))}${foundData(item.data, series, view.now)}
</details></article>
`;
}

/** `prometheus · 02:00 UTC to 02:30 UTC · every 15 s`: where an item comes from and its time. */
function originLine(item: EvidenceItem, now: number): Html {
  const { source, from, to, step_seconds: step, fetched_at: fetchedAt, link: address } = item;
  return joined([
    isolated(source),
    from !== null && to !== null && html`${moment(from, now)} to ${moment(to, now)}`,
    step !== null && unbroken(`every ${formatQuantity(step, 'seconds')}`),
    fetchedAt !== null && html`fetched ${moment(fetchedAt, now)}`,
    item.truncated && 'truncated',
    item.redactions > 0 && `${item.redactions} redacted`,
    address !== null && webAddress(address) !== null && link(address, 'open'),
  ], ' · ');
}

/** An item's series as a sparkline, or a link to its chart if it has one further up. */
function seriesFound(series: SeriesRead | undefined, chartId: string | undefined): Html {
  if (series === undefined || series.points.length < 2) return html``;
  return chartId === undefined ? sparkline(series)
    : html`<p><a href="#${chartId}-title">See the chart</a></p>`;
}
