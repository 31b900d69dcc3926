import { formatDuration } from '../../lib/quantity.ts';
import { html, type Html, sentence } from '../html.ts';
import type { TimelineEntry } from '../report.ts';
import { citations, listItems, moment, section, type View } from './view.ts';

/** What happened when, relative to the episode's start. */
export function timelineSection(view: View): Html {
  const { timeline } = view.report;
  if (timeline.length === 0) return html``;
  const items = listItems(timeline, (entry) => entryItem(entry, view));
  return section('timeline', 'Timeline', html`<ol class="events">${items}</ol>`);
}

function entryItem(entry: TimelineEntry, view: View): Html {
  const { at, offset_seconds: offset, text, evidence } = entry;
  return html`<span class="quiet small">${moment(at, view.now)}<br>${offsetWord(offset)}</span>
<span>${sentence(text)}${citations(evidence, view)}</span>`;
}

/** `−5 min`, `start`, `+40 s`. */
function offsetWord(seconds: number): string {
  if (Math.abs(seconds) < 1) return 'start';
  return `${seconds < 0 ? '−' : '+'}${formatDuration(Math.abs(seconds))}`;
}
