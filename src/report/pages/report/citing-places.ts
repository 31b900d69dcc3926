import type { Report, Statement } from '../../report.ts';
import { hasImpact } from '../../words.ts';
import { listLengthMax } from '../elements.ts';

/** A part of the page that cites an item of evidence. */
export interface CitingPlace {
  /** Id of its element. */
  readonly anchor: string;
  readonly label: string;
}

/** Lists of a report whose elements cite evidence; the elements' ids begin with these. */
type CitingList = 'change' | 'finding' | 'hypothesis' | 'ruled-out' | 'event';

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

type Cites = readonly Pick<Statement, 'evidence'>[];

interface CitingPart extends CitingPlace {
  readonly cites: Cites;
}

function citingParts(report: Report): readonly CitingPart[] {
  const { verdict, narrative, resolution } = report;
  const part = (name: string, cites: Cites): CitingPart => ({ anchor: name, label: name, cites });
  return [
    part('verdict', verdict.reasons),
    part('resolution', resolution?.changes ?? []),
    part('reality', [report.reality]),
    part('impact', hasImpact(report) ? [report.impact] : []),
    ...elements('change', 'change', report.changes.map((each) => [each])),
    ...elements('finding', 'finding', report.findings.map((each) => [each])),
    ...elements('hypothesis', 'explanation',
      report.hypotheses.map((each) => [...each.for, ...each.against])),
    ...elements('ruled-out', 'ruled out', report.ruled_out.map((each) => [each])),
    ...elements('event', 'timeline', report.timeline.map((each) => [each])),
    part('narrative', narrative.state === 'present' ? narrative.claims : []),
  ];
}

/** The elements of one list that are on the page. */
function elements(list: CitingList, word: string, items: readonly Cites[]): CitingPart[] {
  return items.slice(0, listLengthMax).map((cites, index) =>
    ({ anchor: anchorOf(list, index + 1), label: `${word} ${index + 1}`, cites }));
}
