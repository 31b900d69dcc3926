import { formatQuantity } from '../../../lib/quantity.ts';
import type { SeriesRead } from '../../charts/read-series.ts';
import { sparkline } from '../../charts/sparkline.ts';
import { html, isolated, link, sentence, unbroken, type Html } from '../../html.ts';
import { listedEvidence } from '../../listed-evidence.ts';
import { counted, shorten } from '../../plain-text.ts';
import type { EvidenceItem } from '../../report.ts';
import { webAddress } from '../../web-address.ts';
import { sourceStateWords } from '../../words.ts';
import { fold, joined, listItems, listLengthMax, plainMoment } from '../elements.ts';
import { chartIds } from './drawn-series.ts';
import { foundData } from './found-data.ts';
import { linkedText } from './linked-text.ts';
import type { View } from './view.ts';

/** A longer query is cut: the JSON has it. */
const queryLengthMax = 400;

/** Longest summary shown while an item is folded. */
const gistLengthMax = 140;

/**
 * The evidence by its source, each source folded and each item in it, until a citation is followed:
 * the target of that is the item. Those that found nothing come last, in one fold.
 */
export function evidenceContent(view: View): Html {
  const all = listedEvidence(view.report).slice(0, listLengthMax);
  const unused = new Set(view.anchors);
  const charts = chartIds(view);
  return html`${[...new Set(all.map(({ source }) => source))].map((source) => {
    const items = all.filter((item) => item.source === source).map((item) => {
      // Ids must be unique on the page, even if a report contains one twice.
      const shown = evidenceItem(item, { view, charts, isAnchor: unused.delete(item.id) });
      return { shown, isEmpty: item.state === 'empty' };
    });
    const empty = items.filter(({ isEmpty }) => isEmpty);
    const found = items.filter(({ isEmpty }) => !isEmpty);
    const nothing = `${empty.length} found nothing`;
    return html`<details class="source"><summary><h3>${isolated(source)}</h3> <span
class="quiet">${joined([found.length > 0 && counted(found.length, 'item'),
      empty.length > 0 && nothing], ', ')}</span></summary>${found.map(({ shown }) => shown)}${
      empty.length > 0 && found.length > 0
        ? fold(nothing, html`${empty.map(({ shown }) => shown)}`)
        : empty.map(({ shown }) => shown)}</details>
`;
  })}`;
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
  const shownQuery = query !== null && html`<pre class="command" dir="ltr" tabindex="0">${
    shorten(query, queryLengthMax)}</pre>`;
  return html`<article${isAnchor && html` id="${id}"`}><details>
<summary><h4><span class="id">${isolated(id)}</span>${sentence(title)}${
  state !== 'ok' && html` <span class="quiet">(${sourceStateWords[state]})</span>`}</h4>${
  isGist && html`
<span class="gist">${linkedText(shorten(summary, gistLengthMax), view)}</span>`}</summary>
${(!isGist || summary.length > gistLengthMax) && html`<p>${linkedText(summary, view)}</p>`}
${shownQuery}
${notes.length > 0 && html`<ul class="small">${listItems(notes, (note) => sentence(note))}</ul>`}
${originLine(item, view.now)}${seriesFound(series, charts.get(id))}${
    // Labels and annotations have a section of their own.
    item.kind !== 'alert' && foundData(item.data, series, view.now)}
</details></article>
`;
}

/** `02:00 UTC to 02:30 UTC · every 15 s`: the time that an item is about, and its graph. */
function originLine(item: EvidenceItem, now: number): Html {
  const { from, to, step_seconds: step, link: address } = item;
  const facts = [
    from !== null && to !== null && html`${plainMoment(from, now)} to ${plainMoment(to, now)}`,
    step !== null && unbroken(`every ${formatQuantity(step, 'seconds')}`),
    item.truncated && 'truncated',
    item.redactions > 0 && `${item.redactions} redacted`,
    address !== null && webAddress(address) !== null && link(address, 'open'),
  ].filter((fact) => fact !== false);
  return facts.length === 0 ? html``
    : html`<p class="small quiet">${joined(facts, ' · ')}</p>`;
}

/** An item's series as a sparkline, or a link to its chart if it has one further up. */
function seriesFound(series: SeriesRead | undefined, chartId: string | undefined): Html {
  if (series === undefined || series.points.length < 2) return html``;
  return chartId === undefined ? sparkline(series)
    : html`<p><a href="#${chartId}-title">See the chart</a></p>`;
}
