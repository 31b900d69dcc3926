import type { HopFault, Path, PathHop } from '../../../report/path.ts';
import { momentOf } from '../../../report/time-text.ts';
import { lastTimeOf } from '../../../sources/time-grid.ts';
import type { FactWriter } from '../fact-writer.ts';
import { rounded, notesOf, spanOf } from '../series-data.ts';
import type { FoundPath } from './ask-path.ts';
import type { CallsTo } from './calls.ts';
import type { PathView } from './views.ts';

const itemsMax = 8;
const callsShown = 40;

/** A cause may be seen this much later than its effect, by another scrape. */
const laterMsMax = 60_000;

/**
 * Adds an item for each thing that the path rests on; null if it has no hops. What began to fail
 * only after the problem, which began at `onMs`, is not its origin.
 */
export function addPath(
  writing: FactWriter,
  { hops, beside }: FoundPath,
  onMs: number,
): Path | null {
  if (hops.length === 0) return null;
  const ids = new Map<PathView, string>();
  const shownViews = [...hops.flatMap(({ views }) => views), ...beside.map(({ view }) => view)];
  for (const view of new Set(shownViews)) {
    if (writing.ledger.room <= 0 || ids.size >= itemsMax) break;
    ids.set(view, addView(writing, view));
  }
  const shown = hops.map(({ views, ...hop }): PathHop => ({
    ...hop, faults: hop.faults.map(shortFault),
    evidence: [...new Set(views.flatMap((view) => ids.get(view) ?? []))],
  }));
  const origin = originIn(shown);
  const sinceMs = momentOf(shown[origin]?.since ?? null, Infinity);
  return {
    hops: shown, origin: sinceMs <= onMs + laterMsMax ? origin : null,
    beside: beside.map(({ view, ...each }) => ({
      ...each, faults: each.faults.map(shortFault), evidence: [ids.get(view) ?? []].flat(),
    })),
  };
}

/**
 * The last that fails, or who calls it more often than before, with what follows from that. But
 * what fails is tried again.
 */
function originIn(hops: readonly PathHop[]): number {
  const repeats = hops.findIndex(({ faults }, at) => faults.some(({ kind, what }) => {
    const called = hops[at + 1];
    return kind === 'repeats' && what !== null && called?.component.startsWith(what) === true &&
      !called.faults.some(({ kind: its }) => its === 'fails');
  }));
  return repeats >= 0 ? repeats : hops.findLastIndex(({ state }) => state === 'failing');
}

function shortFault(fault: HopFault): HopFault {
  return {
    ...fault, value: short(fault.value), before: short(fault.before), limit: short(fault.limit),
    ...fault.rate !== undefined && {
      rate: short(fault.rate), rate_before: short(fault.rate_before ?? null),
    },
  };
}

function short(value: number | null): number | null {
  return value === null ? null : rounded(value);
}

function addView(
  { add }: FactWriter,
  { thing, query, answer, counters, listed, waiting,
    title = `Whom ${thing.name} calls, and how it is` }: PathView,
): string {
  const faultsOf = ({ faults: failing, slow }: CallsTo): HopFault[] =>
    [...failing, ...(slow === null ? [] : [slow.fault])];
  const faults = [...listed, ...waiting, ...counters.faults, ...counters.calls.flatMap(faultsOf)];
  const { grid } = answer;
  return add({
    kind: 'series', title, query, ...notesOf(answer),
    ...spanOf({ ...grid, count: Math.max(1, grid.count) }),
    state: answer.series.length === 0 ? 'empty' : 'ok',
    summary: answer.series.length === 0 ? 'The query returned nothing.'
      : `${answer.series.length} series up to ${new Date(lastTimeOf(grid)).toISOString()}: ` +
        `${counters.calls.length} it calls or is called by, ${faults.length} faults.`,
    data: {
      calls: counters.calls.slice(0, callsShown).map((calls) => ({
        to: calls.edge.to?.name ?? calls.edge.value, label: calls.edge.label, by: calls.edge.by,
        is_caller: calls.edge.isCaller, successes: short(calls.successes), faults: faultsOf(calls),
      })),
      faults: [...listed, ...counters.faults, ...waiting],
    },
  });
}
