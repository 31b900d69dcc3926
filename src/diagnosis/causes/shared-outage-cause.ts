import { shownText } from '../../report/shown-text.ts';
import { citing } from '../citing.ts';
import type { Judged } from '../judged.ts';
import { isOnTargets } from '../scraped-targets.ts';
import { explanation, type Explained } from './explanation.ts';

/** Id of the same cause in the families that know it. */
export const hostDownId = 'host-down';

/** All targets of a host are down, or of whatever else they share: it is that which is gone. */
export function sharedOutageCause(judged: Judged): Explained[] {
  const { metrics } = judged.evidence;
  const shared = metrics?.scrape?.shared ?? null;
  if (shared === null || !isOnTargets(judged)) return [];
  const { label, value, isHost, targets, jobs } = shared;
  const name = shownText(value, 80);
  const what = isHost ? `Host ${name} is gone or cut off`
    : `What has ${shownText(label, 40)} ${name} is gone or cut off`;
  const text = `all ${targets} targets there are down, of ${jobs} jobs`;
  return [{
    ...explanation({
      kind: 'family', family_cause: hostDownId, about: [value], cause: `${what}: ${text}`,
    }, 'likely', citing(metrics?.scrape?.evidence ?? [],
      `Of ${shownText(label, 40)} ${name}, ${text}, while most others answer.`)),
    mechanism: 'What they share fails, and not each of them by itself.',
  }];
}
