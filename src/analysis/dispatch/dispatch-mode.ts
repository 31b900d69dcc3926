/** Whether analyses begin, and what is known of whether their reports can be stored. */
export type DispatchMode =
  /** They begin; nothing is known against the storage. */
  | 'open'
  /** None begins for a while after one that could not be stored: the next asks its sources anew. */
  | 'paused'
  /** They begin again, and nothing has been stored since. */
  | 'trying'
  /** None begins any more. */
  | 'stopped';

/** A report was stored or could not be, the pause is over, or the service stops. */
type DispatchEvent = 'stored' | 'lost' | 'waited' | 'stop';

/** Where nothing is listed, nothing changes. */
const transitions: Readonly<Record<
  DispatchMode, Readonly<Partial<Record<DispatchEvent, DispatchMode>>>
>> = {
  open: { lost: 'paused', stop: 'stopped' },
  paused: { waited: 'trying', stored: 'open', stop: 'stopped' },
  trying: { lost: 'paused', stored: 'open', stop: 'stopped' },
  stopped: {},
};

export function nextDispatchMode(mode: DispatchMode, event: DispatchEvent): DispatchMode {
  return transitions[mode][event] ?? mode;
}
