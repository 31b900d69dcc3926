import type { EvidenceItem, SourceState } from '../report/report.ts';
import { askedSources, bySource, identities, type AskedSource } from '../sources/asked-source.ts';
import type { Ledger } from './ledger.ts';

export interface OutsideSource {
  readonly name: AskedSource;
  readonly title: string;
  /** The setting for its URL. */
  readonly setting: string;
  readonly provides: string;
}

/** The most useful first. */
export const outsideSources: readonly OutsideSource[] = askedSources.map((name) => {
  const { title, prefix, provides } = identities[name];
  return { name, title, setting: `${prefix}_URL`, provides };
});

/** How a source did, and the item that says so. */
interface SourceOutcome {
  readonly id: string;
  readonly state: SourceState;
}

/**
 * The items on how each source did. Adds one for each source that is not configured or has no item
 * of its collector.
 */
export function addMissingSources(
  ledger: Ledger,
  configured: ReadonlySet<AskedSource>,
): Readonly<Record<AskedSource, SourceOutcome>> {
  return bySource((name) => {
    const own = configured.has(name) ? itemOf(ledger, name) : null;
    return own ?? addMissing(ledger, name, configured.has(name));
  });
}

/** The collector's item on the source itself, else any item from that source. */
function itemOf(ledger: Ledger, name: AskedSource): EvidenceItem | null {
  const own = ledger.items.filter(({ source }) => source === name);
  return own.find(({ kind }) => kind === 'source') ?? own[0] ?? null;
}

function addMissing(ledger: Ledger, name: AskedSource, isConfigured: boolean): SourceOutcome {
  const { title, prefix } = identities[name];
  const summary = isConfigured ? `${title} is configured but was not asked.`
    : `${title} is not configured (${prefix}_URL).`;
  const state = isConfigured ? 'failed' : 'not_configured';
  return { id: ledger.add({ kind: 'source', source: name, title, state, summary }), state };
}
