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
/** What moved comes in addition to what is known about such alerts. */
const withMetricsMax = 8;
/** An alert that began this much earlier may be the cause and not another effect. */
const earlierSecondsMin = 30;

/**
 * Possible causes, best supported first. One is confirmed only where the alert itself or the answer
 * to a query carries the proof, and possible only where some evidence speaks for it; the rest are
 * what such alerts usually come from, with the test that would decide.
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
  // What the alert names as well stands before what else is the case.
  const supported = left.filter(({ outcome }) => outcome === 'supported')
    .sort((a, b) => Number(b.cause.suggestedByAlert) - Number(a.cause.suggestedByAlert));
  const open = left.filter(({ outcome }) => outcome !== 'supported');
  const said = saidCauses(situation);
  const measured = [
    proven?.hypothesis ?? null, lastWords,
    ...supported.map((each) => fromSupported(each, tested)),
    release, ...componentHypotheses(situation),
  ].filter((each) => each !== null);
  // Beside what is likely by measure, words that anybody may have had logged are a finding alone.
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
 * A cause whose test speaks for it. The proof itself confirms it; another test makes it likely
 * where it is the only one of its family that is supported, and some others are ruled out.
 */
function fromSupported(each: TestedCause, all: readonly TestedCause[]): Hypothesis {
  const rivals = all.filter(({ outcome }) => outcome === 'supported').length - 1;
  const ruledOut = all.filter(({ outcome }) => outcome === 'ruled_out').length;
  const isAhead = rivals === 0 && ruledOut > 0;
  const support = each.statement === null ? [] : [each.statement];
  return {
    ...fromCause(each.cause, support),
    certainty: each.isProof ? 'confirmed' : isAhead ? 'likely' : 'possible',
  };
}

/** The cause that a word of Kubernetes proves, less sure where its test says otherwise. */
function provenCause(
  situation: Situation,
  tested: readonly TestedCause[],
): { cause: FilledCause | null; hypothesis: Hypothesis } | null {
  const proof = proofOf(situation);
  if (proof === null) return null;
  const { statement } = proof;
  const test = tested.find(({ cause }) => cause.id === proof.causeId) ?? null;
  // What happened to its objects is behind any alert on them, as far as anybody knows.
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

/** The closest related alert that began earlier: correlated in time, and no more than that. */
function earlierAlert({ caseFile, related, evidence }: Situation): Hypothesis[] {
  const [earlier] = related.flatMap((alert) => {
    const other = openAlertOf(caseFile, alert);
    const seconds = other === undefined ? 0 : offsetSeconds(caseFile, other);
    return seconds <= -earlierSecondsMin ? [{ ...alert, seconds }] : [];
  });
  if (earlier === undefined) return [];
  return [{
    cause: `The same trouble as ${earlier.name}, which ${offsetText(earlier.seconds)}`,
    mechanism: null,
    for: [{ text: `${earlier.name}: ${earlier.why}`, evidence: [evidence.ids.open] }],
    against: [],
    test: null,
    certainty: 'possible',
  }];
}
