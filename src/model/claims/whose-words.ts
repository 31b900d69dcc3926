import type { EvidenceItem } from '../../report/report.ts';
import { queryParts } from './query-parts.ts';

/** Evidence whose wording outsiders control, by alerts or logs; only its names count. */
export const kindsOfStrangers: ReadonlySet<EvidenceItem['kind']> =
  new Set(['alert', 'group', 'related', 'logs']);

/** Members whose text comes from whoever writes events or gives feedback. */
const membersOfStrangers: ReadonlySet<string> = new Set(['message', 'note', 'cause']);

/** Starts the title of evidence that a model asked for, so that readers can tell. */
export const askedTitle = 'Asked by the model: ';

/** Whether a model asked for the evidence: its title and its query are the model's own words. */
export function isAsked({ title }: Pick<EvidenceItem, 'title'>): boolean {
  return title.startsWith(askedTitle);
}

/**
 * The item without the model's own words; otherwise a query with a made-up label would prove what
 * is written in it. What stays of the query is its durations, and its selectors if a non-empty
 * answer shows that they match something.
 */
export function withoutOwnWords(item: EvidenceItem): EvidenceItem {
  if (!isAsked(item)) return item;
  const parts = item.query === null || item.state !== 'ok' ? null : queryParts(item.query);
  const own = parts === null ? [] : [...parts.proven, ...parts.measures];
  return { ...item, title: '', query: own.join(' ') };
}

/** Constants of a model's query, which its answer may merely repeat. */
export function ownNumbers(item: EvidenceItem): readonly number[] {
  if (!isAsked(item) || item.query === null) return [];
  return queryParts(item.query)?.constants.filter((value) => value !== 0 && value !== 1) ?? [];
}

/** What code and the sources themselves say in the item, not what outsiders or the model wrote. */
export function ownTextOf(given: EvidenceItem): string {
  if (kindsOfStrangers.has(given.kind)) return '';
  const { title, summary, query, data } = withoutOwnWords(given);
  return `${title} ${summary} ${query ?? ''} ` + JSON.stringify(data, (name, value: unknown) =>
    membersOfStrangers.has(name) || value === null ? undefined : value);
}

const namesMax = 2000;

/** Names in an item worded by outsiders: its title, names of members, and values of one word. */
export function namesOf({ kind, title, data }: EvidenceItem): string {
  const names = [kind, title];
  const walk = (value: unknown): void => {
    if (names.length > namesMax) return;
    if (typeof value === 'string' && value.length <= 128 && !/\s/.test(value)) names.push(value);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (!Array.isArray(value) && !/\s/.test(name)) names.push(name);
      walk(member);
    }
  };
  walk(data);
  return names.join(' ');
}
