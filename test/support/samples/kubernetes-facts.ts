import type { KubernetesFacts } from '../../../src/evidence/kubernetes/kubernetes-facts.ts';

/** Facts about a healthy deployment; `over` replaces members. */
export function someKubernetesFacts(over: Partial<KubernetesFacts> = {}): KubernetesFacts {
  return {
    source: {
      state: 'ok', durationMs: 40, queries: 5, evidence: 'E1', failures: [], mayAnswerLater: false,
    },
    isSure: true,
    signs: [],
    rollouts: [],
    pods: {
      subject: 'deployment cart', ready: 2, total: 2, wanted: 2, failed: 0, unready: 0,
      unreadyOthers: [], isCut: false, evidence: 'E2',
    },
    node: null,
    lastWords: null,
    ...over,
  };
}
