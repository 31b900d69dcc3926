import { formatDuration } from '../../../lib/quantity.ts';
import { html, type Html } from '../../html.ts';
import { counted } from '../../plain-text.ts';
import type { TimelineEntry } from '../../report.ts';
import { fold, listLengthMax, plainMoment } from '../elements.ts';
import { citations, linkedText } from './linked-text.ts';
import type { View } from './view.ts';

/** Moments in order of time, with offsets from the episode's start; changes have a list above. */
export function timelineContent(view: View): Html {
  const { timeline } = view.report;
  if (timeline.length === 0) return html``;
  const shown = timeline.slice(0, listLengthMax);
  const list = (entries: readonly TimelineEntry[]): Html =>
    html`<ol class="events small">${entries.map((entry) => entryItem(entry, view))}</ol>`;
  const changes = shown.filter(({ kind }) => kind === 'change');
  const missing = timeline.length - shown.length;
  return html`${list(shown.filter(({ kind }) => kind !== 'change'))}${
    changes.length > 0 && fold(`${counted(changes.length, 'change')} in order of time`,
      list(changes))}${
    missing > 0 && html`<p class="quiet">and ${missing} more in the JSON</p>`}`;
}

function entryItem(entry: TimelineEntry, view: View): Html {
  const { at, offset_seconds: offset, kind, text, evidence } = entry;
  return html`<li class="event-${kind}"><span class="quiet">${
    plainMoment(at, view.now)} ${offsetWord(offset)}</span>
<span>${linkedText(text, view)}${citations(evidence, view)}</span></li>
`;
}

/** `−5 min`, `start`, `+40 s`. */
function offsetWord(seconds: number): string {
  if (Math.abs(seconds) < 1) return 'start';
  return `${seconds < 0 ? '−' : '+'}${formatDuration(Math.abs(seconds))}`;
}
