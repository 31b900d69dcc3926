import type { LabelSet } from '../../alert/labels.ts';
import { askKubernetes } from '../../evidence/kubernetes/ask-kubernetes.ts';
import {
  collectKubernetes, kubernetesItemsMax,
} from '../../evidence/kubernetes/collect-kubernetes.ts';
import { Ledger } from '../../evidence/ledger.ts';
import { namespaceOf } from '../../evidence/named-in-labels.ts';
import { dayMs } from '../../lib/time-units.ts';
import { shorten } from '../../report/plain-text.ts';
import type { EvidenceItem } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { isoTime } from '../../report/time-text.ts';
import {
  createKubernetes, events, pods, replicaSets,
} from '../../sources/kubernetes/kubernetes.ts';
import type { AskableSource } from '../../sources/source-client.ts';
import { orNull } from './argument.ts';
import { knownName } from './known-name.ts';
import { cutResult } from './result-text.ts';
import {
  createTool, failed, found, nothingFound, type Tool, type ToolContext, type ToolOutcome,
  type ToolResult,
} from './tool.ts';

const dataMax = 1600;
/** For each way to interpret a name; the tool has 10 s for all of them. */
const deadlineMs = 3_000;

/**
 * The tools that look at objects of the cluster; none without Kubernetes. The model names an
 * object, and code asks about it what it asks about the alert's own objects: lists, by GET, and the
 * log of a container in trouble. Only objects that the evidence names can be looked at.
 */
export function kubernetesTools(context: ToolContext): Tool[] {
  const { sources: { kubernetes }, caseFile: { alert: { labels } } } = context;
  if (kubernetes === null) return [];
  return [namespaceState(kubernetes, context), createTool({
    name: 'cluster_state',
    description: 'The state of a pod, workload or node in Kubernetes: containers that wait, ' +
      'ended or are not ready, warnings, rollouts of the day before the alert, the last log ' +
      "lines of a container in trouble. The alert's own objects are in the evidence already.",
    takes: {
      component: knownName(context, 'A name from the evidence.'),
      namespace: orNull(knownName(context, "One from the evidence; null: the alert's.")),
    },
  }, async ({ component, namespace: other }, signal) => {
    const namespace = other ?? namespaceOf(labels);
    const place = namespace === null ? {} : { namespace };
    const sought: readonly LabelSet[] = [
      { ...place, workload: component }, { ...place, pod: component }, { node: component },
    ];
    const asked: Looked[] = [];
    for (const each of sought) {
      const looked = await readObject(each, { kubernetes, context, signal });
      if (looked.isFound) return outcomeOf(looked.items);
      asked.push(looked);
    }
    const fault = asked.map(({ why }) => why).find((why) => why !== null);
    if (fault !== undefined) return failed(`${fault} This is missing data, not a finding.`);
    const where = namespace === null ? '' : ` in namespace ${shownText(namespace, 80)}`;
    const what = `${shownText(component, 80)}${where}`;
    return nothingFound(`Kubernetes has no pod, workload or node ${what}.`);
  })];
}

const podsShown = 30;
const eventsShown = 30;
const rolloutsShown = 15;

/** Everything in a namespace that was changed or is not well, in any workload. */
function namespaceState(kubernetes: AskableSource, context: ToolContext): Tool {
  const { caseFile: { alert: { labels } }, now } = context;
  return createTool({
    name: 'namespace_state',
    description: 'Of a whole namespace in Kubernetes: pods that are not ready, warnings of the ' +
      'last hour, and what was rolled out in the last day.',
    takes: { namespace: orNull(knownName(context, "One from the evidence; null: the alert's.")) },
  }, async ({ namespace: given }, signal) => {
    const namespace = given ?? namespaceOf(labels);
    if (namespace === null) return failed('The alert names no namespace. Name one.');
    const source = createKubernetes(kubernetes, signal);
    const [allPods, allEvents, revisions] = await Promise.all([
      source.list(pods, { namespace }),
      source.list(events, { namespace, fields: ['type!=Normal'] }),
      source.list(replicaSets, { namespace }),
    ]);
    const unready = allPods.items.filter(({ phase, containers }) =>
      phase !== 'Succeeded' && containers.some(({ isInit, isReady }) => !isInit && !isReady))
      .slice(0, podsShown).map(({ name, phase, containers }) => ({
        pod: name, phase, restarts: containers.reduce((sum, each) => sum + each.restarts, 0),
        reason: containers.map(({ waiting, ended }) => waiting?.reason ?? ended?.reason ?? '')
          .find((reason) => reason !== '') ?? null,
      }));
    const warnings = recent(allEvents.items, ({ lastMs }) => lastMs, now - dayMs / 24)
      .slice(0, eventsShown).map(({ about: { kind, name }, reason, message, count, lastMs }) => ({
        object: `${kind} ${name}`, reason, message: shownText(message, 200), times: count,
        last: isoTime(lastMs ?? now),
      }));
    const rollouts = recent(revisions.items, ({ createdMs }) => createdMs, now - dayMs)
      .slice(0, rolloutsShown).map(({ owner, number, createdMs }) => ({
        object: owner === null ? '' : `${owner.kind} ${owner.name}`, revision: number,
        at: isoTime(createdMs ?? now),
      }));
    const data = { not_ready: unready, warnings, rollouts, pods: allPods.items.length };
    const summary = `${unready.length} of ${allPods.items.length} pods not ready, ` +
      `${warnings.length} warnings, ${rollouts.length} rollouts.`;
    return found(cutResult(`${summary}\n${JSON.stringify(data)}`, 'Look at one object.'), {
      kind: 'events', source: 'kubernetes', title: `namespace ${namespace}`, summary,
      data, truncated: allPods.omitted + allEvents.omitted + revisions.omitted > 0,
    });
  });
}

/** Those since then, the latest first. */
function recent<T>(all: readonly T[], atOf: (each: T) => number | null, sinceMs: number): T[] {
  return all.filter((each) => (atOf(each) ?? 0) >= sinceMs)
    .sort((a, b) => (atOf(b) ?? 0) - (atOf(a) ?? 0));
}

interface Looked {
  readonly isFound: boolean;
  /** Why a question failed; null when all were answered. */
  readonly why: string | null;
  readonly items: readonly EvidenceItem[];
}

/** Asks about the objects that the labels name as if they were the alert's. */
async function readObject(
  labels: LabelSet,
  { kubernetes, context: { caseFile, clock, now, secrets }, signal }: {
    readonly kubernetes: AskableSource;
    readonly context: ToolContext;
    readonly signal: AbortSignal;
  },
): Promise<Looked> {
  const answers = await askKubernetes(
    { ...caseFile, alert: { ...caseFile.alert, labels } }, now,
    { clock, signal, deadlineMs, open: (ended) => createKubernetes(kubernetes, ended) },
  );
  const ledger = new Ledger([], kubernetesItemsMax);
  const { source } = collectKubernetes(answers, { ledger, now, queries: 0, secrets });
  const isAnswered = answers.questions.every(({ failure }) => failure === null);
  return {
    isFound: (answers.pod ?? answers.workload ?? answers.node) !== null,
    why: isAnswered ? null : source.failures[0]?.why ?? null,
    items: ledger.items.filter(({ kind }) => kind !== 'source'),
  };
}

function outcomeOf(items: readonly EvidenceItem[]): ToolOutcome {
  const [first, ...more] = items.map(resultOf);
  if (first === undefined) return failed('Kubernetes says nothing about it.');
  return { isError: false, results: [first, ...more] };
}

function resultOf(item: EvidenceItem): ToolResult {
  // Kubernetes confirmed that the object exists, so its name may be part of the summary.
  const summary = `${item.title}: ${item.summary}`;
  return {
    text: `${summary} Data: ${shorten(JSON.stringify(item.data), dataMax)}`,
    evidence: { ...item, summary },
  };
}
