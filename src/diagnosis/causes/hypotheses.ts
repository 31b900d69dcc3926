import { certainties, type Hypothesis, type Statement } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import type { FilledCause } from '../knowledge/knowledge-for.ts';
import { offsetSeconds, offsetText, openAlertOf } from '../related.ts';
import { joinedBySaid, saidCauses } from '../said-before.ts';
import { wholeOrNull, type Situation } from '../situation.ts';
import { componentHypotheses } from './component-hypotheses.ts';
import { lastWordsHypothesis } from './last-words-hypothesis.ts';
import { logHypothesis } from './log-hypothesis.ts';
import { proofOf } from './proof.ts';
import { releaseHypothesis } from './release-hypothesis.ts';
import { testedCauses, type TestedCause } from './tested-causes.ts';

const hypothesesMax = 6;
/** With metrics, what moved comes in addition to what is known about such alerts. */
const withMetricsMax = 8;
/** An alert that began this much earlier may be the cause, and not another effect. */
const earlierSecondsMin = 30;

/**
 * Possible causes, best supported first. One is confirmed only where the alert itself or the answer
 * to a query proves it, and possible only where some evidence supports it; the rest are the usual
 * causes of such alerts, each with the test that would decide.
 */
export function hypothesesOf(situation: Situation): Hypothesis[] {
  const tested = testedCauses(situation);
  const proven = provenCause(situation, tested);
  const left = tested.filter(({ cause, outcome }) => {
    return cause !== proven?.cause && outcome !== 'ruled_out';
  });
  const release = releaseHypothesis(situation);
  const lastWords = lastWordsHypothesis(situation);
  const logged = logHypothesis(situation);
  // Supported causes that the alert names itself come first.
  const supported = left.filter(({ outcome }) => outcome === 'supported')
    .sort((a, b) => Number(b.cause.suggestedByAlert) - Number(a.cause.suggestedByAlert));
  const open = left.filter(({ outcome }) => outcome !== 'supported');
  const said = saidCauses(situation);
  const measured = [
    proven?.hypothesis ?? null, lastWords,
    ...supported.map((each) => fromSupported(each, tested)),
    release, ...componentHypotheses(situation),
  ].filter((each) => each !== null);
  // Log lines, which anybody may have written, stay a finding where something else is likely.
  const isLikely = measured.some(({ certainty }) => {
    return certainty === 'confirmed' || certainty === 'likely';
  });
  const found = joinedBySaid([
    ...measured,
    ...(logged === null || isLikely ? [] : [logged]),
    ...open.filter(({ cause }) => cause.suggestedByAlert)
      .map(({ cause }) => fromCause(cause, suggestion(situation))),
    ...earlierAlert(situation),
    ...open.filter(({ cause }) => !cause.suggestedByAlert).map(({ cause }) => fromCause(cause, [])),
  ], [...said.own, ...said.others]);
  const isLeft = (each: Hypothesis): boolean => found.left.includes(each);
  return [...said.own.filter(isLeft), ...found.found, ...said.others.filter(isLeft)]
    .sort((a, b) => certainties.indexOf(a.certainty) - certainties.indexOf(b.certainty))
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
  const support = each.statement === null ? [] : [each.statement];
  return {
    ...fromCause(each.cause, support),
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
  const { statement } = proof;
  const test = tested.find(({ cause }) => cause.id === proof.causeId) ?? null;
  // For other families, what happened to the alert's objects need not be its cause.
  const isOwn = proof.isOfAlert || test !== null ||
    situation.knowledge?.family.isOfPods === true;
  const certainty = proof.isSure && isOwn ? 'confirmed'
    : proof.isSpare && !isOwn ? 'possible' : 'likely';
  const known = test !== null ? fromCause(test.cause, [])
    : { cause: proof.cause, mechanism: null, for: [], against: [], test: null };
  const said = test?.statement ? [test.statement] : [];
  const isDenied = test?.outcome === 'ruled_out';
  return {
    cause: test?.cause ?? null,
    hypothesis: {
      ...known,
      for: test?.outcome === 'supported' ? [statement, ...said] : [statement],
      against: isDenied ? said : [],
      certainty: isDenied ? 'possible' : certainty,
    },
  };
}

function suggestion({ evidence }: Situation): Statement[] {
  const { labels, annotations } = evidence.ids;
  return [{ text: 'The alert itself names it.', evidence: [labels, annotations] }];
}

function fromCause(cause: FilledCause, support: readonly Statement[]): Hypothesis {
  return {
    cause: shownText(cause.cause, 300),
    mechanism: shownText(cause.mechanism, 600),
    for: support,
    against: [],
    test: cause.test === null ? null : wholeOrNull(cause.test.text),
    certainty: support.length > 0 ? 'possible' : 'inconclusive',
  };
}

/** The closest related alert that began earlier; that it is correlated proves nothing. */
function earlierAlert({ caseFile, related, evidence }: Situation): Hypothesis[] {
  const [earlier] = related.flatMap((alert) => {
    const other = openAlertOf(caseFile, alert);
    const seconds = other === undefined ? 0 : offsetSeconds(caseFile, other);
    return seconds <= -earlierSecondsMin ? [{ ...alert, seconds }] : [];
  });
  if (earlier === undefined) return [];
  return [{
    cause: `The same problem as ${earlier.name}, which ${offsetText(earlier.seconds)}`,
    mechanism: null,
    for: [{ text: `${earlier.name}: ${earlier.why}`, evidence: [evidence.ids.open] }],
    against: [],
    test: null,
    certainty: 'possible',
  }];
}
