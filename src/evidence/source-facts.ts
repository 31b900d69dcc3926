import type { AskedSource } from '../sources/asked-source.ts';
import type { AlertmanagerFacts } from './alertmanager/collect-alertmanager.ts';
import type { KubernetesFacts } from './kubernetes/kubernetes-facts.ts';
import type { LogFacts } from './logs/log-facts.ts';
import type { MetricFacts } from './metric-facts.ts';
import type { SourceReport } from './source-report.ts';

/** What each source says. Null: not configured, not asked, or its answers could not be read. */
export interface SourceFacts {
  readonly metrics: MetricFacts | null;
  readonly kubernetes: KubernetesFacts | null;
  readonly logs: LogFacts | null;
  readonly alertmanager: AlertmanagerFacts | null;
}

export const noFacts: SourceFacts = {
  metrics: null, kubernetes: null, logs: null, alertmanager: null,
};

/** How each source did, by its name in reports; undefined where there are no facts. */
export function sourceReports(
  { metrics, kubernetes, logs, alertmanager }: SourceFacts,
): Readonly<Record<AskedSource, SourceReport | undefined>> {
  return {
    prometheus: metrics?.source, kubernetes: kubernetes?.source, loki: logs?.source,
    alertmanager: alertmanager?.source,
  };
}
