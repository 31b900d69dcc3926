import { pathMap } from '../../charts/path-map.ts';
import { html, markupText, type Html } from '../../html.ts';
import { pathPoints } from '../../text/path-points.ts';
import { fold } from '../elements.ts';
import { pointList } from './linked-text.ts';
import type { View } from './view.ts';

/** What the alert's own thing calls and rests on, as a map, and the same in words. */
export function pathContent(view: View): Html {
  const { report, now } = view;
  const words = pointList(pathPoints(report), view);
  if (markupText(words) === '') return html``;
  const { path = null, changes, related } = report;
  if (path === null || path.hops.length < 2) return words;
  const atFirst = related.length > 0 ? `this alert and ${related.length} related` : 'this alert';
  return html`${pathMap(path, { id: 'map', now, changes, atFirst })}${
    fold('In words', words)}`;
}
