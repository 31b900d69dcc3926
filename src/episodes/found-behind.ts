import { clusterLabels, labelOf, type LabelSet } from '../alert/labels.ts';
import { isKnownLabel } from '../alert/similarity.ts';
import type { Found } from '../incidents/found.ts';
import { isEstablished } from '../report/certainty.ts';
import type { FaultKind, PathHop } from '../report/path.ts';
import { hopText } from '../report/path-text.ts';
import { shorten } from '../report/plain-text.ts';
import type { Report } from '../report/report.ts';
import { momentOf } from '../report/time-text.ts';

const textLengthMax = 200;
const valueLengthMax = 200;
/** Hops between the alert's own thing and the origin that are kept at most. */
const wayMax = 4;

/** Faults that only say that requests go wrong, and not why. */
const symptoms: ReadonlySet<FaultKind> = new Set(['fails', 'slow', 'waiting']);
/** Things beside it that are kept at most. */
const besideMax = 6;

/** What a report's path tells incidents; null if nothing is known to fail or to work. */
export function foundBehind(report: FoundIn): Found | null {
  const { path, updated_at: at, episode } = report;
  const [first] = path?.hops ?? [];
  if (!path || first === undefined) return null;
  const origin = path.hops[path.origin ?? -1];
  const ends = path.hops.filter(({ relation }, at) => relation === 'primary' &&
    path.hops[at - 1]?.faults.some(({ kind }) => kind === 'link_down') === true);
  // Either end of a link may raise an alert.
  const beside = [...ends, ...path.beside ?? []].slice(0, besideMax);
  const moment = first.since ?? path.beside?.[0]?.since;
  const around = {
    ...beside.length > 0 && { beside: beside.map(namedBy) },
    ...moment !== undefined && { moment },
    ...isExplainedAt(first, report) && { isExplained: true as const },
  };
  if (origin === undefined) {
    const works = { own: namedBy(first), origin: null, way: [], name: '', text: '', since: null };
    // What works after the end may have failed before.
    const isWorking = first.state === 'innocent' && episode.state === 'firing';
    if (isWorking && (beside.length === 0 || isSeenToWork(first))) return works;
    return beside.length === 0 ? null : { ...works, ...around, isUnknown: true };
  }
  const way = path.hops.slice(1, path.origin ?? 0).filter(({ state }) => state === 'failing');
  return {
    own: namedBy(first), origin: namedBy(origin), way: way.slice(-wayMax).map(namedBy),
    name: shorten(origin.component, textLengthMax),
    text: shorten(hopText(origin, momentOf(at, 0)), textLengthMax),
    since: origin.since, ...around,
    ...origin.faults.every(({ kind }) => symptoms.has(kind)) && { isSymptom: true as const },
  };
}

type FoundIn = Pick<Report, 'path' | 'updated_at' | 'episode' | 'hypotheses'>;

/** Answers to scrapes, or some requests that succeed, do not tell that the alert's own do. */
function isSeenToWork({ works }: PathHop): boolean {
  return works?.is_reached === true || works?.answers_probe === true;
}

/** Whether the leading cause is established and lies in the alert's own thing. */
function isExplainedAt(
  { component }: PathHop, { hypotheses: [leading] }: Pick<Report, 'hypotheses'>,
): boolean {
  return leading !== undefined && isEstablished(leading) && leading.kind !== 'path' &&
    leading.kind !== 'same_problem' && leading.about?.includes(component) === true;
}

/** Labels by which others may call it as well; where no label does, its name is its service. */
function namedBy({ component, labels }: Pick<PathHop, 'component' | 'labels'>): LabelSet {
  const kept = Object.keys(labels).flatMap((name): [string, string][] => {
    const value = labelOf(labels, name) ?? '';
    const isKept = (isKnownLabel(name) || clusterLabels.includes(name)) && name !== 'severity';
    return isKept && value !== '' && value.length <= valueLengthMax ? [[name, value]] : [];
  });
  const isCalled = kept.some(([name]) => name === 'service');
  // One of its instances has its address in its name.
  const name = component.replace(` ${labelOf(labels, 'instance') ?? ''}`, '');
  return Object.fromEntries(
    isCalled ? kept : [...kept, ['service', shorten(name, valueLengthMax)]]);
}
