import { measurementEvidence } from '../../evidence/collect-evidence.ts';
import {
  byCertainty, isEstablished, type Hypothesis, type Statement,
} from '../../report/report.ts';
import { shownClause } from '../../report/shown-text.ts';
import { citing } from '../citing.ts';
import { alwaysOn } from '../knowledge/families/always-on.ts';
import type { FilledCause } from '../knowledge/knowledge-for.ts';
import { joinedBySaid } from '../said-before.ts';
import { isResolved, wholeOrNull, type Situation } from '../situation.ts';
import { missingLimit } from '../zero-divisor.ts';
import { componentHypotheses } from './component-hypotheses.ts';
import { earlierAlert, earlierOutage } from './earlier-alert.ts';
import { explanation } from './explanation.ts';
import { afterFoundBefore } from './found-before.ts';
import { lastWordsHypothesis } from './last-words-hypothesis.ts';
import { logHypothesis } from './log-hypothesis.ts';
import { proofOf } from './proof.ts';
import { releaseHypothesis } from './release-hypothesis.ts';
import { scrapeProofOf } from './scrape-proof.ts';
import { testedCauses, type TestedCause } from './tested-causes.ts';

const hypothesesMax = 6;
/** With metrics, what moved comes in addition to what is known about such alerts. */
const withMetricsMax = 8;

/**
 * Possible causes, best supported first. One is confirmed only where the alert itself or the answer
 * to a query proves it, and possible only where some evidence supports it; the rest are the usual
 * causes of such alerts, each with the test that would decide.
 */
export function hypothesesOf(situation: Situation): Hypothesis[] {
  // What fires on purpose needs no explanation.
  if (situation.knowledge?.family === alwaysOn && !isResolved(situation)) return [];
  const limit = missingLimit(situation);
  return limit === null ? causesOf(situation) : [noLimit(limit, situation)];
}

/** Whatever else is wrong, the alert fires because of what it divides by. */
function noLimit(limit: string, { evidence }: Situation): Hypothesis {
  const text = `The value is infinite, so ${shownClause(limit, 100)} is 0.`;
  return explanation('No limit is set, and the rule fires without one', 'confirmed',
    citing(measurementEvidence(evidence), text));
}

function causesOf(situation: Situation): Hypothesis[] {
  const tested = testedCauses(situation);
  const proven = provenCause(situation, tested);
  const scrape = scrapeProofOf(situation);
  const left = tested.filter(({ cause, outcome }) =>
    cause !== proven?.cause && outcome !== 'ruled_out' && scrape?.settled.has(cause.id) !== true);
  // Supported causes that a label of the alert names come first.
  const supported = left.filter(({ outcome }) => outcome === 'supported')
    .sort((a, b) => Number(b.cause.suggestedByAlert) - Number(a.cause.suggestedByAlert));
  const outage = earlierOutage(situation);
  const measured = [
    proven?.hypothesis ?? null,
    lastWordsHypothesis(situation),
    ...supported.map((each) => fromSupported(each, tested)),
    outage,
    releaseHypothesis(situation),
    ...componentHypotheses(situation),
  ].filter((each) => each !== null);
  // What keeps a target from answering is behind what its scrape runs into, which comes after it.
  if (scrape !== null) {
    const certainty = measured.some(isEstablished) ? 'likely' : 'confirmed';
    measured.push(explanation(scrape.cause, certainty, [scrape.statement]));
  }
  // Log lines, which anybody may have written, stay a finding where something else is likely.
  const logged = measured.some(isEstablished) ? null : logHypothesis(situation);
  const open = left.filter(({ outcome }) => outcome !== 'supported').map(({ cause }) => cause);
  const { labels } = situation.evidence.ids;
  const isNamed = citing([labels], 'A label of the alert names it.');
  const found = [
    ...measured,
    ...(logged === null ? [] : [logged]),
    ...open.filter((cause) => cause.suggestedByAlert).map((cause) => fromCause(cause, isNamed)),
    ...(outage === null ? earlierAlert(situation) : []),
    ...open.filter((cause) => !cause.suggestedByAlert).map((cause) => fromCause(cause, [])),
  ];
  const ranked = joinedBySaid(found, situation).sort(byCertainty);
  return afterFoundBefore(ranked, situation)
    .slice(0, situation.evidence.metrics === null ? hypothesesMax : withMetricsMax);
}

/**
 * A cause that its test supports. A test that is a proof confirms it; one that asks for the cause
 * itself makes it likely, and so does any other where it is the only supported cause of its family
 * and some others are ruled out.
 */
function fromSupported(each: TestedCause, all: readonly TestedCause[]): Hypothesis {
  const rivals = all.filter(({ outcome }) => outcome === 'supported').length - 1;
  const ruledOut = all.filter(({ outcome }) => outcome === 'ruled_out').length;
  const isAhead = each.cause.isDirect || (rivals === 0 && ruledOut > 0);
  const found = fromCause(each.cause, each.said);
  return {
    ...found,
    cause: each.who === null ? found.cause : `${found.cause} (${each.who})`,
    certainty: each.isProof ? 'confirmed' : isAhead ? 'likely' : 'possible',
  };
}

/** The cause that a reason given by Kubernetes proves; less certain where its test denies it. */
function provenCause(
  situation: Situation,
  tested: readonly TestedCause[],
): { cause: FilledCause | null; hypothesis: Hypothesis } | null {
  const proof = proofOf(situation);
  if (proof === null) return null;
  const test = tested.find(({ cause }) => cause.id === proof.causeId);
  // For other families, what happened to the alert's objects need not be its cause.
  const isOwn = proof.isOfAlert || test !== undefined ||
    situation.knowledge?.family.isOfPods === true;
  const certainty = proof.isSure && isOwn ? 'confirmed'
    : proof.isSpare && !isOwn ? 'possible' : 'likely';
  const support = [proof.statement];
  if (test === undefined) {
    return { cause: null, hypothesis: explanation(proof.cause, certainty, support) };
  }
  const { cause, outcome, said } = test;
  const isDenied = outcome === 'ruled_out';
  return {
    cause,
    hypothesis: {
      ...fromCause(cause, outcome === 'supported' ? [...support, ...said] : support),
      against: isDenied ? said : [],
      certainty: isDenied ? 'possible' : certainty,
    },
  };
}

function fromCause(
  { cause, mechanism, test }: FilledCause,
  support: readonly Statement[],
): Hypothesis {
  return {
    cause, mechanism, for: support, against: [],
    test: test === null ? null : wholeOrNull(test.text),
    certainty: support.length > 0 ? 'possible' : 'inconclusive',
  };
}
