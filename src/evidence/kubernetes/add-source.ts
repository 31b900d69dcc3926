import { shownText } from '../../report/shown-text.ts';
import type { AddItem } from '../ledger.ts';
import type { SourceFault, SourceReport } from '../metric-facts.ts';
import { addSourceItem, type Failed } from '../source-item.ts';
import type { ClusterAnswers } from './cluster-answers.ts';

/** Writes down how Kubernetes did as a source, and what is missing of it. */
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

/** What is mended by the same step is told once; the warnings of the source tell each. */
function faultsOf(failed: readonly Failed[], evidence: string): SourceFault[] {
  return [...new Set(failed.map(({ hint }) => hint))].flatMap((hint) => {
    const alike = failed.filter((each) => each.hint === hint);
    const [first] = alike;
    if (first === undefined) return [];
    const what = [...new Set(alike.map((each) => each.what))].join('; ');
    return [{ what, why: `Cannot read from Kubernetes: ${first.why}.`, hint, evidence }];
  });
}

const noObject = 'no label of the alert names a pod, a workload, a volume claim or a node.';

function nothingFound({ named, questions }: ClusterAnswers, evidence: string): SourceFault {
  const { namespace, pod, workload, node, claim } = named;
  const names = [
    pod && `pod ${pod}`, workload && `workload ${workload.name}`, claim && `volume claim ${claim}`,
    node && `node ${node}`,
  ].filter((name) => name !== null);
  const where = namespace === null ? '' : ` in namespace ${shownText(namespace, 80)}`;
  return {
    what: wholeWhat, evidence,
    why: questions.length === 0 ? `Kubernetes was not asked: ${noObject}`
      : `Kubernetes knows no ${names.map((name) => shownText(name, 120)).join(' or ')}${where}.`,
    hint: questions.length === 0 ? 'Keep such a label, and the namespace, in the rule.'
      : 'See whether the alert is about another cluster, or what it names is gone.',
  };
}
