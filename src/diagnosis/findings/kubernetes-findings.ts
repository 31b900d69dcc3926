import type {
  KubernetesFacts, NodeFacts, PodFacts,
} from '../../evidence/kubernetes/kubernetes-facts.ts';
import { quotedPattern } from '../../evidence/logs/log-facts.ts';
import { capital, counted } from '../../report/plain-text.ts';
import type { Statement } from '../../report/report.ts';
import { utcText } from '../../report/time-text.ts';
import { citing } from '../citing.ts';
import { signText } from '../sign-text.ts';
import type { Situation } from '../situation.ts';

const signsShownMax = 6;
/** Pods beside the alert's own that are named. */
const othersShown = 3;

/** What Kubernetes reports about the alert's objects, each fact with the item it follows from. */
export function kubernetesFindings({ evidence: { kubernetes }, now }: Situation): Statement[] {
  if (kubernetes === null) return [];
  const { signs, pods, node, rollouts } = kubernetes;
  const more = signs.length - signsShownMax;
  return [
    ...(pods === null ? [] : citing([pods.evidence], podsText(pods))),
    ...(pods === null && node?.isReady === true ? nodeFinding(node, now) : []),
    ...signs.slice(0, signsShownMax)
      .flatMap((sign) => citing([sign.evidence], signText(sign, now))),
    ...citing(signs.slice(signsShownMax).map(({ evidence }) => evidence),
      more > 0 && `Kubernetes reports ${counted(more, 'further issue')} with its objects.`),
    ...lastWordsFinding(kubernetes, now),
    ...rollouts.flatMap(({ text, atMs, evidence }) =>
      citing([evidence], `${utcText(atMs, now)}: ${text}.`)),
  ];
}

function podsText(pods: PodFacts): string {
  const { subject, ready, total, wanted, failed, isCut, unreadyOthers: others } = pods;
  if (subject.startsWith('pod ')) return `The ${subject} ${ready === 1 ? 'is' : 'is not'} ready.`;
  if (total === 0 && failed > 0) return `${counted(failed, 'pod')} of ${subject} failed.`;
  if (total === 0) {
    const asks = wanted === null ? '' : `; it asks for ${wanted === 0 ? 'none' : wanted}`;
    return `${capital(subject)} has no pods${asks}.`;
  }
  const of = `${ready} of ${counted(total, 'pod')}${isCut ? ' that were read' : ''}`;
  const asked = wanted === null || wanted === total || isCut ? '' : `; it asks for ${wanted}`;
  const ended = failed === 0 ? '' : `; ${counted(failed, 'further pod')} failed`;
  const more = others.length <= othersShown ? '' : ` and ${others.length - othersShown} more`;
  const named = others.length === 0 ? ''
    : `; not ready: ${others.slice(0, othersShown).join(', ')}${more}`;
  return `${of} of ${subject} ${total === 1 ? 'is' : 'are'} ready${asked}${named}${ended}.`;
}

function nodeFinding({ name, sinceMs, evidence }: NodeFacts, now: number): Statement[] {
  const since = sinceMs === null ? '' : ` (since ${utcText(sinceMs, now)})`;
  return citing([evidence], `Node ${name} is ready${since}.`);
}

function lastWordsFinding({ lastWords }: KubernetesFacts, now: number): Statement[] {
  if (lastWords === null || lastWords.line === null) return [];
  const { who, line, atMs, evidence } = lastWords;
  const at = atMs === null ? '' : `, at ${utcText(atMs, now)}`;
  const text = `The last failure that ${who} logged${at}: ${quotedPattern(line)}.`;
  return citing([evidence], text);
}
