import type { EvidenceItem } from '../../report/report.ts';
import { holdsName } from './names.ts';

/** What whoever sends alerts or writes logs may have worded: it vouches for no judgement. */
const strangers: ReadonlySet<EvidenceItem['kind']> = new Set(['alert', 'group', 'related', 'logs']);

/** Sentences that send readers back to bed. */
const allClear = new RegExp(
  '\\b(?:nothing (?:is |was )?(?:wrong|to (?:do|see|mend|fix|worry))|no (?:real |actual )?' +
    '(?:problems?|issues?|action|incident)\\b|false (?:alarm|positive)|(?:is|are|looks?|seems?|' +
    'remains?|all) (?:\\w+ )?(?:fine|ok|okay|healthy|safe|harmless)|(?:can|may|should) be ' +
    '(?:safely )?(?:ignored|closed|silenced)|nobody (?:needs|has) to|(?:close|ignore) this)\\b',
  'giu',
);

/** Words of at least four letters that every sentence may have. */
const ordinary = new Set([
  'that', 'this', 'with', 'from', 'have', 'been', 'were', 'which', 'when', 'while', 'since',
  'then', 'there', 'their', 'they', 'before', 'after', 'about', 'alert', 'also', 'only', 'into',
]);
const stemLength = 5;
const sharedMin = 0.6;

/**
 * What of a sentence nothing that it cites bears out although it holds no number, time, name or
 * quote: an all-clear that no item words, or a sentence whose words are mostly in none of them.
 */
export function ungrounded(
  text: string,
  items: readonly EvidenceItem[],
  { isBare }: { readonly isBare: boolean },
): string | null {
  const measured = items.filter(({ kind }) => !strangers.has(kind));
  const corpus = measured.map(({ title, summary, query, data }) => {
    return `${title} ${summary} ${query ?? ''} ${JSON.stringify(data)}`;
  }).join('\n').toLowerCase();
  const cleared = [...text.toLowerCase().matchAll(allClear)]
    .find(([said]) => !corpus.includes(said));
  if (cleared !== undefined) return cleared[0];
  if (!isBare) return null;
  const words = [...text.toLowerCase().matchAll(/\p{L}{4,}/gu)].map(([word]) => word)
    .filter((word) => !ordinary.has(word));
  const shared = words.filter((word) => corpus.includes(word.slice(0, stemLength)));
  return shared.length >= words.length * sharedMin && words.length > 0 ? null : text;
}

const ofComponents = [
  'service', 'deployment', 'pod', 'container', 'instance', 'host', 'node', 'component', 'app',
];

/** A component that evidence which is not cited is about, and the cited does not speak of. */
export function misplaced(
  text: string,
  { known, evidence }: {
    /** What is cited and the alert, in lower case. */
    readonly known: string;
    readonly evidence: Iterable<EvidenceItem>;
  },
): string | null {
  const said = text.toLowerCase();
  for (const { data } of evidence) {
    for (const name of componentsIn(data)) {
      if (holdsName(said, name) && !holdsName(known, name)) return name;
    }
  }
  return null;
}

function componentsIn(data: unknown): string[] {
  if (typeof data !== 'object' || data === null || !('labels' in data)) return [];
  const { labels } = data;
  if (typeof labels !== 'object' || labels === null) return [];
  return Object.entries(labels).flatMap(([label, value]) => {
    return ofComponents.includes(label) && typeof value === 'string' ? [value.toLowerCase()] : [];
  });
}
