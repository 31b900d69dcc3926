import type { LoneFact } from '../../evidence/lone-fact.ts';
import type { EventFact } from '../../evidence/metric-facts.ts';
import type { CauseFacts, CauseKind } from '../../report/kinds.ts';
import type { PathHop } from '../../report/path.ts';
import type { Certainty, Hypothesis, Statement } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import type { Suspect } from './suspect.ts';
import type { TestedCause } from './tested-causes.ts';

/** That several are too close to call, as a statement and without its full stop. */
export interface Tie {
  readonly statement: Statement;
  readonly clause: string;
}

/** A possible cause with what it was found by, of which the report has the hypothesis alone. */
export interface Explained extends Hypothesis {
  /** For a cause of the family. */
  readonly tested?: TestedCause | undefined;
  /** For a component that moved. */
  readonly suspect?: Suspect;
  /** For a release of the alert's own component, or of what it calls. */
  readonly release?: EventFact;
  /** The release of another component, which does what this cause says. */
  readonly releasedBy?: EventFact;
  /** Who makes the alert's value rise or fall, by label. */
  readonly contributor?: readonly { readonly label: string; readonly values: readonly string[] }[];
  /** For a thing that moved alone. */
  readonly lone?: LoneFact;
  /** Who calls the alert's own component more often. */
  readonly caller?: string;
  /** What to do about it, where that is part of what was found. */
  readonly lookAt?: { readonly action: string; readonly command: string | null };
  /** The host whose clock was set. */
  readonly clockOf?: string;
  /** What it is too close to to call, where nothing else makes it inconclusive. */
  readonly tie?: Tie | null;
  /** For the last failing hop of the path. */
  readonly origin?: PathHop;
}

/** What a cause is, and what it says. */
export interface KnownCause extends CauseFacts {
  readonly kind: CauseKind;
  readonly cause: string;
}

/** An explanation that is in no family: there is no mechanism and no test to go with it. */
export function explanation(
  { cause, ...facts }: KnownCause,
  certainty: Certainty,
  support: readonly Statement[],
): Explained {
  return {
    ...facts, cause: shownText(cause, 300), mechanism: null, for: support, against: [], test: null,
    certainty,
  };
}
