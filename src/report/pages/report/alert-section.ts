import type { LabelSet } from '../../../alert/labels.ts';
import { authorWordsOf } from '../../author-words.ts';
import { code, html, isolated, link, longText, type Html } from '../../html.ts';
import { clip, counted } from '../../plain-text.ts';
import { fold } from '../elements.ts';
import type { View } from './view.ts';

/** Characters shown of one label set's values, divided evenly among them. */
const valuesLengthMax = 20_000;

/** The alert as it was sent: what its author says, annotations that say more, then labels. */
export function alertContent({ report }: View): Html {
  const { annotations, labels } = report.alert;
  const words = authorWordsOf(report);
  const told = words?.wholeOf;
  const others = Object.entries(annotations).filter(([name]) => name !== told);
  const count = Object.keys(labels).length;
  return html`${words !== null && html`<p><span class="quiet">The alert says:</span> ${
    isolated(words.quoted)}</p>`}${
    others.length > 0 && nameList(Object.fromEntries(others))}
${count > 0 && fold(counted(count, 'label'), nameList(labels))}`;
}

function nameList(labels: LabelSet): Html {
  const entries = Object.entries(labels);
  const lengthMax = Math.max(80, Math.min(2000, Math.floor(valuesLengthMax / entries.length)));
  const items = entries.map(([name, value]) => {
    const empty = value === '' && html`<span class="quiet">empty</span>`;
    const text = longText(value, lengthMax);
    const shown = empty || (value.length <= lengthMax ? link(value, text) : text);
    return html`<dt>${code(clip(name, 80))}</dt><dd dir="auto">${shown}</dd>\n`;
  });
  return html`<dl class="names">${items}</dl>`;
}
