/**
 * What is being done about the narrative of an episode's report, and every way from one state to
 * another.
 *
 * - `idle`: nothing. The report has a narrative, says why it has none, or its alert has ended.
 * - `waiting`: for its turn. Entered when a report is stored that awaits a narrative, and when a
 *   run has ended that is to be made again.
 * - `running`: the report is read, a model asked, and what came of that stored.
 * - `again`: it runs, and meanwhile an analysis has ended, which may have replaced the report.
 * - `ending`: it runs, but its alert has ended: whatever comes of it, it is not made again.
 * - `held`: it ran, and what came of it could not be stored: the episode was being analysed, or the
 *   disk refused. Left when an analysis is over, whether it has replaced the report or not, or when
 *   the disk is tried again.
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
  // The analysis that is over may be the one that has kept a run from storing something.
  analysed: {
    idle: 'idle', waiting: 'waiting', held: 'waiting',
    running: 'again', again: 'again', ending: 'again',
  },
  start: { waiting: 'running' },
  end: { running: 'idle', again: 'waiting', ending: 'idle' },
  // It could not be asked about now.
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
 * @throws {Error} When the event is not legal in the state: a programmer's mistake.
 */
export function nextState(state: NarrationState, event: NarrationEvent): NarrationState {
  const next = transitions[event][state];
  if (next === undefined) throw new Error(`Cannot ${event} a narration that is ${state}`);
  return next;
}
