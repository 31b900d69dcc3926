import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeDifferenceIn } from '../../src/evidence/rule/time-difference.ts';

test('timeDifferenceIn() reads the distance between now and the time in a metric', () => {
  const cases: readonly [string, string, number, boolean, number][] = [
    ['time() - backup_seconds', 'backup_seconds', 1, false, 0],
    ['(time() - max by(job) (done_seconds{job="x"})) / 3600', 'done_seconds', 3600, false, 0],
    ['expiry_seconds - time()', 'expiry_seconds', 1, true, 0],
    ['round((last_over_time(expiry_seconds[10m]) - time()) / 86400, 0.1)', 'expiry_seconds',
      86_400, true, 8640],
    ['round(time() - a)', 'a', 1, false, 1],
    ['min by(job) (time() - done_seconds)', 'done_seconds', 1, false, 0],
    ['avg by(name) (expiry_seconds - time())', 'expiry_seconds', 1, true, 0],
    ['time() - max by(job) (start_time{a="b"} and on(job) active > 0)', 'start_time', 1, false, 0],
    ['time() - (done_seconds unless muted) / 1000', 'done_seconds', 1, false, 0],
  ];
  for (const [expression, metric, secondsPerUnit, isAhead, roundedTo] of cases) {
    assert.deepEqual(timeDifferenceIn(expression), { metric, secondsPerUnit, isAhead, roundedTo },
      expression);
  }
});

test('timeDifferenceIn() is null for any other expression', () => {
  const cases = [
    'a - b', 'time() - time()', 'time()', 'a_seconds', 'time() - a - b', 'time() + a',
    'time() - (a - b)', 'avg_over_time((time() - a)[5m:])', 'round(time() - a, b)', 'time() - 5',
    'time() -', 'time() - timestamp(beat)', 'time() - ts_of_last_over_time(beat[1h])',
    'avg(expiry_seconds - time())', 'count(time() - a > 5)', 'sum by(job) (time() - a)',
  ];
  for (const expression of cases) assert.equal(timeDifferenceIn(expression), null, expression);
});
