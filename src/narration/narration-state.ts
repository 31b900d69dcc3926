/**
 * The state of the narrative of an episode's report, and all transitions.
 *
 * - `idle`: nothing to do. The report has a narrative or says why not, or its alert has ended.
 * - `waiting`: waits for its turn. Entered when a report is stored that awaits a narrative, and
 *   when a run has ended that is to be repeated.
 * - `running`: the report is being read, the model asked, or the result stored.
 * - `again`: running, but an analysis has ended meanwhile and may have replaced the report.
 * - `ending`: running, but the alert has ended; the run is not repeated, whatever its result.
 * - `held`: the result could not be stored, because the episode was being analysed or the disk
 *   failed. Left when an analysis has ended, with or without a new report, or when the disk is
 *   tried again.
 */
export type NarrationState = 'idle' | 'waiting' | 'running' | 'again' | 'ending' | 'held';

export type NarrationEvent =
  | 'add' | 'analysed' | 'start' | 'end' | 'postpone' | 'hold' | 'retry' | 'drop';

type Transitions = Readonly<Partial<Record<NarrationState, NarrationState>>>;

const transitions: Readonly<Record<NarrationEvent, Transitions>> = {
  add: {
    idle: 'waiting', waiting: 'waiting', held: 'waiting',
    running: 'again', again: 'again', ending: 'again',
  },
  // The analysis may be the one that kept a result from being stored.
  analysed: {
    idle: 'idle', waiting: 'waiting', held: 'waiting',
    running: 'again', again: 'again', ending: 'again',
  },
  start: { waiting: 'running' },
  end: { running: 'idle', again: 'waiting', ending: 'idle' },
  // The model could not be asked now.
  postpone: { running: 'waiting', again: 'waiting', ending: 'idle' },
  hold: { running: 'held', again: 'waiting', ending: 'held' },
  retry: { held: 'waiting' },
  drop: {
    idle: 'idle', waiting: 'idle', held: 'held',
    running: 'ending', again: 'ending', ending: 'ending',
  },
};

/**
 * The state after `event`.
 *
 * @throws {Error} When the event is illegal in the state, which is a bug.
 */
export function nextNarrationState(state: NarrationState, event: NarrationEvent): NarrationState {
  const next = transitions[event][state];
  if (next === undefined) throw new Error(`Cannot ${event} a narration that is ${state}`);
  return next;
}
