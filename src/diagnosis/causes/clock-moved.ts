import { hostOf } from '../../evidence/named-in-labels.ts';
import { formatDuration } from '../../lib/quantity.ts';
import { shownText } from '../../report/shown-text.ts';
import { utcText } from '../../report/time-text.ts';
import { eventsOf, isAround, secondsAfterProblem } from '../changes/event-closeness.ts';
import { citing } from '../citing.ts';
import type { Judged } from '../judged.ts';
import { eventClause } from './component-statements.ts';
import { explanation, type Explained } from './explanation.ts';
import { isKin } from './kinship.ts';

/** What a clock tells: how far it is off, or how long ago something was. */
const ofClocks = /timex|clock|ntp|chrony|lag|delay|offset|skew|behind|timestamp|age(?:_|$)/u;

/**
 * The clock of the alert's own host was set as the problem began. Whatever is measured against a
 * clock moves with it, and is not late.
 */
export function clockMoved(judged: Judged): Explained[] {
  const { evidence } = judged;
  const event = eventsOf(evidence).find((each) => each.verb === 'clock_moved' &&
    isAround(secondsAfterProblem(each, evidence)) &&
    isKin(each.labels, each.component?.value ?? '', judged));
  if (event === undefined) return [];
  const isOfClock = evidence.rule?.metrics.some((name) => ofClocks.test(name)) === true ||
    evidence.rule?.functions.includes('time') === true;
  const { clockSeconds: seconds = 0, atMs } = event;
  const at = ` at ${utcText(atMs, judged.now, true)}`;
  const host = shownText(hostOf(event.labels) ?? event.subject, 80);
  return [{
    ...explanation({
      kind: 'event', about: [host],
      cause: `The clock of ${host} jumped by ${formatDuration(Math.abs(seconds))} ` +
        `${seconds < 0 ? 'back' : 'ahead'}${at}`,
    }, isOfClock ? 'likely' : 'possible', citing([event.evidence], `${eventClause(event)}.`)),
    mechanism: 'What is measured by that clock moves as far, and only seems to be late.',
    clockOf: host,
  }];
}
