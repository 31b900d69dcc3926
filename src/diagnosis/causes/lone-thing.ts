import type { LoneFact, LonePartFact } from '../../evidence/lone-fact.ts';
import { isEstablished } from '../../report/certainty.ts';
import type { CauseKind } from '../../report/kinds.ts';
import { capital } from '../../report/plain-text.ts';
import type { Certainty } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { formatOnset } from '../../report/time-text.ts';
import { hostNameOf } from '../../statistics/lone-names.ts';
import { replicaLabels } from '../../statistics/replica-collapse.ts';
import { timesApart } from '../../statistics/times-apart.ts';
import { shownValue } from '../changes/change-words.ts';
import { problemStart } from '../changes/event-closeness.ts';
import { metricName } from '../changes/metric-phrase.ts';
import { citing } from '../citing.ts';
import type { Judged } from '../judged.ts';
import { explanation, type Explained } from './explanation.ts';
import { isKin } from './kinship.ts';

const thingsMax = 2;
/** What begins farther apart than this did not begin together. */
const apartMs = 150_000;
const partsShown = 3;
const machineShown = 2;
/** What begins later than this is rather an effect. */
const lateMs = 60_000;
/** One metric alone has to begin this close to the problem, if the rule does not read it. */
const earlyMs = 150_000;
/** With so many metrics that have the problem in common, it is no accident. */
const metricsMin = 3;
/** Among as many or fewer, one is soon alone by chance. */
const fewMax = 3;
const manyMin = 10;
const strikingFactor = 5;
/** It accounts for this share of what comes on top, and all grew to this many times. */
const shareMin = 0.8;
const grownMin = 1.3;

/**
 * Things that moved alone among those of their kind: the client that sends more, the process that
 * holds what all share, the one of many that is slow. Each is a place to look at, and likely the
 * cause where it sends nearly all that came on top, or where many metrics show it alone.
 */
export function loneThings(judged: Judged, found: readonly Explained[]): Explained[] {
  return loneNear(judged).slice(0, thingsMax).map((fact) => {
    const inside = machineText(fact);
    const text = `${capital(loneName(fact))}, ${aloneText(fact)}: ` +
      (inside === null ? partsText(fact) : `${partsText(fact, 1)}; ${inside}`);
    // A place refines what goes on there, and does not come before it.
    const isPlace = found.some(({ certainty, kind }) =>
      certainty !== 'inconclusive' && kind !== undefined && mechanisms.has(kind));
    const isLikely = !found.some(isEstablished) &&
      (sendsMore(fact) || (!isPlace && isAloneInMuch(fact, judged)));
    const certainty: Certainty = isLikely ? 'likely' : 'possible';
    const startMs = problemStart(judged.evidence);
    return {
      ...explanation({
        kind: 'contributor', about: fact.labels.map(({ value }) => value), cause: text,
      }, certainty, citing(
        [fact.evidence, ...(fact.machine === undefined ? [] : [fact.machine.evidence])],
        `${text}.`, `It began to move ${formatOnset((loneBeganMs(fact) - startMs) / 1000)}.`)),
      contributor: fact.labels.map(({ label, value }) => ({ label, values: [value] })),
      lone: fact,
    };
  });
}

/** What says why, and not only where. */
const mechanisms: ReadonlySet<CauseKind> = new Set([
  'path', 'family', 'dependency', 'release', 'config', 'memory', 'reason',
]);

/**
 * Without the parts that moved at another time than the one that has most to do with the alert:
 * they are of something else that happened to it.
 */
function atOneTime(fact: LoneFact): LoneFact {
  const lead = fact.parts.find(({ isOfRule }) => isOfRule) ??
    fact.parts.find(({ isAkin }) => isAkin);
  return lead === undefined ? fact : {
    ...fact, parts: fact.parts.filter(({ onsetMs }) => Math.abs(onsetMs - lead.onsetMs) <= apartMs),
  };
}

/** Those that may be the cause: not what moved later than the problem, nor what is far from it. */
export function loneNear(judged: Judged): readonly LoneFact[] {
  const startMs = problemStart(judged.evidence);
  return (judged.evidence.metrics?.lone ?? []).map(atOneTime).filter((fact) =>
    fact.parts.some(({ onsetMs }) => onsetMs <= startMs + lateMs) && isTelling(fact) &&
    (fact.parts.length > 1 || (isNear(fact, judged) && fact.parts.some(({ isOfRule, onsetMs }) =>
      isOfRule || onsetMs >= startMs - earlyMs)) ||
      fact.parts.some((part) => isStriking(part, startMs))));
}

/** One of so many that moves so far, just then, is seldom alone by accident. */
function isStriking({ of, before, after, onsetMs }: LonePartFact, startMs: number): boolean {
  return of >= manyMin && timesApart(before, after) >= strikingFactor &&
    Math.abs(onsetMs - startMs) <= lateMs;
}

/** Among two or three, only a machine that shows it in several ways, or the rule's own metric. */
function isTelling({ labels, parts }: LoneFact): boolean {
  const isMachine = labels.some(({ label }) => replicaLabels.has(label));
  return parts.some(({ isOfRule, of }) => isOfRule || of > fewMax) ||
    (isMachine && parts.length > 1);
}

/** `process recon-2, alone of 9: pool connections rose from 0 to 36`, with one metric. */
export function loneClause(fact: LoneFact): string {
  return `${loneName(fact)}, ${aloneText(fact)}: ${partsText(fact, 1)}`;
}

/** Whether it has to do with what the alert is about, by a name, a place or a measure. */
export function isNear({ parts }: LoneFact, judged: Judged): boolean {
  return parts.some(({ isAkin, candidate: { labels, component } }) =>
    isAkin || isKin(labels, component, judged));
}

/**
 * When it left its usual level, in ms, by what moved farthest of what is seen closely: a level if
 * there is one, as a rate is of a while. Seen on the grid alone, everything is late.
 */
export function loneBeganMs({ parts }: LoneFact): number {
  const exact = parts.filter(({ isExact }) => isExact);
  const levels = exact.filter(({ candidate: { made } }) => made === undefined);
  const [first] = (levels.length > 0 ? levels : exact)
    .toSorted((a, b) => Math.abs(b.z) - Math.abs(a.z));
  return first?.onsetMs ?? Math.min(...parts.map(({ onsetMs }) => onsetMs));
}

/** `consumer acme`, `leaf-07`. */
export function loneName({ labels }: LoneFact): string {
  return labels.map(({ label, value }) => {
    const isTold = value.toLowerCase().includes(label.toLowerCase());
    const name = hostNameOf(label, value) ?? value;
    const isPlain = isTold || name !== value;
    return shownText(isPlain ? name : `${label.replaceAll('_', ' ')} ${value}`, 80);
  }).join(', ');
}

function aloneText({ parts }: LoneFact): string {
  return `alone of ${Math.max(...parts.map(({ of }) => of))}`;
}

/** `on it node nf conntrack entries rose from 31 k to 131 k, its limit`. */
function machineText({ machine }: LoneFact): string | null {
  const changes = (machine?.changes ?? []).slice(0, machineShown);
  return changes.length === 0 ? null : `on it ${changes.map((change) => {
    const { candidate, before, after, limit } = change;
    const [from, to] = [before, after].map((value) => shownValue(candidate, value));
    return `${metricName(candidate) ?? candidate.metric} ${after >= before ? 'rose' : 'fell'} ` +
      `from ${from} to ${to}${limit === null ? '' : ', its limit'}`;
  }).join('; ')}`;
}

/** The rule's own metric first, then what changed by the largest factor. */
function partsText({ parts }: LoneFact, max: number = partsShown): string {
  const factor = ({ before, after }: LonePartFact): number => timesApart(before, after);
  const first = parts.find(({ isOfRule }) => isOfRule) ?? parts.find(({ isAkin }) => isAkin) ??
    parts[0];
  const others = parts.filter((part) => part !== first)
    .toSorted((a, b) => factor(b) - factor(a));
  const texts = [...(first === undefined ? [] : [first]), ...others].map(partText);
  return [...new Set(texts)].slice(0, max).join('; ');
}

/** `broker leaf timeouts rose from 0.02/s to 6.1/s`. */
function partText(part: LonePartFact): string {
  const { candidate, within, before, after } = part;
  const name = `${candidate.made === 'mean' ? 'mean ' : ''}` +
    `${metricName(candidate) ?? candidate.metric}${candidate.made === 'quantile' ? ' p90' : ''}`;
  const kinds = Object.values(within).slice(0, 2).map((value) => shownText(value, 40)).join(', ');
  const [from, to] = [before, after].map((value) => shownValue(candidate, value));
  return `${name}${kinds === '' ? '' : ` (${kinds})`} ${after >= before ? 'rose' : 'fell'} ` +
    `from ${from} to ${to}`;
}

/** Nearly all that comes on top of what the rule counts comes from it, and not only more of it. */
function sendsMore({ parts }: LoneFact): boolean {
  return parts.some((part) => {
    const { isOfRule, within, candidate, before, after, othersBefore, othersAfter } = part;
    if (!isOfRule || Object.keys(within).length > 0 || candidate.signal !== 'traffic') return false;
    const rise = Math.max(0, after - before);
    const all = rise + Math.max(0, othersAfter - othersBefore);
    return rise >= shareMin * all && after + othersAfter >= grownMin * (before + othersBefore);
  });
}

function isAloneInMuch(fact: LoneFact, judged: Judged): boolean {
  return fact.parts.length >= metricsMin && isNear(fact, judged) &&
    fact.parts.some(({ of }) => of > fewMax);
}
