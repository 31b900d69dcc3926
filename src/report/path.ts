import type { LabelSet } from '../alert/labels.ts';

/**
 * The way from the thing that an alert is about to the deepest thing behind it that fails: over
 * proxies, calls and stores. A member of the report; JSON as it stands here.
 */
export interface Path {
  /** The alert's own thing first; each next one is what the one before leads to. 1 to 8. */
  readonly hops: readonly PathHop[];
  /** Index in `hops` of the last one that fails; null if none is measured to fail. */
  readonly origin: number | null;
  /** What else of its environment began to fail at that moment. Absent from old reports. */
  readonly beside?: readonly Beside[];
}

/** Something that is not on the way. */
export interface Beside extends Pick<PathHop, 'component' | 'labels' | 'evidence'> {
  /** What fails there, most telling first; at least one. */
  readonly faults: readonly HopFault[];
  /** When the first of its faults began, RFC 3339. */
  readonly since: string;
}

export interface PathHop {
  /** Its name where it is measured, such as a job: `shop-api`, `postgres`, `be_inventory`. */
  readonly component: string;
  /** Labels that its own series have in common; empty if only others measure it. */
  readonly labels: LabelSet;
  /** How many instances there are, if it is one of several. Absent from old reports. */
  readonly one_of?: number | null;
  /** What it is to the hop before it; null for the first. */
  readonly relation: HopRelation | null;
  /** `innocent`: it is measured and works. `unknown`: nothing tells whether it does. */
  readonly state: 'failing' | 'innocent' | 'unknown';
  /** What fails there, most telling first; empty unless it fails. */
  readonly faults: readonly HopFault[];
  /** What shows that it works; null if nothing does. */
  readonly works: HopHealth | null;
  /** When the first of its faults began, RFC 3339; null if unknown or if it does not fail. */
  readonly since: string | null;
  readonly evidence: readonly string[];
}

/** `shared`: nothing shows that it is called, but it fails at that moment and works for others. */
type HopRelation =
  | 'called' | 'shared' | 'server' | 'probed' | 'measured' | 'primary' | 'consumer' | 'producer'
  | 'process'
  /** Who has taken what is used up there. */
  | 'holder'
  /** The machine that it runs on; and what else runs there. */
  | 'host' | 'beside';

export type FaultKind =
  /** It does not answer: by its `up`, its exporter, its probe or its process. */
  | 'down'
  /** Requests that it takes, or calls to it, fail; `value` is how many, per second. */
  | 'fails'
  /** `value` is how long a request or call takes on average, in seconds. */
  | 'slow'
  /** It does not reach the next hop, which works. */
  | 'unreachable'
  /** `value` of `limit` is in use. */
  | 'full'
  /** Its limit was lowered, from `before` to `limit`; `value` is in use. */
  | 'limit_lowered'
  /** A session keeps locks and does nothing, for `value` seconds; or locks out all of a `table`. */
  | 'locked'
  | 'alarm'
  /** A queue has `value` consumers. */
  | 'no_consumer'
  /** A replica has lost its primary. */
  | 'link_down'
  /** A proxy has `value` servers that are up. */
  | 'no_server'
  /** `value` wait for their turn, by `metric`; this and those below are absent from old reports. */
  | 'waiting'
  /** A machine has nothing left of `what`: `value` is the share that is in use. */
  | 'busy'
  /** The processors of a machine run at `value` Hz. */
  | 'throttled'
  /** It has taken `value` of what others wait for, and before fewer. */
  | 'holds'
  /** It calls `what` `value` times for each request, of which there are no more. */
  | 'repeats'
  /** A process or container uses `value` of the `what` of its machine, per second. */
  | 'uses';

export interface HopFault {
  readonly kind: FaultKind;
  /** Who measures it: it or its exporter, the hop before it as its client, or a probe. */
  readonly seen_by: 'itself' | 'client' | 'probe';
  /** What is full, slow or failing: `connections`, `memory`; null where the kind says it. */
  readonly what: string | null;
  readonly metric: string;
  /** Labels that tell which part of it: `{error: "ECONNREFUSED"}`, `{queue: "orders"}`. */
  readonly labels: LabelSet;
  readonly value: number | null;
  readonly before: number | null;
  readonly limit: number | null;
  /** How many there are per second, and were before, if they are slow. Absent from old reports. */
  readonly rate?: number | null;
  readonly rate_before?: number | null;
  readonly since: string | null;
  /** When it was last seen; null if it goes on. */
  readonly until: string | null;
}

export interface HopHealth {
  /** Targets that answer, of all; null without any. */
  readonly targets: { readonly up: number; readonly total: number } | null;
  /** Whether it answers its probes; null without any. */
  readonly answers_probe: boolean | null;
  /** Whether its exporter reaches it; null without one. Absent from old reports. */
  readonly is_reached?: boolean | null;
  /** Requests to it that succeed, per second, as it or its clients count; null if nobody does. */
  readonly successes: number | null;
}
