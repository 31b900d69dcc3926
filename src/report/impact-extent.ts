/** How much is hit: amounts are in `unit`, or numbers of `what`. */
export interface ImpactExtent {
  /**
   * `share`: `part` of all `of` that happen, per second where `is_rate`; `used`: `part` of a limit;
   * `waiting`: a backlog; `left`: what is still there of `of`.
   */
  readonly kind: 'share' | 'used' | 'waiting' | 'left';
  readonly part: number;
  readonly of: number | null;
  readonly is_rate: boolean;
  readonly unit: string | null;
  /** What is counted, in the plural; null where the rule's metric has no such word. */
  readonly what: string | null;
  /** How fast `part` grows per second, or falls if negative; null where it is steady. */
  readonly pace: number | null;
  /** When nothing is left at that pace; null where that is not known. */
  readonly ends_at: string | null;
  /** `fire` where it was so when the alert fired, and is not known for now. */
  readonly as_of: 'now' | 'fire';
}
