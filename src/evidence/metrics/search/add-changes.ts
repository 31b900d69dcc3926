import { formatQuantity } from '../../../lib/quantity.ts';
import { isoTime } from '../../../report/time-text.ts';
import type { TimeGrid } from '../../../sources/time-grid.ts';
import { noComponent } from '../../../statistics/change-candidate.ts';
import type { RankedSeries } from '../../../statistics/rank-series.ts';
import { replicaWord } from '../../../statistics/replica-collapse.ts';
import type { AddItem } from '../../ledger.ts';
import type { EventFact, RankingFacts } from '../../metric-facts.ts';
import { againMax, testsMax } from '../cause-tests.ts';
import type { FoundEvent } from '../events/found-event.ts';
import type { FactWriter } from '../fact-writer.ts';
import { isoAt, rounded, seriesData, spanOf } from '../series-data.ts';
import type { Fetched } from './fetch-candidates.ts';
import { listedLines, type Ranked } from './rank.ts';

/** Room for later items: the tests of causes and what moved back. */
export const roomKept: number = testsMax + againMax + 1;
/** Room that events leave for series that moved. */
const roomForSeries = 8;
const livesShown = 20;

interface SearchFacts {
  readonly fetched: Fetched;
  readonly ranked: Ranked;
  readonly seasonal: RankingFacts['seasonal'];
  readonly close: RankingFacts['close'];
  readonly slack: RankingFacts['slack'];
  readonly searched: string;
  /** The selector for all series of the search. */
  readonly selector: string | null;
  /** Metrics that there was no room for. */
  readonly left: readonly string[];
  readonly grid: TimeGrid;
  readonly split: number;
}

/** Adds what moved: one item for the search as a whole, one for each series worth drawing. */
export function addRanking({ ledger, add }: FactWriter, search: SearchFacts): RankingFacts {
  const { ranked, seasonal, close, slack, searched, grid } = search;
  const { ranking } = ranked;
  const evidence = addSearch(add, search);
  const evidenceOf = new Map<string, string>();
  for (const line of listedLines(ranking, ledger.room - roomKept)) {
    evidenceOf.set(line.candidate.id, addLine(add, line, search));
  }
  return {
    ranking, seasonal, close, slack, evidenceOf, evidence, searched, grid,
    ownComponent: ranked.ownComponent,
    ownOnsetIndex: ranked.ownOnsetIndex,
    isTruncated: isTruncated(search),
  };
}

function isTruncated({ fetched, left }: SearchFacts): boolean {
  return fetched.isTruncated || fetched.missing > 0 || left.length > 0;
}

function addSearch(add: AddItem, search: SearchFacts): string {
  const { ranked, searched, left, grid } = search;
  const { ranking, componentLabel, ownComponent } = ranked;
  const { compared, moved, expectedByChance, appeared, vanished } = ranking;
  const chance = Math.max(1, Math.round(expectedByChance));
  const byChance = moved === 0 ? '' : `, where chance alone would move at most ${chance}`;
  const text = compared === 0 ? 'No series had values both before and after.'
    : `${moved} of ${compared} compared series moved${byChance}.`;
  const missing = search.fetched.missing > 0
    ? ` ${search.fetched.missing} of the queries got no answer.` : '';
  return add({
    kind: 'series', title: `Search for what moved: ${searched}`,
    query: search.selector, ...spanOf(grid), warnings: search.fetched.warnings,
    state: compared === 0 ? 'empty' : 'ok', truncated: isTruncated(search),
    summary: `${text} ${appeared.length} appeared and ${vanished.length} disappeared.${missing}`,
    data: {
      compared, moved, expected_by_chance: rounded(expectedByChance), searched,
      component_label: componentLabel, own_component: ownComponent,
      components: ranking.components.slice(0, 10).map(({ component, score }) => ({
        component, score: rounded(score),
      })),
      began: appeared.slice(0, livesShown).map(({ candidate, index }) => ({
        series: candidate.id, at: isoAt(grid, index),
      })),
      ended: vanished.slice(0, livesShown).map(({ candidate, index }) => ({
        series: candidate.id, at: isoAt(grid, index),
      })),
      not_compared: left.slice(0, 40),
    },
  });
}

function addLine(add: AddItem, line: RankedSeries, search: SearchFacts): string {
  const { grid, split, ranked, seasonal } = search;
  const { candidate, before, after, onsetIndex, replicas, replicasMoved } = line;
  const derived = ranked.derivedOf.get(candidate.id);
  const unit = derived?.unit ?? null;
  const shown = (value: number): string => formatQuantity(value, unit);
  const word = replicaWord(candidate.labels);
  const many = replicas > 1 ? ` in ${replicasMoved} of ${replicas} ${word}` : '';
  // The same score as in the conclusions, which take other days into account.
  const season = seasonal.get(candidate.id);
  const z = season?.z ?? line.z;
  const usual = season?.isUsual === true ? ' It moved as far at the same time on other days.' : '';
  const closeMs = search.close.get(candidate.id)?.onsetMs;
  const whose = candidate.component === noComponent ? '' : ` of ${candidate.component}`;
  const what = `${derived?.what ?? ''} ${candidate.metric}${whose}`.trim();
  return add({
    kind: 'series', title: what, query: derived?.query ?? null, ...spanOf(grid),
    summary: `From ${shown(before)} to ${shown(after)}${many}, z ${z.toFixed(1)}.${usual}`,
    data: seriesData(
      {
        labels: candidate.labels, unit, grid, split,
        values: derived?.values ?? candidate.values,
      },
      {
        before: rounded(before), after: rounded(after), z: rounded(z),
          onset: closeMs != null ? isoTime(closeMs)
            : onsetIndex === null ? null : isoAt(grid, onsetIndex),
          ...(derived?.made === 'rate' && { is_rate: true }),
      },
    ),
  });
}

/** Adds an item for each event, as long as there is room. */
export function addEvents({ ledger, add }: FactWriter, events: readonly FoundEvent[]): EventFact[] {
  return events.slice(0, Math.max(0, ledger.room - roomKept - roomForSeries)).map((event) => {
    const { query, count, ...fact } = event;
    const at = isoTime(event.atMs);
    const evidence = add({
      kind: 'events', title: event.text, query,
      summary: `${event.text} at ${at}.`,
      data: {
        kind: event.kind, at, before: event.before, after: event.after, labels: event.labels,
        series: count,
      },
    });
    return { ...fact, evidence };
  });
}
