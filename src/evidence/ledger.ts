import { shortened } from '../lib/shortened.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { EvidenceItem } from '../report/report.ts';
import { shownText } from '../report/shown-text.ts';
import { clipData } from './clip-data.ts';

export const evidenceItemsMax = 64;
const titleMax = 160;
const summaryMax = 400;
const queryMax = 4000;
const warningsMax = 10;

/** What a collector provides of one evidence item; the rest gets default values. */
export type NewEvidence = Pick<EvidenceItem, 'kind' | 'source' | 'title' | 'summary'> &
  Partial<Omit<EvidenceItem, 'id'>>;

/** Adds an item from one source and returns its id. */
export type AddItem = (item: Omit<NewEvidence, 'source'>) => string;

/** All evidence of one investigation, in the order of collection. Statements cite its ids. */
export class Ledger {
  readonly #items: EvidenceItem[];
  readonly #itemsMax: number;
  #reserved = 0;

  /** Continues after the items that another ledger has collected. */
  constructor(items: readonly EvidenceItem[] = [], itemsMax: number = evidenceItemsMax) {
    this.#items = [...items];
    this.#itemsMax = itemsMax;
  }

  get items(): readonly EvidenceItem[] {
    return this.#items;
  }

  /** How many more items fit. A collector of many items checks this and keeps the best. */
  get room(): number {
    return this.#itemsMax - this.#items.length - this.#reserved;
  }

  /** Reserves room for this many later items; 0 releases it. */
  reserve(items: number): void {
    this.#reserved = items;
  }

  /** Drops all items after the first `kept`, which nothing has cited yet. */
  takeBack(kept: number): void {
    this.#items.length = kept;
  }

  /**
   * For the items of one source, fetched at the same time unless an item says otherwise. Each
   * counts what was redacted since the one before.
   */
  adderFor(source: string, fetched_at: string, redactor?: Redactor): AddItem {
    let counted = 0;
    return (item) => {
      const redactions = (redactor?.total ?? 0) - counted;
      counted += redactions;
      return this.add({ fetched_at, ...item, source, redactions });
    };
  }

  /** Adds an item, cut to bounds, and returns its id. Throws RangeError when there is no room. */
  add(item: NewEvidence): string {
    if (this.room <= 0) throw new RangeError(`More than ${this.#itemsMax} items of evidence`);
    const id = `E${this.#items.length + 1}`;
    const { data, clipped } = clipData(item.data ?? null);
    const { query = null } = item;
    const isQueryCut = query !== null && query.length > queryMax;
    this.#items.push({
      id,
      kind: item.kind,
      ...(item.role !== undefined && { role: item.role }),
      source: item.source,
      title: shownText(item.title, titleMax),
      query: query === null ? null : shortened(query, queryMax),
      from: item.from ?? null,
      to: item.to ?? null,
      step_seconds: item.step_seconds ?? null,
      summary: shownText(item.summary, summaryMax),
      data,
      link: item.link ?? null,
      fetched_at: item.fetched_at ?? null,
      truncated: clipped || isQueryCut || (item.truncated ?? false),
      warnings: (item.warnings ?? []).slice(0, warningsMax).map((text) => shownText(text, 200)),
      redactions: item.redactions ?? 0,
      state: item.state ?? 'ok',
      error: item.error === undefined || item.error === null ? null : shownText(item.error, 300),
    });
    return id;
  }
}
