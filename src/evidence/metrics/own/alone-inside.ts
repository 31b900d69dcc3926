import { labelOf, type LabelSet } from '../../../alert/labels.ts';
import { parsePromql, selectorsIn } from '../../../lib/promql/promql-tree.ts';
import type { InstantAnswer } from '../../../sources/prometheus-answers.ts';
import { selector } from '../../../sources/promql-text.ts';
import { familiarLabels } from '../../../statistics/familiar-labels.ts';
import type { AlertPlace } from '../../place.ts';
import type { Asker } from '../asking.ts';
import { exactMatchers } from '../matching-labels.ts';

const labelsMax = 4;
/** Where a component is; the series of its other parts have these as well. */
const homeLabels = ['namespace', 'job', 'service'];

/** A value that all series have which make up the alert's. */
export interface Alone {
  readonly label: string;
  readonly value: string;
  /** Number of values that the label has among all series of the metric. */
  readonly of: number;
}

/**
 * Asks whether what all series inside an aggregation share separates them from the others of their
 * metric, as it does if all errors are of one path.
 */
export async function askAlone(
  asker: Asker,
  { inner, group, series, place, firedMs }: {
    readonly inner: string; readonly group: LabelSet; readonly series: InstantAnswer['samples'];
    readonly place: AlertPlace; readonly firedMs: number;
  },
): Promise<Alone[]> {
  const tree = parsePromql(inner);
  const [read, ...others] = tree === null ? [] : selectorsIn(tree);
  if (read === undefined || others.length > 0 || series.length === 0) return [];
  // What the rule selects says nothing that it does not say.
  const fixed = new Set(read.matchers.flatMap(({ sign, label }) => (sign === '=' ? label : [])));
  const shared = familiarLabels(series.map(({ labels }) => labels)).flatMap((label) => {
    const [value = '', ...rest] = new Set(series.map(({ labels }) => labelOf(labels, label) ?? ''));
    const isPart = !fixed.has(label) && !Object.hasOwn(group, label) &&
      labelOf(place.target, label) === null && /^[a-zA-Z_]\w*$/u.test(label);
    return isPart && value !== '' && rest.length === 0 ? [{ label, value }] : [];
  }).slice(0, labelsMax);
  const all = selector(read.metric, exactMatchers(place.labels, homeLabels));
  if (shared.length === 0 || read.metric === null || all === null) return [];
  const names = shared.map(({ label }) => label).join(', ');
  const answer = await asker.query('inside', `count by (${names}) (${all})`, firedMs);
  return shared.flatMap(({ label, value }) => {
    const values = new Set(answer?.samples.map(({ labels }) => labelOf(labels, label) ?? ''));
    values.delete('');
    return values.size > 1 ? [{ label, value, of: values.size }] : [];
  });
}
