import {
  allParts, bare, parsePromql, selectorsIn, type Node,
} from '../../lib/promql/promql-tree.ts';
import type { EvidenceItem } from '../../report/report.ts';

/** Evidence whose wording outsiders control, by alerts or logs; only its names count. */
export const kindsOfStrangers: ReadonlySet<EvidenceItem['kind']> =
  new Set(['alert', 'group', 'related', 'logs']);

/** Members whose text comes from whoever writes events or gives feedback. */
const membersOfStrangers: ReadonlySet<string> = new Set(['message', 'note', 'cause']);

/** Starts the title of evidence that a model asked for, so that readers can tell. */
export const askedTitle = 'Asked by the model: ';

/** Whether a model asked for the evidence: its title and its query are the model's own words. */
export function isAsked({ role }: Pick<EvidenceItem, 'role'>): boolean {
  return role === 'asked_by_model' || role === 'query_of_model';
}

/** The item without the model's own words, which would prove whatever is written in them. */
export function withoutOwnWords(item: EvidenceItem): EvidenceItem {
  return isAsked(item) ? { ...item, title: '', query: null } : item;
}

const comparing: ReadonlySet<string> = new Set(['==', '!=', '>', '>=', '<', '<=']);
/** Factors by which units differ. */
const factors: ReadonlySet<number> = new Set([
  1, 7, 8, 10, 24, 60, 100, 1000, 1024, 3600, 86_400, 1024 ** 2, 1024 ** 3, 1e6, 1e9,
]);

/** Whether the answer to a model's query may be a number that the model put into it. */
export function isMadeUp(item: EvidenceItem): boolean {
  const tree = isAsked(item) && item.query !== null ? parsePromql(item.query) : null;
  if (tree === null) return false;
  const parts = allParts(tree);
  const binaries = parts.filter((part) => part.kind === 'binary');
  const harmless = [
    // Ranks of quantiles, counts of topk and the like.
    ...parts.flatMap((part) =>
      part.kind === 'call' && !/^(?:clamp|vector)/u.test(part.name) ? part.arguments : []),
    ...binaries.flatMap(({ operator, left, right }) => [[left, right], [right, left]].flatMap(
      ([side, other]) => side !== undefined && other !== undefined && isHarmless(
        bare(side), operator, selectorsIn(other).length > 0,
      ) ? [side] : [],
    )),
  ].map(bare);
  const isFilled = binaries.some(({ matching }) => matching.some(({ kind }) => kind === 'number'));
  return isFilled || parts.some((part) => part.kind === 'number' && !harmless.includes(part));
}

/** Whether a constant beside something measured leaves it recognisable, as in `1 - a / b`. */
function isHarmless(side: Node, operator: string, isBesideMeasured: boolean): boolean {
  if (side.kind !== 'number' || !isBesideMeasured) return false;
  if (comparing.has(operator)) return true;
  if (operator === '-') return side.value === 1;
  return (operator === '*' || operator === '/') && factors.has(side.value);
}

/** What code and the sources themselves say in the item, not what outsiders or the model wrote. */
export function ownTextOf(given: EvidenceItem): string {
  if (kindsOfStrangers.has(given.kind)) return '';
  const { title, summary, query, data } = withoutOwnWords(given);
  return `${title} ${summary} ${query ?? ''} ` + JSON.stringify(data, (name, value: unknown) =>
    membersOfStrangers.has(name) || value === null ? undefined : value);
}

/** All that an item says, without the model's own words. */
export function wholeTextOf(given: EvidenceItem): string {
  const { title, summary, query, data } = withoutOwnWords(given);
  return `${title} ${summary} ${query ?? ''} ${JSON.stringify(data)}`;
}
