/**
 * What parts of a report are, apart from how they are worded: code decides by these, and sentences
 * are for people. Reports of earlier versions lack them: see `earlier-wordings.ts`.
 */

/** What a possible cause is, by how it was found. */
export const causeKinds = [
  /** A new version, or a new configuration, of the component that it is about. */
  'release', 'config',
  /** The memory of the component that it is about grew until it ended; its own value grew. */
  'memory', 'growth',
  /** Something moved in the component that it is about; before that, something happened to it. */
  'component', 'event',
  /** What fails in the last failing thing of the path. */
  'path',
  /** Something that the alert's component calls or waits for: it says to look there. */
  'dependency',
  /** Another alert, whose problem it is as well: it says to look there. */
  'same_problem',
  /** Who makes the alert's value rise or fall. */
  'contributor',
  /** Any other cause that the alert's family knows. */
  'family',
  /** Kubernetes' own reason, or why Prometheus cannot scrape. */
  'reason', 'scrape',
  /** What a log says. */
  'log',
  /** The rule divides by a limit that is not set. */
  'no_limit',
  /** As people or a language model stated it. */
  'stated', 'model',
] as const;
export type CauseKind = (typeof causeKinds)[number];

/** A cause apart from its wording. */
export interface CauseFacts {
  /** Who does it, with which the cause ends, behind a colon; absent where that is not known. */
  readonly detail?: string | undefined;
  /** Absent from reports of earlier versions. */
  readonly kind?: CauseKind | undefined;
  /** The components that it is about; the one that is waited for in turn comes last. */
  readonly about?: readonly string[] | undefined;
  /** Id of the family's cause; of one that no family knows, Kubernetes' reason. */
  readonly family_cause?: string | undefined;
  /** Fingerprint of the alert whose problem it is as well. */
  readonly alert?: string | undefined;
}

/** The facts of a cause without the rest. */
export function factsOf(
  { detail, kind, about, family_cause: id, alert }: CauseFacts,
): CauseFacts {
  return {
    ...(detail !== undefined && { detail }),
    ...(kind !== undefined && { kind }), ...(about !== undefined && { about }),
    ...(id !== undefined && { family_cause: id }), ...(alert !== undefined && { alert }),
  };
}

/** Whether two causes are the same; those of the same family are, whatever proved them. */
export function isSameCause(a: Cause, b: Cause): boolean {
  if (a.kind === undefined || b.kind === undefined) return a.cause === b.cause;
  if (a.family_cause !== undefined) return a.family_cause === b.family_cause;
  return a.kind === b.kind && b.family_cause === undefined && a.alert === b.alert &&
    (a.kind === 'stated' || a.kind === 'model' ? a.cause === b.cause
      : (a.about ?? []).join() === (b.about ?? []).join());
}

interface Cause extends CauseFacts {
  readonly cause: string;
}

/** What an item of evidence is for, where code looks for it. */
export type EvidenceRole =
  /** The alert as Alertmanager has it; the values that Grafana sent along. */
  | 'in_alertmanager' | 'sent_values'
  /** What explained the alert in the report before. */
  | 'found_before'
  /** A model asked for it, in its own words; its title is the model's query itself. */
  | 'asked_by_model' | 'query_of_model';

export type LinkKind =
  | 'runbook' | 'playbook' | 'dashboard' | 'panel' | 'logs' | 'traces' | 'link'
  /** Where the rule is evaluated: Prometheus' graph, or any other page. */
  | 'prometheus' | 'source'
  | 'alertmanager' | 'silence';

/** Why a step is among the next steps. */
export type StepKind =
  /** Where the likely cause is; the test of the first explanation. */
  | 'cause' | 'test'
  /** What the alert's author says; what is known of its family. */
  | 'runbook' | 'author' | 'known'
  | 'heartbeat' | 'expression' | 'group' | 'source'
  /** A rule to change. */
  | 'noise' | 'limit';

/** What a change did. */
export type ChangeVerb =
  /** A series; what went, stayed or hardly moved did not stand out by its size. */
  | 'rose' | 'fell' | 'went' | 'stayed' | 'hardly_moved'
  | 'appeared' | 'vanished'
  | EventVerb;

/** What happened to a component. */
export type EventVerb =
  | 'restarted' | 'killed' | 'killed_and_restarted' | 'restarted_by_hand' | 'clock_moved'
  | 'image_changed' | 'version_changed' | 'rolled_out' | 'rolled_back'
  | 'setting_changed' | 'reloaded' | 'scaled' | 'changed';
