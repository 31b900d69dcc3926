import { formatDuration } from '../../../lib/quantity.ts';
import { html, type Html } from '../../html.ts';
import type { TimelineEntry } from '../../report.ts';
import { listLengthMax, moment } from '../elements.ts';
import { citations, linkedText } from './linked-text.ts';
import type { View } from './view.ts';

/** Events in order of time, with offsets from the episode's start. */
export function timelineContent(view: View): Html {
  const { timeline } = view.report;
  if (timeline.length === 0) return html``;
  const items = timeline.slice(0, listLengthMax).map((entry) => entryItem(entry, view));
  const missing = timeline.length - items.length;
  return html`<ol class="events">${items}</ol>${
    missing > 0 && html`<p class="quiet">and ${missing} more in the JSON</p>`}`;
}

function entryItem(entry: TimelineEntry, view: View): Html {
  const { at, offset_seconds: offset, kind, text, evidence } = entry;
  return html`<li class="event-${kind}"><span class="quiet small">${
    moment(at, view.now)} <br>${offsetWord(offset)}</span>
<span>${linkedText(text, view)}${citations(evidence, view)}</span></li>
`;
}

/** `−5 min`, `start`, `+40 s`. */
function offsetWord(seconds: number): string {
  if (Math.abs(seconds) < 1) return 'start';
  return `${seconds < 0 ? '−' : '+'}${formatDuration(Math.abs(seconds))}`;
}
