/** Two series that count the same things: how many there should be and how many there are. */
export interface CountedPair {
  /** What is counted, to follow a number: `replicas available`. */
  readonly words: string;
  /** The rule compares the wanted with the actual number, not the reverse. */
  readonly isWholeCompared: boolean;
  /** The wanted number is an upper bound, as an autoscaler's is. */
  readonly isAtMost: boolean;
}

/** A single metric with any selector. */
const plainName = /^\(*([a-zA-Z_]\w*)(?:\{[^{}]*\})?\)*$/u;

/** Metrics of kube-state-metrics for wanted numbers; of two, the earlier is the wanted one. */
const wholes: readonly RegExp[] = [
  /_spec_max_replicas$/u, /_spec_replicas$|^kube_statefulset_replicas$/u,
  /_status_desired_(?:replicas|number_scheduled)$/u, /_status_replicas$/u,
];
const counts = /^(kube_[a-z]+)_status_(\w*(?:replicas|number)\w*)$/u;

/** The pair that a rule compares, by its two metric names; null for any other rule. */
export function countedPairOf(compared: string, limit: string): CountedPair | null {
  const [left, right] = [nameIn(compared), nameIn(limit)];
  const [leftRank, rightRank] = [rankOf(left), rankOf(right)];
  if (leftRank === rightRank) return null;
  const isWholeCompared = leftRank < rightRank;
  const [whole, part] = isWholeCompared ? [left, right] : [right, left];
  const [, object = '', counted = ''] = counts.exec(part) ?? [];
  if (object === '' || !whole.startsWith(`${object}_`)) return null;
  const words = counted.split('_').filter((word) => word !== 'number' && word !== 'current');
  // `unavailable` and `misscheduled` ones are not a part of the wanted number.
  if (words.some((word) => /^(?:un|mis)/u.test(word))) return null;
  return { words: words.join(' '), isWholeCompared, isAtMost: whole.includes('_max_') };
}

function nameIn(side: string): string {
  return plainName.exec(side)?.[1] ?? '';
}

function rankOf(name: string): number {
  const rank = wholes.findIndex((pattern) => pattern.test(name));
  return rank < 0 ? wholes.length : rank;
}
