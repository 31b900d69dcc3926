/** Two series that count the same things: how many there are to be, and how many are so far. */
export interface CountedPair {
  /** What is so far, behind its number: `replicas available`. */
  readonly words: string;
  /** What the rule compares is how many there are to be, and its limit how many are. */
  readonly isWholeCompared: boolean;
  readonly isAtMost: boolean;
}

/** A metric alone, whatever its selector. */
const plainName = /^\(*([a-zA-Z_]\w*)(?:\{[^{}]*\})?\)*$/u;

/** How many kube-state-metrics says there are to be; of two the one that stands first. */
const wholes: readonly RegExp[] = [
  /_spec_max_replicas$/u, /_spec_replicas$|^kube_statefulset_replicas$/u,
  /_status_desired_(?:replicas|number_scheduled)$/u, /_status_replicas$/u,
];
const counts = /^(kube_[a-z]+)_status_(\w*(?:replicas|number)\w*)$/u;

/** What a rule compares where that is such a pair, as the names say; null for all else. */
export function countedPairOf(compared: string, limit: string): CountedPair | null {
  const [left, right] = [compared, limit].map((side) => plainName.exec(side)?.[1] ?? '');
  if (left === undefined || right === undefined) return null;
  const [leftRank, rightRank] = [rankOf(left), rankOf(right)];
  if (leftRank === rightRank) return null;
  const isWholeCompared = leftRank < rightRank;
  const [whole, part] = isWholeCompared ? [left, right] : [right, left];
  const [, object = '', counted = ''] = counts.exec(part) ?? [];
  if (object === '' || !whole.startsWith(`${object}_`)) return null;
  const words = counted.split('_').filter((word) => word !== 'number' && word !== 'current');
  // Those that are missing or too many are no part of those that are to be.
  if (words.some((word) => /^(?:un|mis)/u.test(word))) return null;
  return { words: words.join(' '), isWholeCompared, isAtMost: whole.includes('_max_') };
}

function rankOf(name: string): number {
  const rank = wholes.findIndex((pattern) => pattern.test(name));
  return rank < 0 ? wholes.length : rank;
}
