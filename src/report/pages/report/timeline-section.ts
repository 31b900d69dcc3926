import { formatDuration } from '../../../lib/quantity.ts';
import { html, type Html } from '../../html.ts';
import type { TimelineEntry } from '../../report.ts';
import { fold, listLengthMax, plainMoment } from '../elements.ts';
import { citations, linkedText } from './linked-text.ts';
import type { View } from './view.ts';

/** What came longer before the start is folded. */
const longBeforeSeconds = 15 * 60;

/** Events in order of time, with offsets from the episode's start. */
export function timelineContent(view: View): Html {
  const { timeline } = view.report;
  if (timeline.length === 0) return html``;
  const shown = timeline.slice(0, listLengthMax);
  const isLongBefore = ({ offset_seconds: offset }: TimelineEntry): boolean =>
    offset < -longBeforeSeconds;
  const list = (entries: readonly TimelineEntry[]): Html =>
    html`<ol class="events small">${entries.map((entry) => entryItem(entry, view))}</ol>`;
  const earlier = shown.filter(isLongBefore);
  const missing = timeline.length - shown.length;
  return html`${earlier.length > 0 && fold(`${earlier.length} long before`, list(earlier))}${
    list(shown.filter((entry) => !isLongBefore(entry)))}${
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
