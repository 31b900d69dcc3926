import type { LabelSet } from '../../alert/labels.ts';
import { askKubernetes } from '../../evidence/kubernetes/ask-kubernetes.ts';
import {
  collectKubernetes, kubernetesItemsMax,
} from '../../evidence/kubernetes/collect-kubernetes.ts';
import { Ledger, type NewEvidence } from '../../evidence/ledger.ts';
import { namespaceOf } from '../../evidence/named-in-labels.ts';
import { optional, shortText } from '../../lib/parse.ts';
import { shorten } from '../../report/plain-text.ts';
import type { EvidenceItem } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { createKubernetes } from '../../sources/kubernetes/kubernetes.ts';
import type { AskableSource } from '../../sources/source-client.ts';
import { askedTitle } from '../claims/whose-words.ts';
import { objectSchema } from '../json-schema.ts';
import { isKnown } from './known-names.ts';
import {
  argumentsOf, failed, ToolProblem, type Tool, type ToolContext, type ToolOutcome,
} from './tool.ts';

const nameMax = 253;
const dataMax = 1600;
/** For each way to interpret a name; the tool has 10 s for all of them. */
const deadlineMs = 3_000;

/**
 * The tool that looks at objects of the cluster; none without Kubernetes. The model names an
 * object, and code asks about it what it asks about the alert's own objects: lists, by GET, and the
 * log of a container in trouble. Only objects that the evidence names can be looked at.
 */
export function kubernetesTools(context: ToolContext, ledger: Ledger): Tool[] {
  const { sources: { kubernetes }, caseFile: { alert: { labels } } } = context;
  if (kubernetes === null) return [];
  return [{
    spec: {
      name: 'cluster_state',
      description: 'The state of a pod, workload or node in Kubernetes: containers that wait, ' +
        'ended or are not ready, warnings, rollouts of the day before the alert, the last log ' +
        "lines of a container in trouble. The alert's own objects are in the evidence already.",
      schema: objectSchema({
        component: { type: 'string', description: 'A name from the evidence.' },
        namespace: {
          type: ['string', 'null'], description: "One from the evidence; null: the alert's.",
        },
      }),
    },
    async run(given, signal) {
      const field = argumentsOf(given);
      const component = field('component', shortText(nameMax));
      const other = field('namespace', optional(shortText(nameMax), null));
      for (const name of [component, other]) {
        if (name === null || isKnown(name, labels, ledger)) continue;
        throw new ToolProblem(`No evidence names ${shownText(name, 80)}.`);
      }
      const namespace = other ?? namespaceOf(labels);
      const place = namespace === null ? {} : { namespace };
      const asked: Looked[] = [];
      const sought: readonly LabelSet[] = [
        { ...place, workload: component }, { ...place, pod: component }, { node: component },
      ];
      for (const each of sought) {
        const told = await lookAt(each, { kubernetes, context, signal });
        if (told.isFound) return outcomeOf(told.items);
        asked.push(told);
      }
      const fault = asked.map(({ why }) => why).find((why) => why !== null);
      if (fault !== undefined) return failed(`${fault} This is missing data, not a finding.`);
      return notFound(component, namespace);
    },
  }];
}

function notFound(component: string, namespace: string | null): ToolOutcome {
  const where = namespace === null ? '' : ` in namespace ${shownText(namespace, 80)}`;
  const text = `Kubernetes has no pod, workload or node ${shownText(component, 80)}${where}. ` +
    'That is missing data, not a finding.';
  return { text, isError: false, evidence: null };
}

interface Looked {
  readonly isFound: boolean;
  /** Why a question failed; null when all were answered. */
  readonly why: string | null;
  readonly items: readonly EvidenceItem[];
}

/** Asks about the objects that the labels name as if they were the alert's. */
async function lookAt(
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
  const [first, ...more] = items.map((item) => {
    // Kubernetes confirmed that the object exists, so its name may be part of the summary.
    const summary = `${item.title}: ${item.summary}`;
    const evidence: NewEvidence = { ...item, title: `${askedTitle}${item.title}`, summary };
    return { text: `${summary} Data: ${shorten(JSON.stringify(item.data), dataMax)}`, evidence };
  });
  if (first === undefined) return failed('Kubernetes says nothing about it.');
  return { ...first, isError: false, more };
}
