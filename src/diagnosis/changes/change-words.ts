import { labelOf } from '../../alert/labels.ts';
import { finite } from '../../lib/finite.ts';
import { formatQuantity } from '../../lib/quantity.ts';
import { inShownUnit } from '../../lib/unit-sizes.ts';
import type { ChangeVerb } from '../../report/kinds.ts';
import { shownText } from '../../report/shown-text.ts';
import { isoTime } from '../../report/time-text.ts';
import { noComponent, type ChangeCandidate } from '../../statistics/change-candidate.ts';
import { replicaWord } from '../../statistics/replica-collapse.ts';
import { notableZ } from '../../statistics/strength.ts';
import { metricPhrase } from './metric-phrase.ts';
import type { MovedSeries } from './moved-series.ts';

/** A change's two values, in one of the report's units. */
interface ChangedValues {
  readonly before: number | null;
  readonly after: number | null;
  readonly unit: string | null;
}

/** Values and unit of a ranked series, as the report has them. */
export function changedValues({ candidate, before, after }: MovedSeries): ChangedValues {
  const [unit, factor] = reportedUnit(candidate);
  return { before: finite(before * factor), after: finite(after * factor), unit };
}

/** A value of the candidate in words, with its unit. */
export function shownValue(candidate: ChangeCandidate, value: number | null): string {
  const [unit, factor] = reportedUnit(candidate);
  return withUnit(value === null ? null : finite(value * factor), unit);
}

/** Reports use seconds, bytes, bits per second and cores, whatever unit a metric is stored in. */
function reportedUnit({ unit }: ChangeCandidate): readonly [unit: string | null, factor: number] {
  if (unit === 'millicores') return ['cores', 1e-3];
  const known = unit === null ? null : inShownUnit(unit);
  return known === null ? [unit, 1] : [known.base, known.size];
}

/** `orders-db connections rose from 40 to 198`, without a full stop. */
export function changeTitle(series: MovedSeries): string {
  return ofComponent(series.candidate.component, movement(series));
}

/** The text with the component's name in front, where it has one. */
export function ofComponent(component: string, withUnit: string): string {
  return component === noComponent ? withUnit : `${shownText(component, 80)} ${withUnit}`;
}

/** A component's name in a list of several. */
export function componentName(component: string): string {
  return component === noComponent ? 'series without a component' : shownText(component, 80);
}

/** What the words of its movement say it did. */
export function verbOf(series: MovedSeries): ChangeVerb {
  const { isState, isUsual } = series;
  const { before, after, unit } = changedValues(series);
  const [from, to] = [withUnit(before, unit), withUnit(after, unit)];
  if (isUsual) return 'went';
  if (from === to) return 'stayed';
  if (!isNotable(series)) return hasHardlyMoved(series) ? 'hardly_moved' : 'went';
  return isState ? 'went' : (after ?? 0) >= (before ?? 0) ? 'rose' : 'fell';
}

/** `connections rose from 40 to 198`, without the component's name. */
export function movement(series: MovedSeries): string {
  const { candidate, replicas, replicasMoved, isUsual, isWhole, seenAtMs } = series;
  const { before, after, unit } = changedValues(series);
  const [from, to] = [withUnit(before, unit), withUnit(after, unit)];
  const verb = verbOf(series);
  const what = metricPhrase(candidate);
  const many = `${replicasMoved} of ${replicas} ${replicaWord(candidate.labels)}`;
  const which = replicasMoved === 1 ? replicaName(candidate.labels) : null;
  // Where none moved, the values are those of a middling one.
  const where = replicas > 1 && replicasMoved > 0
    ? ` on ${many}${which === null ? '' : ` (${which})`}` : '';
  if (isUsual) return `${what} went from ${from} to ${to}${where}, as on other days at this hour`;
  if (verb === 'stayed') {
    return `${what} ${isSteady(candidate) ? 'stayed at' : 'was mostly'} ${to}${where}`;
  }
  if (verb === 'hardly_moved') return `${what} hardly moved, from ${from} to ${to}${where}`;
  if (!isNotable(series)) {
    return `${what} went from ${from} to ${to}${where}, but varied before as well`;
  }
  const at = isWhole && seenAtMs !== null ? ` at ${isoTime(seenAtMs).slice(11, 19)} UTC` : '';
  return `${what} ${verb} from ${from} to ${to}${where}${at}`;
}

/** A number of things that is far off is so, however lately it changed. */
function isNotable({ windowZ, isWhole, before, after, scale }: MovedSeries): boolean {
  return Math.abs(windowZ) >= notableZ || (isWhole && Math.abs(after - before) >= notableZ * scale);
}

/** A larger share than this moved visibly, however little that is for a series that varies. */
const hardlyMovedMax = 0.1;

function hasHardlyMoved({ before, after }: MovedSeries): boolean {
  return Math.abs(after - before) <= hardlyMovedMax * Math.max(Math.abs(before), Math.abs(after));
}

/** Whether all of its values look the same; those of a single event in all the time do not. */
function isSteady(candidate: ChangeCandidate): boolean {
  const known = candidate.values.filter(Number.isFinite);
  const lowest = known.reduce((least, value) => Math.min(least, value), Infinity);
  const highest = known.reduce((most, value) => Math.max(most, value), -Infinity);
  return shownValue(candidate, lowest) === shownValue(candidate, highest);
}

/** The one replica that a series is about, where its labels name it. */
function replicaName(labels: ChangeCandidate['labels'] = {}): string | null {
  if (Object.hasOwn(labels, 'cpu')) return null;
  const name = labelOf(labels, 'pod') ?? labelOf(labels, 'instance') ?? '';
  return name === '' ? null : shownText(name, 80);
}

function withUnit(value: number | null, unit: string | null): string {
  return value === null ? 'nothing' : formatQuantity(value, unit);
}
