import type { Family } from '../family.ts';

/**
 * What a rule says by its form alone, for alerts on what no other family knows. They have no causes
 * of their own: what stands near the alert is searched as for every alert.
 */
function general(
  id: string,
  meaning: string,
  impact: string | null,
  more: Pick<Family, 'isGradual'> = {},
): Family {
  return { id, meaning, impact, ...more, causes: [], steps: [] };
}

export const generalFamilies = {
  dueSoon: general('due-soon',
    'A date is near, or has passed, by which something must be renewed, replaced or done.',
    'What depends on it is refused or stops working on that date.', { isGradual: true }),
  overdue: general('overdue',
    'Something that happens regularly has not happened for longer than the rule allows.',
    'What it makes or updates is as old as its last run.', { isGradual: true }),
  nearlyUsedUp: general('nearly-used-up',
    'Something that has a limit is nearly used up.',
    'What asks for more of it will wait or fail once nothing is left.'),
  useHigh: general('use-high',
    'A component uses more of a resource than the rule allows.',
    'Its work slows down if the resource becomes scarce; until then nothing may be noticed.'),
  failures: general('failures',
    'Something fails, or is rejected, dropped or retried, more often than the rule allows.',
    'Each of these is work that was lost, or had to be done again.'),
  successLow: general('success-low',
    'A smaller share of attempts succeeds than the rule wants.',
    'The rest failed, or took too long.'),
  waiting: general('waiting',
    'Work waits, or a copy is behind, by more than the rule allows.',
    'Results come late; where room is limited, new work is refused in the end.'),
  operationSlow: general('operation-slow',
    'An operation takes longer than the rule allows.',
    'Whoever waits for it is slowed down, or gives up.'),
  restarting: general('restarting',
    'Something restarts or crashes more often than the rule allows.',
    'Its work is interrupted each time.'),
  wrongState: general('wrong-state',
    'A component reports a state, or counts things in a state, that the rule calls wrong.', null),
  tooFew: general('too-few',
    'Fewer of something are there than the rule wants.',
    'Those that are left carry the load of all, and redundancy is reduced.'),
  unusual: general('unusual',
    'A measurement is further from its own past than the rule allows.', null),
} as const satisfies Record<string, Family>;
