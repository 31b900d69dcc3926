import type { LabelSet } from '../../alert/labels.ts';
import {
  code, html, isolated, link, longText, sentence, webAddress, type Html,
} from '../html.ts';
import { clip, clippedJson, counted } from '../plain-text.ts';
import type { EvidenceItem } from '../report.ts';
import { evidenceOrigin, sourceStateWords } from '../words.ts';
import { chartIds } from './drawn-series.ts';
import { seriesFound } from './series-found.ts';
import { fold, isUnderWay, listItems, listLengthMax, section, type View } from './view.ts';

/** Longest data of one item shown; the JSON has it whole. */
const dataLengthMax = 4000;

/** Characters of one label set's values shown, shared out evenly among them. */
const valuesLengthMax = 20_000;

/** Everything the statements rest on; each item is the target of its citations. */
export function evidenceSection(view: View): Html {
  const { evidence } = view.report;
  if (evidence.length === 0) {
    if (isUnderWay(view)) return html``;
    return section('evidence', 'Evidence', html`<p class="quiet">Nothing is collected yet.</p>`);
  }
  const unused = new Set(view.anchors);
  const charts = chartIds(view);
  const items = evidence.slice(0, listLengthMax).map((item) => {
    // An id names one element at most, also when a report holds it twice.
    return evidenceItem(item, charts, unused.delete(item.id));
  });
  return html`<section id="evidence" class="evidence" aria-labelledby="evidence-title">
<h2 id="evidence-title">Evidence</h2>
${items}
</section>
`;
}

/** The alert as it was sent: what people wrote into it first. */
export function alertSection({ report }: View): Html {
  const { annotations, labels } = report.alert;
  const hasAnnotations = Object.keys(annotations).length > 0;
  const count = Object.keys(labels).length;
  return section('alert', 'What the alert says', html`${
    hasAnnotations ? nameList(annotations) : html`<p class="quiet">It has no annotations.</p>`}
${count > 0 && fold(counted(count, 'label'), nameList(labels))}`);
}

function nameList(labels: LabelSet): Html {
  const entries = Object.entries(labels);
  const lengthMax = Math.max(80, Math.min(2000, Math.floor(valuesLengthMax / entries.length)));
  const items = entries.map(([name, value]) => {
    const empty = value === '' && html`<span class="quiet">empty</span>`;
    const shown = empty || valueMarkup(value, lengthMax);
    return html`<dt>${code(clip(name, 80))}</dt><dd dir="auto">${shown}</dd>\n`;
  });
  return html`<dl class="names">${items}</dl>`;
}

function valueMarkup(value: string, lengthMax: number): Html {
  const shown = longText(value, lengthMax);
  return value.length <= lengthMax ? link(value, shown) : shown;
}

function evidenceItem(
  item: EvidenceItem,
  charts: ReadonlyMap<string, string>,
  isAnchor: boolean,
): Html {
  const { id, title, summary, query, warnings, error, state } = item;
  const { drawn, data } = seriesFound(item, charts);
  const notes = error === null ? warnings : [error, ...warnings];
  return html`<article${isAnchor && html` id="${id}"`}>
<h3><span class="id">${isolated(id)}</span>${sentence(title)}${
  state !== 'ok' && html` <span class="quiet">(${sourceStateWords[state]})</span>`}</h3>
<p>${sentence(summary)}</p>
${query !== null && html`<pre dir="ltr">${query}</pre>`}
${notes.length > 0 && html`<ul class="small">${listItems(notes, (note) => sentence(note))}</ul>`}
<p class="small quiet">${isolated(evidenceOrigin(item))}${sourceLink(item.link)}</p>
${drawn}${data !== null && data !== undefined && fold('What was found', dataBlock(data))}
</article>
`;
}

function sourceLink(address: string | null): Html {
  if (address === null || webAddress(address) === null) return html``;
  return html` · ${link(address, 'open')}`;
}

function dataBlock(data: unknown): Html {
  return html`<pre dir="ltr">${longText(clippedJson(data, dataLengthMax), Infinity)}</pre>`;
}
