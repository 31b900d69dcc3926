import { labelOf } from '../../alert/labels.ts';
import { shownText } from '../../report/shown-text.ts';
import { contradicting } from '../../sources/prometheus-config.ts';
import { selector } from '../../sources/promql-text.ts';
import type { Failure } from '../ask-within.ts';
import { isFiring } from '../measurement.ts';
import type { FirstAnswers } from './ask-first.ts';
import type { Answers } from './ask-over-time.ts';
import { exactMatchers, namesOf } from './matching-labels.ts';
import { seenWithin } from './own/fired.ts';
import { ownPoints, sampleOf } from './own/own-samples.ts';
import type { Question } from './question.ts';

/** How long before its start the alert, or the value that it fires on, may have been seen. */
const beforeMs = 10 * 60_000;
/** The other server of a pair may be this far behind. */
const behindMs = 2 * 60_000;

/**
 * Why another server must have sent the alert, whose objects may only have the same names: the one
 * that was asked adds other labels to its alerts. Null if they agree, as far as it tells.
 */
export async function otherByLabels(
  question: Question,
  first: FirstAnswers,
): Promise<Failure | null> {
  const { asker, labels, now } = question;
  const { externalLabels } = first;
  const names = contradicting(externalLabels, labels);
  const [name] = names;
  if (name === undefined) return null;
  // A server that collects the series of others has their labels in its own alerts and series.
  const isOwn = tracesOf(question, first).some((trace) =>
    names.every((each) => trace.includes(each)));
  const of = exactMatchers(labels, names);
  const [up, alerts] = [selector('up', of), selector('ALERTS', of)];
  if (isOwn || up === null || alerts === null) return null;
  const collected = await asker.query('server', `count(${up} or ${alerts})`, now);
  if (collected === null || collected.samples.length > 0) return null;
  const [here, there] = [externalLabels[name], labelOf(labels, name)].map((value) =>
    shownText(value ?? '', 60));
  return {
    why: `The Prometheus that was asked is of ${name} ${here}, but the alert is of ${there}.`,
    hint, mayPass: false,
  };
}

/** The same by the value that the rule compares: it was fine all the time. */
export function otherByValue(question: Question, answers: Answers): Failure | null {
  const { first } = answers;
  if (first.fired === null || tracesOf(question, first).length > 0) return null;
  if (!wasNeverBeyond(question, answers)) return null;
  return {
    why: 'The Prometheus that was asked has neither had this alert nor seen its value beyond the ' +
      'threshold: most likely another one sent it.',
    hint, mayPass: question.now - question.startsAtMs < behindMs,
  };
}

const hint = 'Set PROMETHEUS_URL to the servers of all alerts that come here, separated by ' +
  'commas, or to one that has the series of all.';

/** The label names of what the server itself has of the alert, with the alert's own values. */
function tracesOf(
  { startsAtMs, endsAtMs, now }: Question,
  { found, fired, activeAtMs }: FirstAnswers,
): (readonly string[])[] {
  const span = { fromMs: startsAtMs - beforeMs, toMs: endsAtMs ?? now };
  const isSeen = activeAtMs !== null || (fired !== null && seenWithin(fired, span));
  return [
    ...(found?.pending ? [namesOf(found.pending.labels)] : []),
    ...(isSeen ? [fired?.labelNames ?? []] : []),
  ];
}

/** Whether the value was within its threshold when the alert began, and before and after. */
function wasNeverBeyond(
  { startsAtMs, endsAtMs, now }: Question,
  { first: { reading }, moments, overTime }: Answers,
): boolean {
  const { own } = moments;
  const comparison = reading?.isOneOfSeveral === false ? reading.comparison : null;
  if (comparison === null || own === null || own.labels === null) return false;
  const { threshold, operator } = comparison;
  const atFire = sampleOf(own.fire, own.labels);
  if (threshold === null || atFire === null) return false;
  const isBeyond = (value: number | null): boolean =>
    value !== null && isFiring(value, operator, threshold);
  if ([atFire, sampleOf(own.now, own.labels)].some(isBeyond)) return false;
  const [fromMs, toMs] = [startsAtMs - beforeMs, endsAtMs ?? now];
  const { window, since } = overTime.own;
  const infinite = (window?.infinite ?? 0) + (since?.infinite ?? 0);
  return infinite === 0 && !ownPoints(overTime.own).some(({ atMs, value }) =>
    atMs >= fromMs && atMs <= toMs && isBeyond(value));
}
