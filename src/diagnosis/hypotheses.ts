import { alertNameOf, type Alert } from '../alert/alert.ts';
import { labelOf, noLabels, type LabelSet } from '../alert/labels.ts';
import type { Hypothesis, Statement } from '../report/report.ts';
import { shownText } from '../report/shown-text.ts';
import { knowledgeFor, type FilledCause } from './knowledge/knowledge-for.ts';
import { offsetSeconds, offsetText } from './related.ts';
import type { Situation } from './situation.ts';

const hypothesesMax = 6;
/** An alert that began this much earlier may be the cause and not another effect. */
const earlierSecondsMin = 30;

/** Labels in which Kubernetes' own words for why a container stopped or waits arrive. */
const reasonLabels = ['reason', 'exit_reason', 'waiting_reason', 'terminated_reason'];
const proofs: ReadonlyMap<string, string> = new Map([
  ['OOMKilled', 'The container is killed for using more memory than its limit'],
  ['ImagePullBackOff', 'The image cannot be pulled'],
  ['ErrImagePull', 'The image cannot be pulled'],
  ['InvalidImageName', 'The name of the image is not valid'],
  ['CreateContainerConfigError', 'A ConfigMap or Secret that the container needs is missing'],
  ['Evicted', 'The node evicted the pod under pressure'],
  ['DeadlineExceeded', 'The job ran into its deadline'],
  ['BackoffLimitExceeded', 'The job failed more often than it may be retried'],
]);

export interface Proof {
  readonly label: string;
  readonly reason: string;
}

/** The label that proves a cause, in the sender's words, or null. */
export function proofIn(labels: LabelSet): Proof | null {
  for (const label of reasonLabels) {
    const reason = labelOf(labels, label);
    if (reason !== null && proofs.has(reason)) return { label, reason };
  }
  return null;
}

/**
 * Possible causes, best supported first. One is confirmed only where the alert itself carries the
 * proof, and possible only where some evidence speaks for it; the rest are what such alerts
 * usually come from, with the test that would decide.
 */
export function hypothesesOf(situation: Situation): Hypothesis[] {
  const causes = situation.knowledge?.causes ?? [];
  const proven = provenCause(situation, causes);
  const suggested = causes.filter((cause) => cause.suggestedByAlert && cause !== proven?.cause);
  const others = causes.filter((cause) => !cause.suggestedByAlert && cause !== proven?.cause);
  return [
    ...(proven === null ? [] : [proven.hypothesis]),
    ...suggested.map((cause) => fromCause(cause, suggestion(situation))),
    ...earlierAlert(situation),
    ...others.map((cause) => fromCause(cause, [])),
  ].slice(0, hypothesesMax);
}

function provenCause(
  { caseFile, evidence }: Situation,
  causes: readonly FilledCause[],
): { cause: FilledCause | null; hypothesis: Hypothesis } | null {
  const proof = proofIn(caseFile.alert.labels);
  if (proof === null) return null;
  const text = `The alert carries ${proof.label}="${proof.reason}".`;
  const statement: Statement = { text, evidence: [evidence.ids.labels] };
  const id = causeNamedBy(proof, caseFile.alert, evidence.rule?.expression ?? null);
  const cause = causes.find((candidate) => candidate.id === id) ?? null;
  const known: Hypothesis = cause !== null ? fromCause(cause, [statement]) : {
    cause: proofs.get(proof.reason) ?? proof.reason,
    mechanism: null, for: [statement], against: [], test: null, certainty: 'confirmed',
  };
  return { cause, hypothesis: { ...known, certainty: 'confirmed' } };
}

/** The family's cause that the proving label names when nothing else of the alert is looked at. */
function causeNamedBy(proof: Proof, alert: Alert, expression: string | null): string | null {
  const labels = { alertname: alertNameOf(alert.labels), [proof.label]: proof.reason };
  const knowledge = knowledgeFor({ ...alert, labels, annotations: noLabels }, expression);
  return knowledge?.causes.find((cause) => cause.suggestedByAlert)?.id ?? null;
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
    test: cause.test === null ? null : cause.test.text.slice(0, 2000),
    certainty: support.length > 0 ? 'possible' : 'inconclusive',
  };
}

/** The closest related alert that began earlier: correlated in time, and no more than that. */
function earlierAlert({ caseFile, related, evidence }: Situation): Hypothesis[] {
  const earlier = related.find(({ fingerprint }) => {
    const other = caseFile.openAlerts.find((open) => open.fingerprint === fingerprint);
    return other !== undefined && offsetSeconds(caseFile, other) <= -earlierSecondsMin;
  });
  const other = caseFile.openAlerts.find((open) => open.fingerprint === earlier?.fingerprint);
  if (earlier === undefined || other === undefined) return [];
  const began = offsetText(offsetSeconds(caseFile, other));
  return [{
    cause: `The same trouble as ${earlier.name}, which ${began}`,
    mechanism: null,
    for: [{ text: `${earlier.name}: ${earlier.why}`, evidence: [evidence.ids.open] }],
    against: [],
    test: null,
    certainty: 'possible',
  }];
}
