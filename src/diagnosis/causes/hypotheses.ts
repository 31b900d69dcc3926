import { measurementEvidence } from '../../evidence/collect-evidence.ts';
import { alwaysOn, infoInhibitor } from '../../knowledge/families/always-on.ts';
import { byCertainty, isEstablished } from '../../report/certainty.ts';
import { withDetail } from '../../report/found-before.ts';
import type { Statement } from '../../report/report.ts';
import { shownClause } from '../../report/shown-text.ts';
import { problemStart } from '../changes/event-closeness.ts';
import { citing } from '../citing.ts';
import type { Judged } from '../judged.ts';
import { isResolved, wholeOrNull, type Situation } from '../situation.ts';
import { missingLimit } from '../zero-divisor.ts';
import { clockMoved } from './clock-moved.ts';
import { componentHypotheses, steppedComponents } from './component-hypotheses.ts';
import { contributorHypothesis, withContributor } from './contributor.ts';
import { earlierAlert, earlierOutage } from './earlier-alert.ts';
import { expiryMoved } from './expiry-moved.ts';
import { explanation, type Explained } from './explanation.ts';
import { afterFoundBefore } from './found-before.ts';
import { withGivenCauses, givenCauseFirst } from './given-causes.ts';
import { isKin } from './kinship.ts';
import { lastWordsHypothesis } from './last-words-hypothesis.ts';
import { logHypothesis } from './log-hypothesis.ts';
import { loneThings } from './lone-thing.ts';
import { memoryUsedUp } from './memory-used-up.ts';
import { ownGrowth } from './own-growth.ts';
import { behindCause, behindPlace, ownDown, ownFault } from './path-causes.ts';
import { earlierRelease, releaseAtOnset } from './release-hypothesis.ts';
import { seriesVanished } from './series-vanished.ts';
import { hostDownId, sharedOutageCause } from './shared-outage-cause.ts';
import type { TestedCause } from './tested-causes.ts';

const hypothesesMax = 6;
/** With metrics, what moved comes in addition to what is known about such alerts. */
const withMetricsMax = 8;

/** Finds causes of one kind; `found` are those of the kinds before it. */
type Producer = (judged: Judged, found: readonly Explained[]) => readonly Explained[];

/** In the order in which causes of equal certainty are listed. */
const producers: readonly Producer[] = [
  provenCause, sharedOutageCause, clockMoved, expiryMoved, seriesVanished, behindCause, ownFault,
  lastWordsHypothesis, releaseAtOnset,
  memoryUsedUp, supportedCauses, unlessEffect(steppedComponents), unlessEffect(loneThings),
  earlierOutage, earlierRelease, contributorHypothesis,
  behindPlace, unlessEffect(componentHypotheses), placesFound, scrapeHypothesis, logHypothesis,
  ownGrowth, namedCauses, earlierAlert, untestedCauses,
];

/**
 * Possible causes, best supported first. One is confirmed only where the alert itself or the answer
 * to a query proves it, and possible only where some evidence supports it; the rest are the usual
 * causes of such alerts, each with the test that would decide.
 */
export function hypothesesOf(judged: Judged): readonly Explained[] {
  // What fires on purpose needs no explanation.
  const family = judged.knowledge?.family;
  if (family === infoInhibitor || (family === alwaysOn && !isResolved(judged))) return [];
  const limit = missingLimit(judged);
  if (limit !== null) return [noLimit(limit, judged)];
  const all = producers.reduce<readonly Explained[]>(
    (found, produce) => [...found, ...produce(judged, found)], []);
  const ranked = withContributor(
    withGivenCauses(withoutVague(all), judged).sort(byCertainty), judged);
  return givenCauseFirst(afterFoundBefore(ranked, judged), judged)
    .slice(0, judged.evidence.metrics === null ? hypothesesMax : withMetricsMax)
    .map((each) => ({ ...each, cause: withDetail(each.cause, each.detail) }));
}

/** What is down moves much; what moves it is on its own machine or path, and does so before. */
function unlessEffect(produce: Producer): Producer {
  return (judged, found) => {
    const down = ownDown(judged);
    const all = produce(judged, found);
    if (down === null) return all;
    const sinceMs = Date.parse(down.since ?? '') - togetherMs;
    const startMs = problemStart(judged.evidence);
    return all.filter(({ suspect, lone }) => {
      const best = suspect?.best ?? null;
      const moved = [
        ...(best === null ? []
          : [{ ...best.candidate, atMs: startMs + (best.onsetMs ?? 0) }]),
        ...(lone?.parts ?? []).map(({ candidate, onsetMs }) => ({ ...candidate, atMs: onsetMs })),
      ];
      return moved.length === 0 || moved.some(({ labels, component, atMs }) =>
        atMs < sinceMs && isKin(labels, component, judged));
    });
  };
}

/** What shows within this time is seen at the same scrape. */
const togetherMs = 15_000;

/** Where the release or the host is known, that it may be one says nothing more. */
function withoutVague(all: readonly Explained[]): readonly Explained[] {
  const isReleased = all.some(({ release }) => release !== undefined);
  const isOfHost = all.some((each) => each.family_cause === hostDownId && !each.tested);
  return all.filter(({ tested }) =>
    !(isReleased && tested?.cause.id === 'release' && tested.outcome !== 'supported') &&
    !(isOfHost && tested?.cause.id === hostDownId));
}

/** Whatever else is wrong, the alert fires because of what it divides by. */
function noLimit(limit: string, { evidence }: Situation): Explained {
  const text = `The value is infinite, so ${shownClause(limit, 100)} is 0.`;
  return explanation(
    { kind: 'no_limit', cause: 'No limit is set, and the rule fires without one' }, 'confirmed',
    citing(measurementEvidence(evidence), text));
}

/** The cause that a reason given by Kubernetes proves; less certain where its test denies it. */
function provenCause({ reason, tested, knowledge }: Judged): Explained[] {
  if (reason === null) return [];
  const { enoughAreReady, isLabelled, isSure, statement } = reason;
  const test = tested.find(({ cause }) => cause.id === reason.causeId);
  // For other families, what happened to the alert's objects need not be its cause.
  const isExplained = isLabelled || test !== undefined || knowledge?.family.isOfPods === true;
  const certainty = isSure && isExplained ? 'confirmed'
    : enoughAreReady && !isExplained ? 'possible' : 'likely';
  if (test === undefined) {
    const { cause, name } = reason;
    return [explanation({ kind: 'reason', family_cause: name, cause }, certainty, [statement])];
  }
  const { outcome, statements } = test;
  const isDenied = outcome === 'ruled_out';
  return [{
    ...fromCause(test, outcome === 'supported' ? [statement, ...statements] : [statement]),
    against: isDenied ? statements : [],
    certainty: isDenied ? 'possible' : certainty,
  }];
}

/** Causes of the family that are neither proven nor excluded. */
function openCauses({ reason, scrapeError, tested }: Judged): TestedCause[] {
  return tested.filter(({ cause: { id }, outcome }) =>
    id !== reason?.causeId && outcome !== 'ruled_out' && scrapeError?.decided.has(id) !== true);
}

/**
 * Causes that their tests support; those that a label of the alert names come first. A test that
 * asks for Kubernetes' reason confirms its cause; one that asks for the cause itself makes it
 * likely, and so does any other where all other causes of its family are ruled out.
 */
function supportedCauses(judged: Judged): Explained[] {
  const all = judged.tested.filter(({ cause }) => cause.isLocation !== true);
  const left = all.filter(({ outcome }) => outcome !== 'ruled_out');
  const isLast = all.length > 1 && left.length === 1;
  const isAlone = left.filter(({ outcome }) => outcome === 'supported').length === 1;
  return openCauses(judged)
    .filter(({ cause, outcome }) => outcome === 'supported' && cause.isLocation !== true)
    .sort((a, b) => Number(b.cause.suggestedByAlert) - Number(a.cause.suggestedByAlert))
    .map((each) => {
      const { isDirect = false, isDirectAlone = false } = each.cause;
      // One failure of a few is in one place, whatever is wrong.
      const isAhead = judged.noise?.kind !== 'few' &&
        (isDirect || (isDirectAlone && isAlone) || isLast);
      const found = fromCause(each, each.statements);
      return {
        ...found,
        cause: each.who.length === 0 ? found.cause
          : `${found.cause} (${each.who.join(', because of ')})`,
        certainty: each.isReason ? 'confirmed' : isAhead ? 'likely' : 'possible',
      };
    });
}

/** Where the problem is, by a test; likely if nothing found says why. */
function placesFound(judged: Judged, found: readonly Explained[]): Explained[] {
  const certainty = found.length > 0 ? 'possible' : 'likely';
  return openCauses(judged)
    .filter(({ cause, outcome }) => outcome === 'supported' && cause.isLocation === true)
    .map((each) => ({ ...fromCause(each, each.statements), certainty }));
}

/** What keeps a target from answering is behind what its scrape runs into. */
function scrapeHypothesis({ scrapeError }: Judged, found: readonly Explained[]): Explained[] {
  if (scrapeError === null) return [];
  const certainty = found.some(isEstablished) ? 'likely' : 'confirmed';
  return [explanation(
    { kind: 'scrape', cause: scrapeError.cause }, certainty, [scrapeError.statement])];
}

/** Causes that a label of the alert names, though no test supports them. */
function namedCauses(judged: Judged): Explained[] {
  const isNamed = citing([judged.evidence.ids.labels], 'A label of the alert names it.');
  return openCauses(judged)
    .filter(({ cause, outcome }) => cause.suggestedByAlert && outcome !== 'supported')
    .map((each) => fromCause(each, isNamed));
}

/** The usual causes of such alerts, for which nothing speaks yet. */
function untestedCauses(judged: Judged): Explained[] {
  return openCauses(judged)
    .filter(({ cause, outcome }) => !cause.suggestedByAlert && outcome !== 'supported')
    .map((each) => fromCause(each, []));
}

function fromCause(tested: TestedCause, support: readonly Statement[]): Explained {
  const { id, cause, mechanism, test, isElsewhere } = tested.cause;
  return {
    kind: isElsewhere === true ? 'dependency' : 'family', family_cause: id,
    ...(tested.who.length > 0 && { about: tested.who }),
    cause, mechanism, for: support, against: [],
    test: test === null ? null : wholeOrNull(test.text),
    certainty: support.length > 0 ? 'possible' : 'inconclusive',
    tested,
  };
}
