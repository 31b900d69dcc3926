import { alertmanagerIdentity } from './alertmanager.ts';
import { kubernetesIdentity } from './kubernetes/kubernetes.ts';
import { lokiIdentity } from './loki.ts';
import { prometheusIdentity } from './prometheus.ts';
import type { SourceIdentity } from './source-access.ts';

/** The systems that evidence is read from, by their name in reports; the most useful first. */
export const askedSources = ['prometheus', 'kubernetes', 'loki', 'alertmanager'] as const;

export type AskedSource = (typeof askedSources)[number];

export const identities: Readonly<Record<AskedSource, SourceIdentity>> = {
  prometheus: prometheusIdentity, alertmanager: alertmanagerIdentity, loki: lokiIdentity,
  kubernetes: kubernetesIdentity,
};

/** A record of what `make` returns for each source. */
export function bySource<T>(make: (source: AskedSource) => T): Readonly<Record<AskedSource, T>> {
  return {
    prometheus: make('prometheus'), kubernetes: make('kubernetes'), loki: make('loki'),
    alertmanager: make('alertmanager'),
  };
}
