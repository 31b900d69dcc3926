import type { AskedSource } from '../sources/asked-source.ts';
import { alertmanagerModule } from './alertmanager/alertmanager-module.ts';
import { kubernetesModule } from './kubernetes/kubernetes-module.ts';
import { lokiModule } from './logs/loki-module.ts';
import { prometheusModule } from './metrics/prometheus-module.ts';
import type { SourceModule } from './source-module.ts';
import type { SourceReport } from './source-report.ts';

/** Every source of evidence, in the order in which their facts are written down. */
export const sourceModules = {
  metrics: prometheusModule,
  alertmanager: alertmanagerModule,
  logs: lokiModule,
  kubernetes: kubernetesModule,
} as const;

type Modules = typeof sourceModules;

export const factNames = Object.keys(sourceModules) as readonly (keyof Modules)[];

/** What each source says. Null: not configured, not asked, or its answers could not be read. */
export type SourceFacts = {
  readonly [Name in keyof Modules]:
    (Modules[Name] extends SourceModule<infer Facts> ? Facts : never) | null;
};

export const noFacts: SourceFacts = {
  metrics: null, alertmanager: null, logs: null, kubernetes: null,
};

/** How each source did; undefined where there are no facts. */
export function sourceReports(
  facts: SourceFacts,
): Readonly<Partial<Record<AskedSource, SourceReport>>> {
  return Object.fromEntries(factNames.map((name) =>
    [sourceModules[name].name, facts[name]?.source]));
}
