import { groupBy } from '../../../lib/group-by.ts';
import type { RawSeries } from '../../../sources/prometheus-answers.ts';
import { anyOf, selector } from '../../../sources/promql-text.ts';
import { growthUntil } from '../../../statistics/growth.ts';
import type { MemoryFacts } from '../../metric-facts.ts';
import type { Asker } from '../asking.ts';
import { matchersFor } from './exact-times.ts';
import type { EventContext, FoundEvent } from './found-event.ts';
import { processIn } from './process-starts.ts';

const memoryNames = ['process_resident_memory_bytes', 'container_memory_working_set_bytes'];
const searchBeforeMs = 20 * 60_000;
const searchAfterMs = 2 * 60_000;

/**
 * Adds to each restart near the problem how the memory of its process had grown before it, where
 * it had. One query, of the samples as they were scraped: a leak that is fast fills its limit
 * within a few minutes.
 */
export async function withMemory(
  asker: Asker,
  events: readonly FoundEvent[],
  { onMs, budget }: Pick<EventContext, 'onMs'> & { readonly budget: number },
): Promise<readonly FoundEvent[]> {
  const near = events.filter(({ kind, atMs }) =>
    kind === 'restart' && atMs >= onMs - searchBeforeMs);
  const text = selector(null, [
    { name: '__name__', op: '=~', value: anyOf(memoryNames) },
    ...matchersFor(near.map(({ labels }) => labels)),
  ]);
  if (near.length === 0 || budget < 1 || text === null) return events;
  const times = near.map(({ atMs }) => atMs);
  const answer = await asker.rawSamples('events', text, {
    fromMs: Math.min(...times) - searchBeforeMs, toMs: Math.max(...times) + searchAfterMs,
  });
  const byProcess = groupBy(answer?.series ?? [], ({ labels }) => processIn(labels));
  return events.map((event) => {
    if (!near.includes(event)) return event;
    const [memory] = (byProcess.get(processIn(event.labels)) ?? [])
      .flatMap((series) => memoryBefore(series, event.atMs) ?? []);
    return memory === undefined ? event : { ...event, memory };
  });
}

/** Afterwards at most this share of it is left. */
const leftMax = 0.7;

/** How a process' memory grew until the restart at that time; null if it did not, or stayed. */
export function memoryBefore({ timesMs, values }: RawSeries, atMs: number): MemoryFacts | null {
  const samples = timesMs.map((ms, index) => ({ atMs: ms, value: values[index] ?? Number.NaN }));
  const growth = growthUntil(samples.filter((each) => each.atMs < atMs));
  const after = samples.find((each) => each.atMs >= atMs);
  if (growth === null || after === undefined) return null;
  const { foot, top } = growth;
  return after.value > leftMax * top.value ? null : {
    fromBytes: foot.value, peakBytes: top.value, afterBytes: after.value, sinceMs: foot.atMs,
  };
}
