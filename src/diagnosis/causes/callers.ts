import { labelOf, type LabelSet } from '../../alert/labels.ts';
import { shownText } from '../../report/shown-text.ts';
import { movement } from '../changes/change-words.ts';
import { movedSeries, type MovedSeries } from '../changes/moved-series.ts';
import type { Judged } from '../judged.ts';

/** Another component that calls the alert's own more often than before, by its own count. */
interface Caller {
  readonly component: string;
  /** `storefront's HTTP client retries rose from 0/s to 1.8/s` */
  readonly text: string;
  readonly evidence: string;
}

/** Labels of who measures, and not of whom it calls. */
const ofPlaces: ReadonlySet<string> = new Set([
  'job', 'instance', 'namespace', 'pod', 'container', 'app', 'cluster',
]);

/** Ids of causes that say that more arrives, whatever the family calls it. */
const ofTraffic =
  /^(?:traffic|load|usual|retries|burst|more-(?:clients|load|work)|connection-peak)/u;

/** Whether a cause of the family says that more arrives. */
export function saysMoreArrives(id: string): boolean {
  return ofTraffic.test(id);
}

/**
 * Who sends more to the alert's own component: the one whose calls to it rose most, told by what it
 * counts as tried again where that rose as well. Null where nobody counts calls by whom they go to.
 */
export function callerOf(judged: Judged): Caller | null {
  const { evidence } = judged;
  const own = evidence.metrics?.ranking?.ownComponent ?? null;
  if (own === null) return null;
  const place = { ...evidence.metrics?.place?.target, ...evidence.metrics?.place?.labels };
  const job = labelOf(place, 'job');
  const isOther = (labels: LabelSet): boolean => job === null || labelOf(labels, 'job') !== job;
  const calls = movedSeries(evidence).filter(({ candidate, strength, z }) =>
    candidate.component !== own && candidate.component !== '' && z > 0 && strength !== 'weak' &&
    candidate.made === 'rate' && candidate.side === 'external' &&
    isOther(candidate.labels) && Object.entries(candidate.labels)
      .some(([name, value]) => !ofPlaces.has(name) && value === own));
  const rise = ({ before, after, replicasMoved }: MovedSeries): number =>
    (after - before) * replicasMoved;
  const first = calls.toSorted((a, b) => rise(b) - rise(a))[0];
  if (first === undefined) return null;
  const { component } = first.candidate;
  const retried = movedSeries(evidence).find(({ candidate, z, strength }) =>
    candidate.component === component && z > 0 && strength !== 'weak' &&
    /(?:^|_)retr(?:y|ies|ied)(?:_|$)/u.test(candidate.metric));
  const told = retried ?? first;
  return {
    component, evidence: told.evidence,
    text: `${shownText(component, 80)}'s ${movement(told)}`,
  };
}
