import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { groupBy } from '../../../lib/group-by.ts';
import type { RawSeries } from '../../../sources/prometheus-answers.ts';
import { anyOf, selector, type Matcher } from '../../../sources/promql-text.ts';
import type { Asker } from '../asking.ts';
import { labelKey } from '../matching-labels.ts';
import type { EventContext, FoundEvent } from './found-event.ts';

const beforeMs = 20 * 60_000;
const valuesMax = 30;

/**
 * The samples of the series that show something around the problem, as they were scraped: the grid
 * is up to a step late, and what happened first does not show on it. At most `budget` queries,
 * one for each metric.
 */
export async function askExactTimes(
  asker: Asker,
  sightings: readonly FoundEvent[],
  { grid, onMs, budget }: Pick<EventContext, 'grid' | 'onMs'> & { readonly budget: number },
): Promise<NonNullable<EventContext['rawOf']>> {
  const near = sightings.filter(({ atMs, sinceMs }) =>
    sinceMs !== undefined && atMs >= onMs - beforeMs);
  const byMetric = groupBy(near, ({ labels }) => labels['__name__'] ?? '');
  const asked = [...byMetric].slice(0, Math.max(0, budget)).flatMap(([name, events]) => {
    const text = selector(name, matchersFor(events.map(({ labels }) => labels)));
    const times = events.map(({ atMs }) => atMs);
    // With the last sample before, and the first after.
    const span = {
      fromMs: Math.max(Math.min(...times) - 2 * grid.stepMs, onMs - beforeMs),
      toMs: Math.max(...times),
    };
    return text === null ? [] : [asker.rawSamples('events', text, span)];
  });
  const answers = await Promise.all(asked);
  const raw = new Map(answers.flatMap((answer) => answer?.series ?? [])
    .map((series): [string, RawSeries] => [labelKey(series.labels), series]));
  return (labels) => raw.get(labelKey(labels));
}

/** Those of a few pods or instances; of many, all series of the metric are asked for. */
export function matchersFor(all: readonly LabelSet[]): Matcher[] {
  const name = ['pod', 'instance'].find((each) => all.every((labels) => labelOf(labels, each)));
  const values = new Set(all.map((labels) => labelOf(labels, name ?? '') ?? ''));
  if (name === undefined || values.size > valuesMax) return [];
  return [{ name, op: '=~', value: anyOf([...values].sort()) }];
}
