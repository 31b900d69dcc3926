import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { createLogger, lineWriter } from '../../src/telemetry/log.ts';
import type { LogFormat, Logger, LogLevel } from '../../src/telemetry/log.ts';

interface Captured {
  readonly log: Logger;
  readonly lines: string[];
}

function capture(
  format: LogFormat = 'json',
  options: { readonly level?: LogLevel; readonly secrets?: readonly string[] } = {},
): Captured {
  const lines: string[] = [];
  const log = createLogger({
    level: options.level ?? 'info',
    format,
    now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    write: (line) => lines.push(line),
    redact: () => options.secrets ?? [],
  });
  return { log, lines };
}

function parsed({ lines }: Captured): Record<string, unknown> {
  assert.equal(lines.length, 1);
  return JSON.parse(lines[0] ?? '') as Record<string, unknown>;
}

const oneLine =
  /^[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+\n$/;

const hostile = [
  'two\nlines', 'carriage\rreturn', 'crlf\r\n{"level":"error"}', 'escape \u001b[2J', 'nul \u0000',
  'delete \u007f', 'next line \u0085', 'csi \u009b31m', 'separator \u2028', 'paragraph \u2029',
  'override \u202e', 'isolate \u2066', 'mark \u200f', 'bom \ufeff', 'lone \ud800', 'quote " \\',
];

for (const text of hostile) {
  for (const format of ['json', 'pretty'] as const) {
    test(`createLogger() keeps ${JSON.stringify(text)} on one ${format} line`, () => {
      const captured = capture(format);
      captured.log.info(text, { value: text, [text]: 1, nested: { list: [text] } });
      captured.log.warn('Failed', { error: new Error(text, { cause: text }) });
      for (const line of captured.lines) {
        assert.match(line, oneLine);
      }
      assert.equal(captured.lines.length, 2);
      if (format === 'json') {
        const entry = JSON.parse(captured.lines[0] ?? '') as Record<string, unknown>;
        assert.equal(entry['value'], text);
      }
    });
  }
}

test('createLogger() writes time, level, message and fields in this order', () => {
  const captured = capture();
  const log = captured.log.with({ component: 'queue' });
  log.info('Stored', { jobId: 7, left: null, gone: undefined });
  assert.equal(
    captured.lines[0],
    '{"time":"2026-01-02T03:04:05.678Z","level":"info","message":"Stored",' +
      '"component":"queue","jobId":7,"left":null}\n',
  );
});

test('createLogger() writes a readable line when asked for pretty', () => {
  const captured = capture('pretty');
  captured.log.warn('Slow disk', { durationMs: 12.5, none: undefined, path: '/a b' });
  assert.equal(captured.lines[0], '03:04:05.678 WARN  Slow disk durationMs=12.5 path="/a b"\n');
});

test('createLogger() leaves out what is below its level', () => {
  const captured = capture('json', { level: 'warn' });
  captured.log.debug('a');
  captured.log.info('b');
  captured.log.warn('c');
  captured.log.error('d');
  assert.deepEqual(captured.lines.map((line) => /"message":"(.)"/.exec(line)?.[1]), ['c', 'd']);
});

test('createLogger() does not let a field forge time, level or message', () => {
  const captured = capture();
  captured.log.info('Real', { level: 'error', message: 'Forged', time: 'never' });
  const { level, message, time } = parsed(captured);
  assert.deepEqual([level, message, time], ['info', 'Real', '2026-01-02T03:04:05.678Z']);
});

test('createLogger() cuts long values, lists and deep or circular objects', () => {
  const captured = capture();
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const list = Array.from({ length: 10_000 }, (_, index) => index);
  captured.log.info('Big', { text: 'x'.repeat(100_000), list, circular });
  const entry = parsed(captured);
  assert.equal(entry['text'], `${'x'.repeat(511)}…`);
  assert.equal((entry['list'] as unknown[]).length, 32);
  assert.equal(JSON.stringify(entry['circular']).match(/self/g)?.length, 6);
  assert.ok((captured.lines[0] ?? '').length < 2000);
});

test('createLogger() writes numbers and other values JSON has no form for', () => {
  const captured = capture();
  captured.log.info('Odd', { nan: Number.NaN, big: 10n, at: new Date(0), run: () => 1 });
  const { nan, big, at, ...rest } = parsed(captured);
  assert.deepEqual([nan, big, at], ['NaN', '10', '1970-01-01T00:00:00.000Z']);
  assert.ok(!('run' in rest));
});

test('createLogger() shows message, code and cause of an error, without its stack', () => {
  const captured = capture();
  const cause = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  captured.log.error('Stopped', { error: new Error('Cannot append', { cause }) });
  assert.deepEqual(parsed(captured)['error'], {
    name: 'Error',
    message: 'Cannot append',
    cause: { name: 'Error', message: 'no space', code: 'ENOSPC' },
  });
});

test('createLogger() shows the stack of a bug, and of any error at debug level', () => {
  for (const [level, error] of [['info', new TypeError('x')], ['debug', new Error('x')]] as const) {
    const captured = capture('json', { level });
    captured.log.error('Failed', { error });
    const shown = parsed(captured)['error'] as Record<string, unknown>;
    assert.match(String(shown['stack']), /^at .*log\.test/);
  }
});

test('createLogger() shows the members of an AggregateError', () => {
  const captured = capture();
  captured.log.error('Failed', { error: new AggregateError([new Error('one')], 'All failed') });
  const shown = parsed(captured)['error'] as Record<string, unknown>;
  assert.deepEqual(shown['errors'], [{ name: 'Error', message: 'one' }]);
});

test('createLogger() never writes a secret, in whatever place it stands', () => {
  const secret = 'canary/"token"\\ +1234';
  for (const format of ['json', 'pretty'] as const) {
    const captured = capture(format, { secrets: ['canary', secret] });
    const error = Object.assign(new Error(`bad ${secret}`, { cause: secret }), { code: secret });
    captured.log.with({ bound: secret }).error(`Message ${secret}`, {
      error,
      [secret]: 1,
      list: [{ deep: `${'x'.repeat(505)}${secret}` }],
      url: `http://host/?token=${encodeURIComponent(secret)}`,
    });
    const line = captured.lines[0] ?? '';
    assert.ok(!line.includes('canary') && !line.includes('1234'), line);
    assert.match(line, /\[redacted\]/);
  }
});

test('createLogger() leaves ordinary words alone when a secret is very short', () => {
  const captured = capture('json', { secrets: ['', 'a', 'abc'] });
  captured.log.info('A fabcd', {});
  assert.equal(parsed(captured)['message'], 'A fabcd');
});

test('lineWriter() keeps at most 1 MiB of unread lines, and tells how many more were lost', () => {
  const written: string[] = [];
  let read = (): void => {};
  let isRead = false;
  const stream = new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      written.push(line);
      read = done;
      if (isRead) done();
    },
  });
  const lost: number[] = [];
  const write = lineWriter(stream, (lines) => {
    lost.push(lines);
    write('told\n');
  });
  const line = `${'x'.repeat(1023)}\n`;
  for (let count = 0; count < 5000; count += 1) write(line);
  assert.equal(stream.writableLength, 1025 * 1024);
  isRead = true;
  read();
  write('next\n');
  write('last\n');
  assert.deepEqual(lost, [5000 - 1025]);
  assert.deepEqual(written.slice(1024), [line, 'told\n', 'next\n', 'last\n']);
});
