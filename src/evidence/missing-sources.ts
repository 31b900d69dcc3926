import type { SourceState } from '../report/report.ts';
import type { Ledger } from './ledger.ts';

export type SourceName = 'prometheus' | 'alertmanager' | 'loki' | 'kubernetes';

export interface OutsideSource {
  readonly name: SourceName;
  readonly title: string;
  readonly setting: string;
  /** What it would tell, as the subject of "was not looked at". */
  readonly tells: string;
}

/** The sources beyond the alert, the most telling first. */
export const outsideSources: readonly OutsideSource[] = [
  {
    name: 'prometheus', title: 'Prometheus', setting: 'PROMETHEUS_URL',
    tells: 'The value now, its past, and what else moved before the alert',
  },
  {
    name: 'kubernetes', title: 'Kubernetes', setting: 'KUBERNETES_URL',
    tells: 'Pods, events and recent rollouts',
  },
  { name: 'loki', title: 'Loki', setting: 'LOKI_URL', tells: 'Log lines around the alert' },
  {
    name: 'alertmanager', title: 'Alertmanager', setting: 'ALERTMANAGER_URL',
    tells: 'Silences, inhibitions and alerts that were not sent here',
  },
];

/** A source that is not configured is evidence as well: of what nobody looked at. */
export function addMissingSources(ledger: Ledger): {
  items: Record<SourceName, string>;
  states: Record<SourceName, SourceState>;
} {
  const items: Record<SourceName, string> = {
    prometheus: '', alertmanager: '', loki: '', kubernetes: '',
  };
  for (const { name, title, setting } of outsideSources) {
    items[name] = ledger.add({
      kind: 'source',
      source: name,
      title,
      state: 'not_configured',
      summary: `${title} is not configured (${setting}).`,
    });
  }
  const state = 'not_configured' as const;
  return {
    items,
    states: { prometheus: state, alertmanager: state, loki: state, kubernetes: state },
  };
}
