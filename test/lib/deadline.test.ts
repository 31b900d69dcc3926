import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { withDeadline } from '../../src/lib/deadline.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** Ends with its signal, and resolves to when that was. */
function endless(clock: ManualClock): (signal: AbortSignal) => Promise<number> {
  return (signal) => new Promise((resolve) => {
    if (signal.aborted) resolve(clock.monotonic());
    signal.addEventListener('abort', () => resolve(clock.monotonic()));
  });
}

test('withDeadline() aborts the signal of the work when time is up', async () => {
  const clock = new ManualClock();
  const ended = withDeadline({ clock, ms: 1_000 }, endless(clock));
  await clock.advance(5_000);
  assert.equal(await ended, 1_000);
});

test('withDeadline() aborts it with the outer signal, aborted already or not', async () => {
  const clock = new ManualClock();
  const outer = new AbortController();
  const ended = withDeadline({ clock, ms: 1_000, outer: outer.signal }, endless(clock));
  await clock.advance(10);
  outer.abort();
  assert.equal(await ended, 10);
  assert.equal(await withDeadline({ clock, ms: 1_000, outer: outer.signal }, endless(clock)), 10);
});

test('withDeadline() settles as the work does, then aborts its signal and its timer', async () => {
  const clock = new ManualClock();
  const signals: AbortSignal[] = [];
  const result = await withDeadline({ clock, ms: 1_000 }, (signal) => {
    signals.push(signal);
    return Promise.resolve(signal.aborted);
  });
  assert.equal(result, false);
  await assert.rejects(withDeadline({ clock, ms: 1_000 }, (signal) => {
    signals.push(signal);
    return Promise.reject(new Error('broken'));
  }), /broken/);
  assert.deepEqual(signals.map(({ aborted }) => aborted), [true, true]);
});

test('withDeadline() takes many listeners of its signal for no leak', async (t) => {
  const warned: string[] = [];
  const note = ({ name }: Error): unknown => warned.push(name);
  process.on('warning', note);
  t.after(() => process.off('warning', note));
  const listen = async (signal: AbortSignal): Promise<void> => {
    for (let count = 0; count < 20; count += 1) signal.addEventListener('abort', () => undefined);
    await setImmediate();
  };
  await withDeadline({ clock: new ManualClock(), ms: 1_000 }, listen);
  assert.deepEqual(warned, []);
});

test('withDeadline() many times with one outer signal is not taken for a leak', async (t) => {
  const warned: Error[] = [];
  const remember = (warning: Error): void => void warned.push(warning);
  process.on('warning', remember);
  t.after(() => process.off('warning', remember));
  const clock = new ManualClock();
  const outer = new AbortController();
  const all = Array.from({ length: 20 }, () =>
    withDeadline({ clock, ms: 1_000, outer: outer.signal }, endless(clock)));
  outer.abort();
  await Promise.all(all);
  await setImmediate();
  assert.deepEqual(warned, []);
});
