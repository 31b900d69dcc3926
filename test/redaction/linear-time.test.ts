/** Texts that take long if a rule looks at a character more than a bounded number of times. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor } from '../../src/redaction/redactor.ts';
import { cpuTimer } from '../support/cpu-timer.ts';

/** A fifth of a second at most; what is quadratic takes minutes. */
const lengthMax = 262_144;
const hostile: Readonly<Record<string, string>> = {
  'begins of keys': '-----BEGIN RSA PRIVATE KEY-----', 'half begins': '-----BEGIN ',
  'begins of tokens': 'eyJ', 'web tokens that never end': 'eyJaaaaaaaaaa.', schemes: 'a://b:c',
  'schemes alone': '://', colons: 'a://:', headers: 'authorization: ', 'aws words': 'awssk sk   ',
  'aws keys': `aws secret ${'a'.repeat(39)} `, 'names of secrets': 'password', blanks: ' ',
  'assignments': 'token=', 'names of pairs': 'name:password ', 'names alone': 'name: a_a-a.',
  'open braces': '{secret="', quotes: 'secret="a', 'heads of tokens': 'sk-ant-sk-proj-',
  'dotted heads': 's.s.SG.hvs.', digits: '1234567890', bearers: 'bearer ', 'letter a': 'a',
  'escape sequences': '\u001b]', parameters: '?token=', 'line feeds': '\n',
  'programs': 'mysql -', 'options': '--password ', 'users': '-u a:', 'drivers': 'a:b@tcp(',
  'encoded addresses': '%3A%2F%2F', 'encoded passwords': '%3A%2F%2Fa%3Ab', passes: 'pass=',
  'pairs of lines': 'value\nname', 'escaped quotes': 'password=\\"', 'backslashes': '\\',
  'resources': 'secretsmanager:1:2:secret:', 'statements': 'identified by ',
  'lines of keys': `${'aB'.repeat(32)}\n`, 'one line of a key': `${'aB'.repeat(32)}`,
  'slashed passwords': 'a://b:c/', 'slashed passwords with ports': '://b:c/:1',
  'Oracle': 'sqlplus a/',
  'encoded names': 'password%3D', 'encoded values': 'password%3Da%', percents: '%',
  'elements': '<password ', 'escaped elements': '&lt;a', 'half a registry': '"auth":"aaaaaaaaaaa',
  'quoted words': "password 'a", 'logins': 'login a password ', 'hashes': '$6$a',
  'paths': 'token=/var/',
  'keys of queues': 'routing_key=0123456789abcdef',
  'keys in base64': 'LS0tLS1CRUdJTiBSU0EgUFJJVkFUR',
  'cookies of curl': 'curl -b a', 'azure': 'aaa1Q~', 'placeholders in headers': 'cookie: <',
  'quoted placeholders': 'password="${', 'delimiters in values': 'password=a,b;c&d)e',
  'delimiters alone': 'password=a,,', 'names behind delimiters': `password=a,${'b'.repeat(50)}`,
  'random words': 'aB3dE6gH9k', 'short random words': 'aB3dE6gH9kaB3dE6gH9kaB3dE6gH9k ',
  'names of keys': 'my_key=aB3dE6gH9kaB3dE6gH9', 'values below': 'password:\n  a\n',
  'blocks below': 'password: |\n', 'indents': `${' '.repeat(40)}password: |\n`,
  'one block': `password: |\n${'  a\n'.repeat(65_536)}`, 'names below': '  password\n',
  'manifests': 'kind: Secret data:{"a":"b"', 'manifests in lines': 'kind: Secret\ndata:\n a: b\n',
  'blanks of manifests': `kind: Secret data:{${' '.repeat(79)}`,
  'ends of keys': '-----END PRIVATE KEY',
  'lines before ends of keys': 'A\n-----END PRIVATE KEY', 'short lines': 'a\n',
  'parts of Discord': 'MaB3dE6gH9kaB3dE6gH9kaB3dE6gH9k.', 'marks': 'sq0atp-', 'LTAI': 'LTAIa',
  'words for LOGIN': 'LOGIN a', 'AUTH': 'AUTH aaaaaaaaaaa ',
  'calls of PHP': "mysqli_connect('a', '",
  'calls': "connect('a','", 'arguments': `connect(${"'a', ".repeat(40)}`,
  'logins in calls': 'login("',
  'users with passwords': 'user=a pass:', 'aligned names': `password${' '.repeat(24)}`,
  'Oracle without a program': 'a/b@/', 'hashes of SCRAM': 'SCRAM-SHA-256$',
  'sayings': 'password to for a',
  'wrappers': 'password=Secret(', 'kubeadm': 'token abcdef.',
};

for (const [name, text] of Object.entries(hostile)) {
  test(`redact takes time in proportion to 256 KiB of ${name}`, () => {
    const { redact } = createRedactor({ secrets: ['something-known'] });
    const long = text.repeat(Math.ceil(lengthMax / text.length)).slice(0, lengthMax);
    const cpuMs = cpuTimer();
    redact(long);
    const milliseconds = cpuMs();
    assert.ok(milliseconds < 2_000, `${milliseconds} ms`);
  });
}
