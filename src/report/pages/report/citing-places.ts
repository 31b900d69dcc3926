import type { Report, Statement } from '../../report.ts';
import { listLengthMax } from '../elements.ts';

/** A part of the page that cites an item of evidence. */
export interface CitingPlace {
  /** Id of its element. */
  readonly anchor: string;
  readonly label: string;
}

/** Lists of a report whose elements cite evidence; the elements' ids begin with these. */
export type CitingList = 'change' | 'finding' | 'hypothesis' | 'ruled-out' | 'event';

/** Id of a list's element; numbers start at 1. */
export function anchorOf(list: CitingList, number: number): string {
  return `${list}-${number}`;
}

/** Limit of places listed for one item. */
const placesMax = 20;

/** The places that cite each item of evidence, in the order of the page. */
export function citingPlaces(report: Report): ReadonlyMap<string, readonly CitingPlace[]> {
  const places = new Map<string, CitingPlace[]>();
  for (const { anchor, label, cites } of citingParts(report)) {
    for (const id of new Set(cites.flatMap(({ evidence }) => evidence))) {
      const known = places.get(id) ?? [];
      if (known.length < placesMax) known.push({ anchor, label });
      places.set(id, known);
    }
  }
  return places;
}

type Cites = Pick<Statement, 'evidence'>;

interface CitingPart extends CitingPlace {
  readonly cites: readonly Cites[];
}

function* citingParts(report: Report): Iterable<CitingPart> {
  const { verdict, narrative, resolution } = report;
  yield { anchor: 'verdict', label: 'verdict', cites: verdict.reasons };
  yield { anchor: 'reality', label: 'reality', cites: [report.reality] };
  yield { anchor: 'impact', label: 'impact', cites: [report.impact] };
  yield* elements(report.changes, 'change', (change) => [change]);
  yield* elements(report.findings, 'finding', (finding) => [finding]);
  yield* elements(report.hypotheses, 'hypothesis', (each) => [...each.for, ...each.against]);
  yield* elements(report.ruled_out, 'ruled-out', (each) => [each]);
  yield* elements(report.timeline, 'event', (entry) => [entry]);
  if (narrative.state === 'present') {
    yield { anchor: 'narrative', label: 'narrative', cites: narrative.claims };
  }
  if (resolution !== null) {
    yield { anchor: 'resolution', label: 'resolution', cites: resolution.changes };
  }
}

const labels: Readonly<Record<CitingList, string>> = {
  change: 'change', finding: 'finding', hypothesis: 'explanation', 'ruled-out': 'ruled out',
  event: 'timeline',
};

/** The elements of one list that are on the page. */
function* elements<T>(
  items: readonly T[],
  list: CitingList,
  citesOf: (item: T) => readonly Cites[],
): Iterable<CitingPart> {
  for (const [index, item] of items.slice(0, listLengthMax).entries()) {
    const number = index + 1;
    const label = `${labels[list]} ${number}`;
    yield { anchor: anchorOf(list, number), label, cites: citesOf(item) };
  }
}
