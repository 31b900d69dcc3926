export type Signal =
  | 'traffic' | 'errors' | 'latency' | 'saturation' | 'utilization' | 'restarts' | 'state'
  | 'config' | 'skip' | 'other';

/** `external`: what callers see of a component; `internal`: what goes on inside it. */
export type Side = 'external' | 'internal' | 'skip';

/** Metrics whose name, as words, matches `match` and not `unless`. */
export interface Rule {
  readonly match: RegExp;
  readonly unless?: RegExp;
  readonly signal: Signal;
  /** Defaults to the signal's usual side: traffic, errors and latency are external. */
  readonly side?: Side;
  readonly kind?: 'state';
}
