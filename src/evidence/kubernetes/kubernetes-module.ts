import { createKubernetes } from '../../sources/kubernetes/kubernetes.ts';
import { withinBudget, type SourceModule } from '../source-module.ts';
import { askKubernetes } from './ask-kubernetes.ts';
import { collectKubernetes, kubernetesItemsMax } from './collect-kubernetes.ts';
import type { KubernetesFacts } from './kubernetes-facts.ts';

export const kubernetesModule: SourceModule<KubernetesFacts> = {
  name: 'kubernetes',
  itemsMax: kubernetesItemsMax,
  ask: withinBudget({
    queriesMax: 24, create: createKubernetes,
    ask: ({ caseFile, now }, asked) => askKubernetes(caseFile, now, asked),
    collect: (_, answers, into) => collectKubernetes(answers, into),
  }),
};
