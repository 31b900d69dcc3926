import { shellWord } from '../../lib/shell-word.ts';
import { createRedactor, type Redactor } from '../../redaction/redactor.ts';
import { shownText } from '../../report/shown-text.ts';
import { isoTime, utcText } from '../../report/time-text.ts';
import type { AddItem } from '../ledger.ts';
import { addSourceReport, type CollectContext, type Nothing } from '../source-report.ts';
import { addPods } from './add-pods.ts';
import { addSigns } from './add-signs.ts';
import { calledIn, type ClusterAnswers } from './cluster-answers.ts';
import type { KubernetesFacts, NodeFacts } from './kubernetes-facts.ts';
import { addLastWords } from './last-words.ts';
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
    ...answers, queries, nothing: whyNothing(answers),
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

/** Why Kubernetes shows nothing of the alert; null if it has any of its objects. */
export function whyNothing(answers: ClusterAnswers): Nothing | null {
  if (answers.questions.length === 0) {
    return {
      why: 'Kubernetes was not asked: no label of the alert names a pod, a workload, ' +
        'a volume claim or a node.',
      hint: 'Keep such a label and the namespace on the alert.',
    };
  }
  const found = answers.pod ?? answers.workload ?? answers.node ?? answers.claim;
  if (found !== null || answers.pods.items.length > 0) return null;
  const { namespace, pod, workload, node, claim } = answers.named;
  const inNamespace = [
    pod && `pod ${pod}`, workload && `workload ${workload.name}`, claim && `volume claim ${claim}`,
  ].filter((name) => name !== null).join(' or ');
  const where = namespace === null ? '' : ` in namespace ${namespace}`;
  const names = [inNamespace && `${inNamespace}${where}`, node && `node ${node}`]
    .filter((name) => name !== null && name !== '').join(' or ');
  // A node is found by its address, and a job by its cron job, only among the first of all.
  const isUnread = answers.unread.has('The node') || answers.unread.has('The workload');
  const among = isUnread ? ' among those that were read' : '';
  return {
    why: `Kubernetes has no ${shownText(names, 300)}${among}.`,
    hint: 'Check whether the alert is about another cluster, or the object has been deleted.',
  };
}
