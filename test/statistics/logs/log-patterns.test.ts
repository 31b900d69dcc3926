import assert from 'node:assert/strict';
import test from 'node:test';
import { logPatternsOf } from '../../../src/statistics/logs/log-patterns.ts';

/**
 * Messages as programs write them, by the pattern that an engineer would write down for them; in
 * place of `{}` each of the values.
 */
const written: readonly (readonly [pattern: string, message: string, values: readonly string[]])[] =
  [
    ['connection to server at "db" (<*>), port <*> failed: Connection refused',
      'connection to server at "db" ({}), port 5432 failed: Connection refused',
    ['10.0.0.5', '10.0.0.6']],
    ['relation "orders" does not exist at character <*>',
      'relation "orders" does not exist at character {}', ['15', '22']],
    ['duration: <*> ms statement: SELECT * FROM orders WHERE id = $1',
      'duration: {} ms statement: SELECT * FROM orders WHERE id = $1', ['1203.551', '998.002']],
    ['password authentication failed for user "<*>"',
      'password authentication failed for user "{}"', ['app', 'report']],
    ['could not receive data from client: Connection reset by peer',
      'could not receive data from client: Connection reset by peer', ['']],
    ['GET /api/orders/<*> HTTP/1.1 200', '"GET /api/orders/{} HTTP/1.1" 200', ['17', '2040']],
    ['GET /api/orders/<*> HTTP/1.1 502', '"GET /api/orders/{} HTTP/1.1" 502', ['17', '99']],
    ['no answer to GET /api/orders HTTP/1.1, took <*>',
      'no answer to "GET /api/orders HTTP/1.1", took {}', ['200', '312']],
    ['Order <*> placed by <*> for <*> EUR', 'Order {} for 12.50 EUR', [
      '8f14e45f-ceea-467f-a8d6-1b2c3d4e5f60 placed by alice', '77 placed by bob',
      '78 placed by carol', '79 placed by dave',
    ]],
    ['Pod shop/orders-<*> Unhealthy: Readiness probe failed with statuscode: 503',
      'Pod shop/orders-{} Unhealthy: Readiness probe failed with statuscode: 503',
      ['7d9f4c6b5-x2x9z', '7d9f4c6b5-k4k4k']],
    ['Server be_app/<*> is DOWN, reason: Layer4 timeout, check duration: <*>.',
      'Server be_app/{}.', [
        'srv1 is DOWN, reason: Layer4 timeout, check duration: 2001ms',
        'srv2 is DOWN, reason: Layer4 timeout, check duration: 2002ms',
      ]],
    ['Connection to node <*> (kafka-2/<*>) could not be established',
      'Connection to node {}:9092) could not be established',
      ['2 (kafka-2/10.0.0.8', '-1 (kafka-2/10.0.0.9']],
    ['Out of memory: Killed process <*> (java) total-vm:<*>, anon-rss:<*>, UID:<*>',
      'Out of memory: Killed process {}kB, anon-rss:4194304kB, UID:1000',
      ['4711 (java) total-vm:8388608', '99 (java) total-vm:838860']],
    ['orders.service: Main process exited, code=killed, status=9/KILL',
      'orders.service: Main process exited, code=killed, status=9/KILL', ['']],
    ['orders.service: Main process exited, code=exited, status=1/FAILURE',
      'orders.service: Main process exited, code=exited, status=1/FAILURE', ['']],
    ['Worker exited with code 137', 'Worker exited with code {}', ['137']],
    ['Worker exited with code 0', 'Worker exited with code {}', ['0']],
    ['HikariPool-1 - Connection is not available, request timed out after <*>.',
      'HikariPool-1 - Connection is not available, request timed out after {}ms.',
      ['30000', '30001']],
    ['Retrying in <*> ... partitions [<*>]', 'Retrying in {}]',
      ['1s ... partitions [1, 2, 3', '20s ... partitions [4, 5, 6, 7, 8', '3m ... partitions [9']],
    ['ORA-00942: table or view does not exist', 'ORA-00942: table or view does not exist', ['']],
    ['probe failed: "Connection refused"', 'probe failed: "Connection refused"', ['']],
    ['probe failed: "timeout"', 'probe failed: "timeout"', ['']],
    ['session opened', 'session opened', ['']],
    ['session refused', 'session refused', ['']],
    ['Started Postgres', 'Started Postgres', ['']],
    ['Stopped Postgres', 'Stopped Postgres', ['']],
  ];

const messages = written.flatMap(([pattern, message, values]) =>
  values.map((value) => ({ pattern, message: message.replace('{}', value) })));

test('logPatternsOf puts together what an engineer would', () => {
  const patterns = logPatternsOf(messages.map(({ message }) => message));
  const expected = new Map<string, number[]>();
  for (const [index, { pattern }] of messages.entries()) {
    expected.set(pattern, [...expected.get(pattern) ?? [], index]);
  }
  assert.deepEqual(
    Object.fromEntries(patterns.map(({ pattern, members }) => [pattern, members])),
    Object.fromEntries(expected));
});

test('logPatternsOf does not look beyond the first words of a long message', () => {
  const long = (end: string): string => `${'word '.repeat(36)}${end}`;
  const [pattern, ...more] = logPatternsOf([long('one end'), long('another')]);
  assert.deepEqual([pattern?.members, more], [[0, 1], []]);
  assert.match(pattern?.pattern ?? '', / …$/u);
});

test('logPatternsOf takes words for names only where many come rarely each', () => {
  const patternsOf = (verbs: readonly string[], lines: number): number => logPatternsOf(
    verbs.flatMap((verb) => new Array<string>(lines).fill(`order was ${verb} at last`))).length;
  const letters = 'abcdefghijklmnopqrst'.split('');
  const words = letters.map((letter) => letter.repeat(3));
  assert.equal(patternsOf(words.slice(0, 3), 1), 3);
  assert.equal(patternsOf(words.slice(0, 4), 3), 1);
  assert.equal(patternsOf(words.slice(0, 4), 4), 4);
  assert.equal(patternsOf(words.slice(0, 16), 4), 16);
  assert.equal(patternsOf(words.slice(0, 17), 4), 1);
  // What failed is never a name.
  assert.equal(patternsOf(['failed', 'refused', 'rejected', 'aborted'], 1), 4);
});

test('logPatternsOf keeps the digits of terms', () => {
  const messages = ['x509: certificate is not valid', 'oauth2 token of 4711 expired'];
  assert.deepEqual(logPatternsOf(messages).map(({ pattern }) => pattern), [
    'x509: certificate is not valid', 'oauth2 token of <*> expired',
  ]);
});

test('logPatternsOf takes an overlong word for an id', () => {
  const patternsOf = (length: number): string[] => logPatternsOf(['x', 'y'].map((letter) =>
    `key ${letter.repeat(length)} is known`)).map(({ pattern }) => pattern);
  assert.deepEqual(patternsOf(41), ['key <*> is known']);
  assert.equal(patternsOf(40).length, 2);
});
