import { shellWord } from '../../lib/shell-word.ts';
import { createRedactor, type Redactor } from '../../redaction/redactor.ts';
import { isoTime, utcText } from '../../report/time-text.ts';
import type { AddItem, Ledger } from '../ledger.ts';
import { addPods } from './add-pods.ts';
import { addSigns } from './add-signs.ts';
import { addSource } from './add-source.ts';
import { calledIn, type ClusterAnswers } from './cluster-answers.ts';
import type { KubernetesFacts, NodeFacts } from './kubernetes-facts.ts';
import { lastWordsOf } from './last-words.ts';
import { rolloutsOf } from './rollouts.ts';

/** Items that {@linkcode collectKubernetes} adds at most. */
export const kubernetesItemsMax = 6;

/** Turns the answers into evidence items; the same answers give the same items. */
export function collectKubernetes(
  answers: ClusterAnswers,
  { ledger, now, queries, secrets }: {
    readonly ledger: Ledger; readonly now: number; readonly queries: number;
    /** Masked wherever they stand, like anything that looks like a secret. */
    readonly secrets: readonly string[];
  },
): KubernetesFacts {
  const base = { source: 'kubernetes', fetched_at: isoTime(now) };
  const redactor = createRedactor({ secrets });
  const source = addSource((item) => ledger.add({ ...item, ...base, kind: 'source' }), answers);
  const add: AddItem = (item) => ledger.add({ ...item, ...base, kind: 'events' });
  const pods = addPods(add, answers, redactor);
  const { signs, ofConditions } = addSigns(add, answers, {
    ofPods: pods?.evidence ?? source.evidence, redactor,
  });
  const rollouts = addRollouts(add, answers, { now, redactor });
  const lastWords = lastWordsOf(answers, {
    add: (item) => ledger.add({ ...item, ...base, kind: 'logs' }), redactor,
  });
  return {
    source: { ...source, durationMs: Math.round(answers.durationMs), queries },
    isSure: answers.pod !== null ||
      (answers.named.cluster === null && answers.named.pod === null),
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
  { now, redactor }: { readonly now: number; readonly redactor: Redactor },
): KubernetesFacts['rollouts'] {
  const before = redactor.total;
  const rollouts = rolloutsOf(answers, redactor.redact);
  const { workload, named } = answers;
  if (workload === null || answers.revisions.length === 0) return [];
  const evidence = add({
    title: `Rollouts of ${calledIn(answers).workload}`,
    query: `kubectl rollout history --namespace=${named.namespace ?? ''} ` +
      `${workload.kind}/${shellWord(workload.name)}`,
    state: rollouts.length === 0 ? 'empty' : 'ok',
    summary: rollouts.length === 0 ? 'None since a day before the alert.'
      : rollouts.map(({ text, atMs }) => `${utcText(atMs, now)}: ${text}`).join('; '),
    data: { rollouts: rollouts.map(({ atMs, text }) => ({ at: isoTime(atMs), text })) },
    redactions: redactor.total - before,
  });
  return rollouts.map((rollout) => ({ ...rollout, evidence }));
}
