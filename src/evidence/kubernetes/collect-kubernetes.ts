import { shellWord } from '../../lib/shell-word.ts';
import { createRedactor, type Redactor } from '../../redaction/redactor.ts';
import { isoTime, utcText } from '../../report/time-text.ts';
import type { AddItem } from '../ledger.ts';
import { addSourceReport, type CollectContext } from '../source-report.ts';
import { addPods } from './add-pods.ts';
import { addSigns } from './add-signs.ts';
import { calledIn, type ClusterAnswers } from './cluster-answers.ts';
import type { KubernetesFacts, NodeFacts } from './kubernetes-facts.ts';
import { addLastWords } from './last-words.ts';
import { nothingFound } from './nothing-found.ts';
import { rolloutsOf } from './rollouts.ts';

/** Items that {@linkcode collectKubernetes} adds at most. */
export const kubernetesItemsMax = 6;

/** Turns the answers into evidence items; the same answers give the same items. */
export function collectKubernetes(
  answers: ClusterAnswers,
  { ledger, now, queries, secrets }: CollectContext,
): KubernetesFacts {
  const redactor = createRedactor({ secrets });
  const { redact } = redactor;
  const add = ledger.adderFor('kubernetes', isoTime(now), redactor);
  const source = addSourceReport(add, 'kubernetes', {
    ...answers, queries, nothing: nothingFound(answers),
  });
  const pods = addPods(add, answers, redact);
  const ofPods = pods?.evidence ?? source.evidence;
  const { signs, ofConditions } = addSigns(add, answers, { ofPods, redact });
  const rollouts = addRollouts(add, answers, { now, redact });
  const lastWords = addLastWords(add, answers, redact);
  return {
    source,
    isSure: answers.pod !== null || (answers.named.cluster === null && answers.named.pod === null),
    signs, rollouts, pods, lastWords, node: nodeOf(answers, ofConditions),
  };
}

function nodeOf({ node }: ClusterAnswers, evidence: string): NodeFacts | null {
  const condition = node?.conditions.find(({ type }) => type === 'Ready');
  if (node === null || condition === undefined) return null;
  const { status, sinceMs } = condition;
  return { name: node.name, isReady: status === 'True', sinceMs, evidence };
}

function addRollouts(
  add: AddItem,
  answers: ClusterAnswers,
  { now, redact }: Pick<Redactor, 'redact'> & { readonly now: number },
): KubernetesFacts['rollouts'] {
  const rollouts = rolloutsOf(answers, redact);
  const { workload, named } = answers;
  if (workload === null || answers.revisions.length === 0) return [];
  const evidence = add({
    kind: 'events', title: `Rollouts of ${calledIn(answers).workload}`,
    query: `kubectl rollout history --namespace=${named.namespace ?? ''} ` +
      `${workload.kind}/${shellWord(workload.name)}`,
    state: rollouts.length === 0 ? 'empty' : 'ok',
    summary: rollouts.length === 0 ? 'None since a day before the alert.'
      : rollouts.map(({ text, atMs }) => `${utcText(atMs, now)}: ${text}`).join('; '),
    data: { rollouts: rollouts.map(({ atMs, text }) => ({ at: isoTime(atMs), text })) },
  });
  return rollouts.map((rollout) => ({ ...rollout, evidence }));
}
