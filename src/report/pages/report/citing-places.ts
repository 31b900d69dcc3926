import type { Report, Statement } from '../../report.ts';

/** A part of the page that rests on an item of evidence. */
export interface CitingPlace {
  /** Id of the element. */
  readonly anchor: string;
  readonly label: string;
}

type Cites = Pick<Statement, 'evidence'>;

/** Ids of the elements of a report's page that cite evidence; numbers begin at 1. */
export const anchors: {
  readonly change: (number: number) => string;
  readonly finding: (number: number) => string;
  readonly hypothesis: (number: number) => string;
  readonly ruledOut: (number: number) => string;
  readonly event: (number: number) => string;
} = {
  change: (number) => `change-${number}`,
  finding: (number) => `finding-${number}`,
  hypothesis: (number) => `hypothesis-${number}`,
  ruledOut: (number) => `ruled-out-${number}`,
  event: (number) => `event-${number}`,
};

/** For each id of evidence the places that cite it, from the top of the page to its end. */
export function citingPlaces(report: Report): ReadonlyMap<string, readonly CitingPlace[]> {
  const places = new Map<string, CitingPlace[]>();
  for (const { anchor, label, cites } of citations(report)) {
    for (const id of new Set(cites.flatMap(({ evidence }) => evidence))) {
      const known = places.get(id) ?? [];
      if (known.length < placesMax) known.push({ anchor, label });
      places.set(id, known);
    }
  }
  return places;
}

/** Places listed for one item. */
const placesMax = 20;

/** Elements of one list that are on the page, as `listItems` shows them. */
const shownMax = 100;

interface Citing extends CitingPlace {
  readonly cites: readonly Cites[];
}

function* citations(report: Report): Iterable<Citing> {
  const { verdict, narrative, resolution } = report;
  yield { anchor: 'verdict', label: 'verdict', cites: verdict.reasons };
  yield { anchor: 'reality', label: 'reality', cites: [report.reality] };
  yield { anchor: 'impact', label: 'impact', cites: [report.impact] };
  yield* numbered(report.changes, 'change', (change) => [change]);
  yield* numbered(report.findings, 'finding', (finding) => [finding]);
  yield* numbered(report.hypotheses, 'hypothesis', (each) => [...each.for, ...each.against]);
  yield* numbered(report.ruled_out, 'ruledOut', (each) => [each]);
  yield* numbered(report.timeline, 'event', (entry) => [entry]);
  if (narrative.state === 'present') {
    yield { anchor: 'narrative', label: 'narrative', cites: narrative.claims };
  }
  if (resolution !== null) {
    yield { anchor: 'resolution', label: 'resolution', cites: resolution.changes };
  }
}

const labels: Readonly<Record<keyof typeof anchors, string>> = {
  change: 'change', finding: 'finding', hypothesis: 'explanation', ruledOut: 'ruled out',
  event: 'timeline',
};

function* numbered<T>(
  items: readonly T[],
  kind: keyof typeof anchors,
  citesOf: (item: T) => readonly Cites[],
): Iterable<Citing> {
  for (const [index, item] of items.slice(0, shownMax).entries()) {
    const number = index + 1;
    const label = `${labels[kind]} ${number}`;
    yield { anchor: anchors[kind](number), label, cites: citesOf(item) };
  }
}
