import { shownText } from '../../report/shown-text.ts';
import type { Nothing } from '../source-report.ts';
import type { ClusterAnswers } from './cluster-answers.ts';

/** Why Kubernetes shows nothing of the alert; null if it has any of its objects. */
export function nothingFound(answers: ClusterAnswers): Nothing | null {
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
