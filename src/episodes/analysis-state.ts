/**
 * The states of an episode's analysis and the transitions between them.
 *
 * - `queued`: waits for a worker. Entered when an alert is accepted, when a running analysis is
 *   given back, and when news of the episode arrives after its analysis has ended.
 * - `running`: a worker has it. After a crash it is queued again, and the attempt stays counted.
 * - `reported`: the report is stored.
 * - `failed`: the analysis could not be finished; a report that says why is stored.
 * - `quarantined`: its worker died at every attempt; a report that says so is stored. When news of
 *   the episode arrives, only that report is written again.
 */
export type AnalysisState = 'queued' | 'running' | 'reported' | 'failed' | 'quarantined';

export type AnalysisEvent = 'claim' | 'release' | 'report' | 'fail' | 'quarantine' | 'requeue';

type Transitions = Readonly<Partial<Record<AnalysisState, AnalysisState>>>;

const transitions: Readonly<Record<AnalysisEvent, Transitions>> = {
  claim: { queued: 'running' },
  release: { running: 'queued', queued: 'queued' },
  // A recheck replaces the report without queueing the episode.
  report: { running: 'reported', queued: 'reported', reported: 'reported' },
  fail: { running: 'failed', queued: 'failed' },
  quarantine: { running: 'quarantined', queued: 'quarantined' },
  requeue: {
    queued: 'queued', running: 'running',
    reported: 'queued', failed: 'queued', quarantined: 'queued',
  },
};

/**
 * The state after `event`. Outcomes are legal from `queued` too, as a replay may see the outcome of
 * an attempt whose own record was lost. News leaves a running analysis running; it is queued again
 * when it ends.
 *
 * @throws {Error} When the event is illegal in this state: a bug, or lost records in a replay.
 */
export function nextState(state: AnalysisState, event: AnalysisEvent): AnalysisState {
  const next = transitions[event][state];
  if (next === undefined) throw new Error(`Cannot ${event} an analysis that is ${state}`);
  return next;
}

/** Whether a worker still has to work on it. */
export function isPending(state: AnalysisState): boolean {
  return state === 'queued' || state === 'running';
}
