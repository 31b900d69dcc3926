import { ifSome, promql, type Cause } from '../family.ts';

/** The job itself, by whichever label its exporter or gateway names it. */
const its = 'job="{job}",instance="{instance}",cronjob="{cronjob}",job_name="{job_name}",' +
  'name="{name}"';
const lastTime = (what: string): string => `max({__name__=~".*last\\\\w*_(${what})\\\\w*` +
  `(time|timestamp)\\\\w*|.*last_(time|timestamp)_(${what})\\\\w*",${its}})`;
const started = lastTime('start|started|schedule|scheduled|begin|launch|run|attempt');
const ended = lastTime('success|successful|completion|completed|finish|finished|end');

/** Why a job that reports when it ran last is late, wherever it is started. */
export const lateCauses: readonly Cause[] = [
  {
    id: 'not-started', cause: 'It was not started again',
    mechanism: 'Its schedule was removed, suspended or changed, or what starts it does not run.',
    // A run that is going on, or that failed, began after the last success.
    test: promql(`${ended} - ${started}`, { atLeast: 0, notUpTo: -1 }),
    note: 'It is by how much its last success is newer than its last start.',
    isDirect: true,
  },
  {
    id: 'not-ended', cause: 'It was started again, and has not succeeded since',
    mechanism: 'It hangs, takes longer than before, or its runs fail.',
    test: promql(`${started} - ${ended}`, { atLeast: 1, notUpTo: 0 }),
    note: 'It is by how much its last start is newer than its last success.',
    isDirectAlone: true,
  },
  {
    id: 'runs-fail', cause: 'Its runs fail',
    mechanism: 'It is started on time, and ends with an error.',
    test: ifSome(`sum(increase({__name__=~".*(fail|error)\\\\w*_total",${its}}[15m]))`),
    isDirect: true,
  },
];
