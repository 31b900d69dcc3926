import { hopText, pathText } from '../path-text.ts';
import type { Report } from '../report.ts';
import { momentOf } from '../time-text.ts';
import { cited, point, type OutlinePoint } from './outline-point.ts';

/** The path in one line, and each hop of which something is known; none where it leads nowhere. */
export function pathPoints({ path = null, updated_at: at }: Report): OutlinePoint[] {
  if (path === null || (path.hops.length < 2 && path.origin === null)) return [];
  const now = momentOf(at, 0);
  const known = path.hops.filter(({ state }) => state !== 'unknown')
    .map((hop) => cited({ text: hopText(hop, now), evidence: hop.evidence }));
  // The line of a single hop would be the same again.
  return path.hops.length < 2 ? known.map((each) => point(each))
    : [point([pathText(path, now)], known)];
}
