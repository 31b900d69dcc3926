/**
 * The states of an episode's analysis, and every way from one to another.
 *
 * - `queued`: waits for a worker. Entered when an alert is accepted, when a running analysis is
 *   given back, and when news of an episode arrives whose analysis had ended.
 * - `running`: a worker has it. After a crash it is queued again, its attempt counted.
 * - `reported`: the report is stored.
 * - `failed`: the analysis could not be finished; a report that says why is stored.
 * - `quarantined`: its worker died at every attempt; a report that says so is stored, and only
 *   that report is written again when news of the episode arrives.
 */
export type AnalysisState = 'queued' | 'running' | 'reported' | 'failed' | 'quarantined';

export type AnalysisEvent = 'claim' | 'release' | 'report' | 'fail' | 'quarantine' | 'requeue';

type Transitions = Readonly<Partial<Record<AnalysisState, AnalysisState>>>;

const transitions: Readonly<Record<AnalysisEvent, Transitions>> = {
  claim: { queued: 'running' },
  release: { running: 'queued', queued: 'queued' },
  // A report takes another's place when its alert is looked at a second time.
  report: { running: 'reported', queued: 'reported', reported: 'reported' },
  fail: { running: 'failed', queued: 'failed' },
  quarantine: { running: 'quarantined', queued: 'quarantined' },
  requeue: {
    queued: 'queued', running: 'running',
    reported: 'queued', failed: 'queued', quarantined: 'queued',
  },
};

/**
 * The state after `event`. Outcomes are legal from `queued` too: replaying a journal sees the
 * outcome of an attempt whose own record was lost with unsynced data. News that reaches a running
 * analysis leaves it running; it is queued again when it ends.
 *
 * @throws {Error} When the event is not legal in the state: a programmer's mistake.
 */
export function nextState(state: AnalysisState, event: AnalysisEvent): AnalysisState {
  const next = transitions[event][state];
  if (next === undefined) throw new Error(`Cannot ${event} an analysis that is ${state}`);
  return next;
}

/** Whether a worker still has to do something for it. */
export function isPending(state: AnalysisState): boolean {
  return state === 'queued' || state === 'running';
}
