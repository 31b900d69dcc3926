import assert from 'node:assert/strict';
import test from 'node:test';
import { compareLogs, type LogSample } from '../../../src/statistics/logs/compare-logs.ts';
import { cpuTimer } from '../../support/cpu-timer.ts';
import { seededRandom } from '../../support/random.ts';

const minute = 60_000;
const start = Date.parse('2026-11-20T10:00:00Z');

/** An hour before and a quarter of an hour after. */
function sample(texts: readonly string[], when: 'before' | 'after'): LogSample {
  const [fromMs, toMs] =
    when === 'before' ? [start, start + 60 * minute] : [start + 60 * minute, start + 75 * minute];
  const step = (toMs - fromMs) / (texts.length + 1);
  const lines = texts.map((text, index) => ({ atMs: fromMs + (index + 1) * step, text }));
  return { lines, fromMs, toMs };
}

function told(before: readonly string[], after: readonly string[]): string[] {
  return compareLogs(sample(before, 'before'), sample(after, 'after'))
    .filter(({ kind }) => kind !== 'alike')
    .map(({ kind, pattern, before: was, after: is }) => `${kind} ${was}->${is} ${pattern}`);
}

function times(count: number, line: (index: number) => string): string[] {
  return Array.from({ length: count }, (_, index) => line(index));
}

const request = (index: number): string =>
  `10.0.0.${index % 200} - - [20/Nov/2026:10:00:00 +0000] "GET /api/orders/${1000 + index * 7} ` +
  `HTTP/1.1" 200 ${index * 13} "-" "curl/8.${index % 9}"`;
const slowQuery = (index: number): string =>
  `{"level":"warn","time":${start + index},"msg":"slow query","took":${900 + index}}`;
const steadyError = (index: number): string =>
  `2026/11/20 10:00:00 [error] 31#31: *${index} open() "/var/www/favicon.ico" failed (2: No such ` +
  `file or directory), client: 10.0.0.${index % 200}, server: shop`;
const refused = (index: number): string =>
  '2026-11-20T11:00:00.123Z ERROR 1 --- [exec-1] c.e.OrderService : Could not load order ' +
  `${index}\norg.postgresql.util.PSQLException: Connection to db:5432 refused.\n` +
  '\tat a.B.c(D.java:1)';

test('compareLogs tells the news and not the noise', () => {
  const before = [...times(800, request), ...times(120, slowQuery), ...times(60, steadyError)];
  const after = [...times(200, request), ...times(200, slowQuery), ...times(15, steadyError),
    ...times(12, refused)];
  assert.deepEqual(told(before, after), [
    'new 0->12 Could not load order <*>: org.postgresql.util.PSQLException: Connection to ' +
      'db:<*> refused.',
    'more 120->200 slow query',
  ]);
});

test('compareLogs gives times, rates, the level and an example of a pattern', () => {
  const [change] = compareLogs(sample([], 'before'), sample(times(14, refused), 'after'));
  assert.deepEqual(change, {
    pattern: 'Could not load order <*>: org.postgresql.util.PSQLException: Connection to db:<*> ' +
      'refused.',
    kind: 'new',
    before: 0,
    after: 14,
    beforePerMinute: 0,
    afterPerMinute: 14 / 15,
    firstAtMs: start + 61 * minute,
    lastAtMs: start + 74 * minute,
    level: 'error',
    example: 'Could not load order 0: org.postgresql.util.PSQLException: Connection to db:5432 ' +
      'refused.',
    line: refused(0),
  });
});

test('compareLogs takes a status that was not there before for news', () => {
  const failed = times(9, (index) => request(index).replace('" 200 ', '" 502 '));
  assert.deepEqual(told(times(500, request), [...times(120, request), ...failed]),
    ['new 0->9 GET /api/orders/<*> HTTP/1.1 502']);
});

test('compareLogs takes what became rare or stopped for no news', () => {
  const beat = (index: number): string => `level=info msg="heartbeat sent" seq=${index}`;
  assert.deepEqual(told(times(60, beat), []), []);
  assert.deepEqual(told(times(60, beat), times(14, beat)), []);
});

test('compareLogs needs more lines the shorter the time before was', () => {
  const kindOf = (lines: number, minutesBefore: number): string | undefined => {
    const before = { lines: [], fromMs: start - minutesBefore * minute, toMs: start };
    const after = times(lines, () => 'job rejected').map((text) => ({ atMs: start + 1, text }));
    return compareLogs(before, { lines: after, fromMs: start, toMs: start + 15 * minute })[0]?.kind;
  };
  assert.deepEqual([6, 7].map((lines) => kindOf(lines, 15)), ['alike', 'new']);
  assert.deepEqual([2, 3].map((lines) => kindOf(lines, 60)), ['alike', 'new']);
  assert.deepEqual([60, 24 * 60, 25 * 60].map((minutes) => kindOf(1, minutes)),
    ['alike', 'alike', 'new']);
  assert.equal(kindOf(50, 0), 'alike', 'nothing is known of before');
});

test('compareLogs counts in the time that was covered', () => {
  const lines = (count: number, fromMs: number): LogSample['lines'] =>
    times(count, (index) => `tick ${index}`).map((text) => ({ atMs: fromMs, text }));
  // A server cut its answer: 1000 lines are one minute of 15.
  const before = { lines: lines(1000, start), fromMs: start, toMs: start + minute };
  const later = start + 60 * minute;
  const after = { lines: lines(1000, later), fromMs: later, toMs: later + minute };
  assert.equal(compareLogs(before, after)[0]?.kind, 'alike');
});

test('compareLogs takes one line of a dying program for news', () => {
  for (const line of [
    'panic: runtime error: index out of range [5] with length 3',
    'Nov 20 11:02:00 node-1 kernel: Out of memory: Killed process 4711 (java)',
    'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space',
    'segfault at 0 ip 00007f sp 00007f error 4 in libc.so.6',
    '2026-11-20 11:02:00.000 UTC [7] FATAL:  the database system is shutting down',
    'write /data/wal/0001: no space left on device',
  ]) {
    assert.equal(told(times(50, request), [...times(12, request), line]).length, 1, line);
    assert.deepEqual(told([...times(50, request), line], [...times(12, request), line]), []);
  }
  for (const line of ['a non-fatal error', 'unable to reach 10.0.0.1', 'mushroom soup sold']) {
    assert.deepEqual(told(times(50, request), [...times(12, request), line]), []);
  }
});

test('compareLogs puts what is new and what is worse first', () => {
  const after = [
    ...times(20, () => 'level=info msg="cache warmed up"'),
    ...times(9, () => 'level=warn msg="queue is long"'),
    ...times(5, () => 'level=error msg="payment declined by provider"'),
    ...times(8, () => 'could not reach the provider'),
    ...times(90, steadyError), 'panic: all is lost',
  ];
  assert.deepEqual(told(times(60, steadyError), after).map((line) => line.split(' ')[2]),
    ['panic:', 'could', 'payment', 'queue', 'cache', 'open()']);
});

test('compareLogs gives the same result for the same lines in any order', () => {
  const texts = [
    ...times(40, request), ...times(9, refused), ...times(20, slowQuery),
    ...times(6, (index) => `user ${'abcdef'[index]}nna logged in`), 'x failed', 'y failed',
  ];
  const before = sample(times(60, request), 'before');
  const after = sample(texts, 'after');
  const once = compareLogs(before, after);
  const next = seededRandom(11);
  for (let round = 0; round < 20; round += 1) {
    const lines = after.lines.map((line) => ({ line, key: next() }))
      .sort((a, b) => a.key - b.key).map(({ line }) => line);
    assert.deepEqual(compareLogs(before, { ...after, lines }), once);
  }
});

test('compareLogs seldom tells anything where nothing changed', () => {
  const next = seededRandom(5);
  let patterns = 0;
  let changed = 0;
  for (let round = 0; round < 20; round += 1) {
    const draw = (lines: number): string[] => times(lines, () => {
      // Zipf: few patterns make most lines, and many stand there once.
      const rank = Math.floor(2 ** ((next() / 2 ** 32) * 8));
      const name = String.fromCharCode(97 + (rank % 26), 97 + Math.floor(rank / 26), 120);
      return `level=info msg="${name} went on as ever"`;
    });
    const changes = compareLogs(sample(draw(800), 'before'), sample(draw(200), 'after'));
    patterns += changes.length;
    changed += changes.filter(({ kind }) => kind !== 'alike').length;
  }
  assert.ok(patterns > 1000);
  assert.ok(changed / patterns < 0.005, `${changed} of ${patterns}`);
});

test('compareLogs leaves out what has no word of its own, and keeps marks of its own apart', () => {
  assert.deepEqual(told([], ['12345', '0xdeadbeef', '10.0.0.1 10.0.0.2', '---', '<*>', '', '\n']),
    []);
  const changes = compareLogs(sample([], 'before'),
    sample(times(9, () => 'weights <*> of constructor __proto__'), 'after'));
  assert.deepEqual(changes.map(({ pattern }) => pattern), ['weights * of constructor __proto__']);
});

test('compareLogs takes what less than trebled as going on', () => {
  const tick = (index: number): string => `tick ${index}`;
  assert.deepEqual(told(times(400, tick), times(290, tick)), []);
  assert.deepEqual(told(times(400, tick), times(310, tick)), ['more 400->310 tick <*>']);
});

test('compareLogs shows a line after, and one before only where there is none after', () => {
  const lines = (from: number): string[] => times(9, (index) => `tick ${from + index}`);
  const [both] = compareLogs(sample(lines(100), 'before'), sample(lines(200), 'after'));
  assert.equal(both?.example, 'tick 200');
  const [gone] = compareLogs(sample(lines(100), 'before'), sample([], 'after'));
  assert.deepEqual([gone?.example, gone?.kind], ['tick 100', 'alike']);
});

test('compareLogs takes the worst level of a pattern, as a word or as a number of syslog', () => {
  const lines = ['{"level":"warn","msg":"it is slow"}', '{"level":"3","msg":"it is slow"}',
    '{"level":"info","msg":"it is slow"}'];
  const [change] = compareLogs(sample([], 'before'), sample(lines, 'after'));
  assert.equal(change?.level, 'error');
});

test('compareLogs copes with samples of nothing', () => {
  const none = { lines: [], fromMs: 0, toMs: minute };
  assert.deepEqual(compareLogs(none, none), []);
  const noTime = { lines: [{ atMs: 1, text: 'something failed' }], fromMs: 5, toMs: 5 };
  const [change] = compareLogs(noTime, noTime);
  assert.deepEqual([change?.kind, change?.beforePerMinute], ['alike', 0]);
});

/** Lines of 1000 units that mean harm; each is given a number. */
const hostile: Readonly<Record<string, (index: number, random: () => number) => string>> = {
  'all different': (_, random) => times(140, () => random().toString(36)).join(' '),
  'words all different': (_, random) => `x ${times(300, () =>
    String.fromCharCode(97 + (random() % 26), 97 + (random() % 26))).join(' ')}`,
  'fields all different': (_, random) =>
    times(70, () => `${random().toString(36)}=${random().toString(36)}`).join(' '),
  'one token': (index) => String(index).padEnd(1000, 'ab1'),
  'one letter': () => 'a'.repeat(1000),
  'spaces in the middle': () => `x${' '.repeat(998)}x`,
  'empty lines': () => '\n'.repeat(1000),
  'colons': () => `${':'.repeat(900)}x`,
  'quotes': () => '"\' '.repeat(333),
  'open objects': () => '{"a":'.repeat(200),
  'nested objects': () => `${'{"a":'.repeat(160)}1${'}'.repeat(160)}`,
  'objects behind words': () => `${'x {"'.repeat(199)}}`,
  'backslashes': () => `{"a":"${'\\'.repeat(990)}`,
  'escapes': () => '\u001b['.repeat(500),
  'halves of characters': () => '\u202eé\ud800'.repeat(333),
  'causes': () => 'Caused by: x\n'.repeat(77),
  'errors': () => 'ErrorException.'.repeat(66),
  'patterns': () => '<*> '.repeat(250),
  'times': () => '2026-11-20 10:00:00 '.repeat(50),
  'dots and digits': () => '1.1.1x'.repeat(166),
  'addresses': () => 'http://a1/?'.repeat(90),
};

for (const [name, line] of Object.entries(hostile)) {
  test(`compareLogs takes no longer over 2000 lines of ${name}`, () => {
    const random = seededRandom(3);
    const texts = (): string[] => times(1000, (index) => line(index, random).slice(0, 1000));
    const before = sample(texts(), 'before');
    const after = sample(texts(), 'after');
    const elapsed = cpuTimer();
    const changes = compareLogs(before, after);
    // About 0.1 s at most with the machine to itself; what is quadratic takes many seconds.
    assert.ok(elapsed() < 1500);
    assert.ok(changes.every(({ pattern }) => pattern.length <= 600 && !/[\p{C}]/u.test(pattern)));
  });
}

test('compareLogs shows the same line of those that say the same at once', () => {
  const lines = ['error: no stock', 'ERROR no stock', '[error] no stock']
    .map((text) => ({ atMs: start + 61 * minute, text }));
  const after = { fromMs: start + 60 * minute, toMs: start + 75 * minute };
  const [one, other] = [lines, lines.toReversed()].map((told) => {
    return compareLogs(sample([], 'before'), { lines: told, ...after });
  });
  assert.deepEqual(one, other);
});
