import type { EvidenceItem, SourceState } from '../report/report.ts';
import { bySource, identities, type AskedSource } from '../sources/asked-source.ts';
import type { Ledger } from './ledger.ts';

export interface OutsideSource {
  readonly name: AskedSource;
  readonly title: string;
  /** The setting for its URL. */
  readonly setting: string;
  /** What it would provide, as the subject of "was not looked at". */
  readonly tells: string;
}

/** The outside sources, the most useful first. */
export const outsideSources: readonly OutsideSource[] = [
  asked('prometheus', 'The value now, its past, and what else moved before the alert'),
  asked('kubernetes', 'Pods, events and recent rollouts'),
  asked('loki', 'Log lines around the alert'),
  asked('alertmanager', 'Silences, inhibitions and alerts that were not sent here'),
];

function asked(name: AskedSource, tells: string): OutsideSource {
  const { title, prefix } = identities[name];
  return { name, title, setting: `${prefix}_URL`, tells };
}

interface SourceItems {
  /** The item on how each source did. */
  readonly items: Readonly<Record<AskedSource, string>>;
  readonly states: Readonly<Record<AskedSource, SourceState>>;
}

/**
 * Completes the items on how each outside source did: adds one for each source that is not
 * configured or has no item of its collector.
 */
export function addMissingSources(
  ledger: Ledger,
  configured: ReadonlySet<AskedSource>,
): SourceItems {
  const items: Record<AskedSource, string> = { ...bySource(() => '') };
  const states: Record<AskedSource, SourceState> = { ...bySource(() => 'ok') };
  for (const source of outsideSources) {
    const { name } = source;
    const own = configured.has(name) ? itemOf(ledger, name) : null;
    items[name] = own?.id ?? addMissing(ledger, source, configured.has(name));
    states[name] = own?.state ?? (configured.has(name) ? 'failed' : 'not_configured');
  }
  return { items, states };
}

/** The collector's item on the source itself, else any item from that source. */
function itemOf(ledger: Ledger, name: AskedSource): EvidenceItem | null {
  const own = ledger.items.filter(({ source }) => source === name);
  return own.find(({ kind }) => kind === 'source') ?? own[0] ?? null;
}

function addMissing(
  ledger: Ledger,
  { name, title, setting }: OutsideSource,
  isConfigured: boolean,
): string {
  const summary = isConfigured ? `${title} is configured but was not asked.`
    : `${title} is not configured (${setting}).`;
  const state = isConfigured ? 'failed' : 'not_configured';
  return ledger.add({ kind: 'source', source: name, title, state, summary });
}
