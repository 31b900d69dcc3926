import { labelOf } from '../../../alert/labels.ts';
import type { InstantAnswer } from '../../../sources/prometheus-answers.ts';
import type { FailedScrape } from '../../../sources/prometheus-targets.ts';
import type { ScrapeFacts, SharedOutage } from '../../metric-facts.ts';
import { onlyOfAlert } from '../alike.ts';
import type { FactWriter } from '../fact-writer.ts';
import type { Question } from '../question.ts';
import { sharedOutageOf } from './shared-outage.ts';

/** The targets of an alert as they are now, which a line over hours shows too coarsely. */
export interface TargetsNow {
  /** Null if there was no answer. */
  readonly up: InstantAnswer | null;
  /** Why those that are down cannot be scraped, as far as the server says. */
  readonly failed: readonly FailedScrape[];
  /** What the first that is down shares with others that are; null if nothing, or if unknown. */
  readonly shared: SharedOutage | null;
}

/** Nothing is concluded from a server with more targets than an answer holds. */
const everyTarget = 'up';

const failedMax = 20;

export async function askTargets(
  { asker, labels, alternatives, now }: Question,
  up: string,
): Promise<TargetsNow> {
  const answer = onlyOfAlert(await asker.query('scrape', up, now), labels, alternatives);
  const down = answer?.samples.filter(({ value }) => value === 0) ?? [];
  const [first] = down;
  if (first === undefined) return { up: answer, failed: [], shared: null };
  const everywhere = asker.query('scrape', everyTarget, now);
  const isDown = ({ labels }: FailedScrape): boolean => down.some((sample) =>
    ['job', 'instance'].every((name) => labelOf(sample.labels, name) === labelOf(labels, name)));
  const find = async (pool: string | null): Promise<readonly FailedScrape[]> =>
    (await asker.failedScrapes(pool))?.filter(isDown) ?? [];
  // A pool is called like its job, except by an operator; all targets may be many megabytes.
  const ofPool = await find(labelOf(first.labels, 'job'));
  const failed = ofPool.length > 0 ? ofPool : await find(null);
  const all = await everywhere;
  const isWhole = all !== null && all.omitted === 0;
  return {
    up: answer, failed: failed.slice(0, failedMax),
    shared: isWhole ? sharedOutageOf(all.samples, first.labels) : null,
  };
}

/** Adds why targets cannot be scraped; null if the server does not say. */
export function addFailedScrapes(
  writing: FactWriter,
  scrapes: readonly FailedScrape[],
): ScrapeFacts['failed'] {
  const [first] = scrapes;
  if (first === undefined) return null;
  const more = scrapes.length === 1 ? '' : `, and ${scrapes.length - 1} more`;
  const evidence = writing.add({
    kind: 'series', title: 'Why targets cannot be scraped',
    summary: `${labelOf(first.labels, 'instance') ?? 'A target'}: ${first.error}${more}.`,
    data: scrapes.map(({ labels, error }) => ({ labels, error })),
  });
  return { scrapes, evidence };
}
