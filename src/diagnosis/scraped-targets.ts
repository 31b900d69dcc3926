import { labelOf, type LabelSet } from '../alert/labels.ts';
import type { Outage, ScrapeFacts } from '../evidence/metric-facts.ts';
import { groupBy } from '../lib/group-by.ts';
import { formatDuration } from '../lib/quantity.ts';
import { placeOf } from '../report/alert-place.ts';
import { shownText } from '../report/shown-text.ts';
import { utcText } from '../report/time-text.ts';
import type { Situation } from './situation.ts';
import type { Moment } from './timeline/moment.ts';

const namedMax = 5;
const outagesMax = 3;
/** An outage that ended longer than this before the problem began is unrelated. */
const beforeMs = 3_600_000;

/** Recording rules on `up` are named after it. */
const upName = /(?:^|:)up\d?(?::|$)/u;

/** Whether the rule is on targets being up. */
export function isOnTargets({ evidence: { rule } }: Situation): boolean {
  return rule?.metrics.some((name) => upName.test(name)) === true;
}

/** Which targets cannot be scraped, and which could not for a while around the problem's start. */
export function scrapedTexts(
  { up, total, down, outages }: ScrapeFacts,
  { evidence, now }: Situation,
): string[] {
  const texts = up < total ? [downText(total - up, total, down)] : [];
  const onMs = evidence.metrics?.window.onMs ?? now;
  const over = outages.flatMap(({ labels, fromMs, toMs }) => {
    if (toMs === null || !isRecent(toMs, onMs)) return [];
    const long = formatDuration((toMs - fromMs) / 1000);
    return [`${targetName(labels)} could not be scraped for ${long} from ${utcText(fromMs, now)}.`];
  });
  return [...texts, ...over.slice(-outagesMax)];
}

function downText(count: number, total: number, down: readonly LabelSet[]): string {
  const names = down.slice(0, namedMax).map(targetName);
  if (total === 1) {
    const [name] = names;
    return `Its only target${name === undefined ? '' : `, ${name},`} cannot be scraped.`;
  }
  const more = count - names.length;
  const listed = more > 0 ? [...names, `${more} more`] : names;
  const list = names.length === 0 ? '' : `: ${listed.join(', ')}`;
  if (count === total) return `None of the ${total} targets can be scraped${list}.`;
  return `${count} of ${total} targets cannot be scraped${list}.`;
}

/** When targets stopped answering and answered again; targets of one moment share an entry. */
export function scrapedMoments({ evidence }: Situation): Moment[] {
  const { scrape, window } = evidence.metrics ?? {};
  if (!scrape || !window) return [];
  const cited = scrape.evidence[0] ?? '';
  const known = scrape.outages.filter(({ toMs }) => isRecent(toMs, window.onMs));
  const entries = (pick: (outage: Outage) => number | null, what: string): Moment[] =>
    [...groupBy(known, pick)].flatMap(([at, outages]): Moment[] => {
      if (at === null) return [];
      const who = outages.length === 1 ? targetName(outages[0].labels)
        : `${outages.length} targets`;
      return [{ at, kind: 'change', text: `${who} ${what}.`, evidence: cited }];
    });
  return [
    ...entries(({ fromMs }) => fromMs, 'cannot be scraped').slice(-outagesMax),
    ...entries(({ toMs }) => toMs, 'can be scraped again').slice(-outagesMax),
  ];
}

function isRecent(toMs: Outage['toMs'], onMs: number): boolean {
  return toMs === null || toMs >= onMs - beforeMs;
}

/** `10.0.3.17:8080` */
export function targetName(labels: LabelSet): string {
  const instance = shownText(labelOf(labels, 'instance') ?? '', 80);
  return instance || placeOf(labels) || 'A target';
}
