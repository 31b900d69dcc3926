import { alertmanagerIdentity } from './alertmanager.ts';
import { kubernetesIdentity } from './kubernetes/kubernetes.ts';
import { lokiIdentity } from './loki.ts';
import { prometheusIdentity } from './prometheus.ts';
import type { SourceAccess, SourceIdentity } from './source-access.ts';
import type { AskableSource } from './source-client.ts';

/** The systems that evidence is read from, by their name in reports; the most useful first. */
export const askedSources = ['prometheus', 'kubernetes', 'loki', 'alertmanager'] as const;

export type AskedSource = (typeof askedSources)[number];

/** What an investigation queries; null: not configured. */
export type Sources = Readonly<Record<AskedSource, AskableSource | null>>;

/** How each is reached; null: not configured. */
export type SourceAccesses = Readonly<Record<AskedSource, SourceAccess | null>>;

export const identities: Readonly<Record<AskedSource, SourceIdentity>> = {
  prometheus: prometheusIdentity, alertmanager: alertmanagerIdentity, loki: lokiIdentity,
  kubernetes: kubernetesIdentity,
};

/** A record of what `make` returns for each source. */
export function bySource<T>(make: (source: AskedSource) => T): Readonly<Record<AskedSource, T>> {
  const made = askedSources.map((source) => [source, make(source)] as const);
  return Object.fromEntries(made) as Record<AskedSource, T>;
}
