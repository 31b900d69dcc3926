import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock, type Clock } from '../../src/lib/clock.ts';

/** A clock on which every sleep ends in the next turn of the event loop. */
export const hastyClock: Clock = { ...systemClock, sleep: () => nextTurn() };
