import { counted } from '../../report/plain-text.ts';
import { shownText } from '../../report/shown-text.ts';
import type { AddItem } from '../ledger.ts';
import type { SourceFault, SourceReport } from '../metric-facts.ts';
import type { ClusterAnswers, Question } from './cluster-answers.ts';
import type { NamedObjects } from './named-objects.ts';

/** Writes down how Kubernetes did as a source, and what is missing of it. */
export function addSource(
  add: AddItem,
  { questions, named, pod, workload, node, claim, pods }: ClusterAnswers,
): Pick<SourceReport, 'state' | 'evidence' | 'failures' | 'mayAnswerLater'> {
  const failed = questions.flatMap(({ what, told }) => {
    return 'value' in told ? [] : [{ what, ...told }];
  });
  const [first] = failed;
  const isFailed = first !== undefined && failed.length === questions.length;
  const state = questions.length === 0 ? 'empty' : isFailed ? 'failed' : 'ok';
  const evidence = add({
    title: 'Kubernetes', state,
    summary: questions.length === 0 ? `It was not asked: ${noObject}`
      : `Kubernetes answered ${questions.length - failed.length} of ` +
        `${counted(questions.length, 'question')}.${first === undefined ? '' : ` ${first.hint}`}`,
    error: isFailed ? `Cannot read from Kubernetes: ${first.why}.` : null,
    warnings: isFailed ? [] : failed.map(({ what, why }) => `${what}: ${why}.`),
  });
  const isFound = pods.items.length > 0 || (pod ?? workload ?? node ?? claim) !== null;
  return {
    state, evidence,
    failures: isFailed ? faultsOf([{ ...first, what: wholeWhat }], evidence)
      : isFound || first !== undefined ? faultsOf(failed, evidence)
        : [nothingFound(named, questions, evidence)],
    mayAnswerLater: failed.some(({ mayPass }) => mayPass),
  };
}

interface Failed {
  readonly what: string;
  readonly why: string;
  readonly hint: string;
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

function nothingFound(
  { namespace, pod, workload, node, claim }: NamedObjects,
  questions: readonly Question[],
  evidence: string,
): SourceFault {
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
