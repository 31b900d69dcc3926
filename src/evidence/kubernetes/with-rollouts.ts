import { workloadOfPod } from '../../statistics/names/workload-name.ts';
import type { EventFact, MetricFacts } from '../metric-facts.ts';
import type { KubernetesFacts } from './kubernetes-facts.ts';

/** Metrics show a rollout within this time, as a new version or generation. */
const togetherMs = 5 * 60_000;

/**
 * Adds the rollouts to the events from metrics, in place of metric events about the same rollout:
 * Kubernetes knows exactly when it was and what changed.
 */
export function withRollouts(
  metrics: MetricFacts | null,
  kubernetes: KubernetesFacts | null,
): MetricFacts | null {
  const rollouts = kubernetes?.rollouts ?? [];
  if (metrics === null || rollouts.length === 0) return metrics;
  const others = metrics.events.filter((event) =>
    !rollouts.some((rollout) => isSame(event, rollout)));
  return { ...metrics, events: [...others, ...rollouts].sort((a, b) => a.atMs - b.atMs) };
}

function isSame(event: EventFact, { component, atMs }: EventFact): boolean {
  if (event.kind !== 'version' && event.kind !== 'config') return false;
  if (Math.abs(event.atMs - atMs) > togetherMs) return false;
  const named = event.component?.value ?? '';
  return [named, workloadOfPod(named)].includes(component?.value ?? '');
}
