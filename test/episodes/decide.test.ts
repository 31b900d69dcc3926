import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide, type EpisodeSpan, type Sighting } from '../../src/episodes/decide.ts';

const open: EpisodeSpan = {
  number: 3, startsAt: 100, endsAt: null, isEndUnknown: false, previousEndsAt: 50,
  heardAt: 210,
};
const closed: EpisodeSpan = { ...open, endsAt: 200 };
const firing: Sighting = { status: 'firing', startsAt: 100, endsAt: null, receivedAt: 110 };
const resolved: Sighting = { status: 'resolved', startsAt: 100, endsAt: 200, receivedAt: 210 };

const cases: readonly [string, EpisodeSpan | null, Sighting, string][] = [
  ['the first firing opens episode 1', null, firing, 'opened 1'],
  ['a resolved never seen firing is a complete episode', null, resolved, 'arrived_resolved 1'],
  ['a repeat while firing refreshes', open, firing, 'refreshed 3'],
  ['a twin that saw it start earlier refreshes', open, { ...firing, startsAt: 90 }, 'refreshed 3'],
  ['a resolved closes what is open', open, resolved, 'resolved 3'],
  [
    'a resolved from a twin that saw it start earlier closes what is open',
    open, { ...resolved, startsAt: 90 }, 'resolved 3',
  ],
  [
    'a resolved that starts earlier and names no end closes, as it ended on receipt',
    open, { ...resolved, startsAt: 90, endsAt: null }, 'resolved 3',
  ],
  ['a resolved without an end closes', open, { ...resolved, endsAt: null }, 'resolved 3'],
  [
    'a resolved that ends as it starts closes what is open',
    open, { ...resolved, endsAt: 100 }, 'resolved 3',
  ],
  [
    'the end of an earlier stretch does not close what is open',
    open, { ...resolved, startsAt: 40, endsAt: 99 }, 'late 3',
  ],
  [
    'an end before its own start closes, as a clock was set back',
    open, { ...resolved, endsAt: 99 }, 'resolved 3',
  ],
  [
    'an end without a start closes whatever its clock says',
    open, { ...resolved, startsAt: null, endsAt: 60 }, 'resolved 3',
  ],
  [
    'a firing copy of the stretch before tells nothing of what is open',
    open, { ...firing, startsAt: 50 }, 'late 3',
  ],
  [
    'a firing before what is open refreshes where nothing was before',
    { ...open, previousEndsAt: null }, { ...firing, startsAt: 50 }, 'refreshed 3',
  ],
  ['a firing without a start refreshes', open, { ...firing, startsAt: null }, 'refreshed 3'],
  ['a late firing copy of what has ended opens nothing', closed, firing, 'late 3'],
  [
    'a firing that comes long after the end was told shows that it goes on',
    closed, { ...firing, receivedAt: 30_211 }, 'refreshed 3',
  ],
  [
    'a firing of the stretch before tells nothing, however late it comes',
    closed, { ...firing, startsAt: 50, receivedAt: 30_211 }, 'late 3',
  ],
  [
    'a firing opens the next where the clock was set back to before the end',
    { ...closed, startsAt: 100_000, endsAt: 200_000, heardAt: 200_010 }, firing, 'opened 4',
  ],
  [
    'a firing after the clock was set back, but not to before the end, shows that it goes on',
    { ...closed, heardAt: 60_000 }, { ...firing, receivedAt: 250 }, 'refreshed 3',
  ],
  [
    'a resolved after the clock was set back tells nothing',
    { ...closed, startsAt: 100_000, endsAt: 200_000, heardAt: 200_010 }, resolved, 'late 3',
  ],
  [
    'a repeat refreshes although what was before has an end that is still to come',
    { ...open, previousEndsAt: 200_000 }, firing, 'refreshed 3',
  ],
  ['a start at the very end opens nothing', closed, { ...firing, startsAt: 200 }, 'late 3'],
  ['a start after the end opens the next', closed, { ...firing, startsAt: 201 }, 'opened 4'],
  ['a firing without a start opens the next', closed, { ...firing, startsAt: null }, 'opened 4'],
  ['a repeated resolved tells nothing', closed, resolved, 'late 3'],
  ['a repeated resolved without times', closed, { ...resolved, startsAt: null }, 'late 3'],
  [
    'a resolved of a later stretch that was never seen firing',
    closed, { ...resolved, startsAt: 300, endsAt: 400 }, 'arrived_resolved 4',
  ],
  [
    'a firing copy of what only seemed to have ended refreshes',
    { ...closed, isEndUnknown: true }, firing, 'refreshed 3',
  ],
  ['the end of it may come later', { ...closed, isEndUnknown: true }, resolved, 'resolved 3'],
  [
    'a start after it was missed opens the next',
    { ...closed, isEndUnknown: true }, { ...firing, startsAt: 201 }, 'opened 4',
  ],
];

for (const [name, newest, seen, expected] of cases) {
  test(`decide(): ${name}`, () => {
    const { kind, number } = decide(newest, seen, 0);
    assert.equal(`${kind} ${number}`, expected);
  });
}

test('decide(): an alert whose episodes were all removed goes on counting', () => {
  assert.deepEqual(decide(null, firing, 7), { kind: 'opened', number: 8 });
  assert.deepEqual(decide(null, resolved, 7), { kind: 'arrived_resolved', number: 8 });
});
