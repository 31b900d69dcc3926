import { groupBy } from '../../../lib/group-by.ts';
import type { RawSeries } from '../../../sources/prometheus-answers.ts';
import { anyOf, selector } from '../../../sources/promql-text.ts';
import type { MemoryFacts } from '../../metric-facts.ts';
import type { Asker } from '../asking.ts';
import { matchersFor } from './exact-times.ts';
import type { EventContext, FoundEvent } from './found-event.ts';
import { processIn } from './process-starts.ts';

const memoryNames = ['process_resident_memory_bytes', 'container_memory_working_set_bytes'];
const lookBackMs = 20 * 60_000;
const lookOnMs = 2 * 60_000;

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
  const near = events.filter(({ kind, atMs }) => kind === 'restart' && atMs >= onMs - lookBackMs);
  const text = selector(null, [
    { name: '__name__', op: '=~', value: anyOf(memoryNames) },
    ...matchersFor(near.map(({ labels }) => labels)),
  ]);
  if (near.length === 0 || budget < 1 || text === null) return events;
  const times = near.map(({ atMs }) => atMs);
  const answer = await asker.rawSamples('events', text, {
    fromMs: Math.min(...times) - lookBackMs, toMs: Math.max(...times) + lookOnMs,
  });
  const byProcess = groupBy(answer?.series ?? [], ({ labels }) => processIn(labels));
  return events.map((event) => {
    if (!near.includes(event)) return event;
    const [memory] = (byProcess.get(processIn(event.labels)) ?? [])
      .flatMap((series) => memoryBefore(series, event.atMs) ?? []);
    return memory === undefined ? event : { ...event, memory };
  });
}

/** It had grown to this many times what it was, by steps most of which were upward. */
const grownMin = 1.5;
const upwardMin = 0.8;
const stepsMin = 3;
/** Afterwards at most this share of it is left. */
const leftMax = 0.7;

/** How a process' memory grew until the restart at that time; null if it did not, or stayed. */
export function memoryBefore({ timesMs, values }: RawSeries, atMs: number): MemoryFacts | null {
  const samples = timesMs.map((ms, index) => ({ ms, value: values[index] ?? Number.NaN }));
  const before = samples.filter(({ ms }) => ms < atMs);
  const after = samples.find(({ ms }) => ms >= atMs);
  const peak = before.at(-1);
  if (peak === undefined || after === undefined || after.value > leftMax * peak.value) return null;
  // Back to where it began to grow, which may be the restart before.
  let foot = before.length - 1;
  while (foot > 0 && isOnTheWay(before, foot)) foot -= 1;
  const from = before[foot];
  const steps = before.slice(foot + 1).map(({ value }, index) =>
    value - (before[foot + index]?.value ?? value));
  const upward = steps.filter((step) => step > 0).length;
  if (from === undefined || steps.length < stepsMin || upward < upwardMin * steps.length) {
    return null;
  }
  return peak.value < grownMin * from.value ? null : {
    fromBytes: from.value, peakBytes: peak.value, afterBytes: after.value, sinceMs: from.ms,
  };
}

/** Whether the sample before is part of the same growth: lower, or as high but for a little. */
function isOnTheWay(
  samples: readonly { readonly ms: number; readonly value: number }[],
  index: number,
): boolean {
  const [earlier, earliest] = [samples[index - 1], samples[index - 3] ?? samples[index - 2]];
  const value = samples[index]?.value ?? 0;
  if (earlier === undefined || earlier.value > value * 1.05) return false;
  // A level that is kept is where it began.
  return earliest === undefined || earliest.value < value * 0.99 || earlier.value < value * 0.99;
}
