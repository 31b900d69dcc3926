import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from './clock.ts';

/** For how long work goes on in one turn of the event loop, in ms. */
const turnMs = 5;

/**
 * Runs work that would take long in one turn of the event loop in as many as it needs: where it
 * yields, it is interrupted after 5 ms. Resolves to what it returns.
 */
export async function inTurns<T>(
  work: Generator<void, T, void>,
  clock: Pick<Clock, 'monotonic'>,
): Promise<T> {
  let beganAt = clock.monotonic();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (clock.monotonic() - beganAt < turnMs) continue;
    await nextTurn();
    beganAt = clock.monotonic();
  }
}
