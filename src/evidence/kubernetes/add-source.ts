import { groupBy } from '../../lib/group-by.ts';
import { shownText } from '../../report/shown-text.ts';
import type { AddItem } from '../ledger.ts';
import type { SourceFault, SourceReport } from '../metric-facts.ts';
import { addSourceItem, type Failed } from '../source-item.ts';
import type { ClusterAnswers } from './cluster-answers.ts';

/** Adds how Kubernetes did as a source, and what is missing. */
export function addSource(
  add: AddItem,
  answers: ClusterAnswers,
): Pick<SourceReport, 'state' | 'evidence' | 'failures' | 'mayAnswerLater'> {
  const { questions, pod, workload, node, claim, pods } = answers;
  const asked = { title: 'Kubernetes', questions, whyNone: noObject };
  const { failed, ...source } = addSourceItem(add, asked);
  const { state, evidence } = source;
  const isFound = pods.items.length > 0 || (pod ?? workload ?? node ?? claim) !== null;
  return {
    ...source,
    failures: state === 'failed'
      ? faultsOf(failed.slice(0, 1).map((each) => ({ ...each, what: wholeWhat })), evidence)
      : isFound || failed.length > 0 ? faultsOf(failed, evidence)
        : [nothingFound(answers, evidence)],
  };
}

const wholeWhat = 'Pods, events and recent rollouts';

/** One fault for all failures with the same hint; the source's warnings list each failure. */
function faultsOf(failed: readonly Failed[], evidence: string): SourceFault[] {
  return Array.from(groupBy(failed, ({ hint }) => hint), ([hint, alike]) => {
    const what = [...new Set(alike.map((each) => each.what))].join('; ');
    return { what, why: `Cannot read from Kubernetes: ${alike[0].why}.`, hint, evidence };
  });
}

const noObject = 'no label of the alert names a pod, a workload, a volume claim or a node.';

function nothingFound({ named, questions }: ClusterAnswers, evidence: string): SourceFault {
  const { namespace, pod, workload, node, claim } = named;
  const where = namespace === null ? '' : ` in namespace ${namespace}`;
  const inNamespace = [
    pod && `pod ${pod}`, workload && `workload ${workload.name}`, claim && `volume claim ${claim}`,
  ].flatMap((name) => name ?? []);
  const names = [
    ...(inNamespace.length === 0 ? [] : [`${inNamespace.join(' or ')}${where}`]),
    ...(node === null ? [] : [`node ${node}`]),
  ];
  return {
    what: wholeWhat, evidence,
    why: questions.length === 0 ? `Kubernetes was not asked: ${noObject}`
      : `Kubernetes has no ${shownText(names.join(' or '), 300)}.`,
    hint: questions.length === 0 ? 'Keep such a label and the namespace on the alert.'
      : 'Check whether the alert is about another cluster, or the object has been deleted.',
  };
}
