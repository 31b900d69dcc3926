import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextNarrationState, type NarrationEvent } from '../../src/narration/narration-state.ts';

const courses: readonly [story: string, events: NarrationEvent[], last: string][] = [
  ['asked about, and done', ['add', 'start', 'end'], 'idle'],
  ['replaced while it waits', ['add', 'add', 'start', 'end'], 'idle'],
  ['replaced while it runs', ['add', 'start', 'add', 'end'], 'waiting'],
  ['put off', ['add', 'start', 'postpone'], 'waiting'],
  ['ended while it waits', ['add', 'drop'], 'idle'],
  ['ended while it runs', ['add', 'start', 'drop', 'end'], 'idle'],
  ['ended before it was put off', ['add', 'start', 'drop', 'postpone'], 'idle'],
  ['replaced, then ended', ['add', 'start', 'add', 'drop', 'end'], 'idle'],
  ['ended, then replaced', ['add', 'start', 'drop', 'add', 'end'], 'waiting'],
  ['ended without having waited', ['drop'], 'idle'],
  ['held, and stored later', ['add', 'start', 'hold', 'analysed', 'start', 'end'], 'idle'],
  ['held, and replaced', ['add', 'start', 'hold', 'add'], 'waiting'],
  ['held, and ended', ['add', 'start', 'hold', 'drop', 'analysed'], 'waiting'],
  ['held just as an analysis has ended', ['add', 'start', 'analysed', 'hold'], 'waiting'],
  ['analysed and not awaited', ['analysed'], 'idle'],
];

for (const [story, events, last] of courses) {
  test(`nextNarrationState() of a narration that is ${story}`, () => {
    assert.equal(events.reduce(nextNarrationState, 'idle'), last);
  });
}

test('nextState() refuses to start a narration twice, or to end what does not run', () => {
  for (const state of ['idle', 'running', 'again', 'ending'] as const) {
    assert.throws(() => nextNarrationState(state, 'start'), /Cannot start a narration that is/);
  }
  for (const state of ['idle', 'waiting'] as const) {
    assert.throws(() => nextNarrationState(state, 'end'), /Cannot end/);
    assert.throws(() => nextNarrationState(state, 'postpone'), /Cannot postpone/);
  }
});
