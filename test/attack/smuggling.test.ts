/** Request smuggling: what two servers in a row could read differently gets exactly one answer. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { startAttackedService, type AttackedService } from '../support/http/attacked-service.ts';
import type { RawAnswer } from '../support/http/raw-http.ts';

/** The smuggled request; an answer to it would be a second answer. */
const smuggled = 'GET /health HTTP/1.1\r\nHost: smuggled\r\nX-Smuggled: 1\r\n\r\n';

const post = (...fields: readonly string[]): string =>
  ['POST /webhook HTTP/1.1', 'Host: a', ...fields, '', ''].join('\r\n');
const chunked = 'Transfer-Encoding: chunked';
const end = '0\r\n\r\n';
const size = smuggled.length.toString(16);

/** CL.TE, TE.CL, TE.TE and variants, which disagree on where the body ends. */
const pairs: readonly (readonly [name: string, bytes: string])[] = [
  ['CL.TE', post(`Content-Length: ${end.length + smuggled.length}`, chunked) + end + smuggled],
  ['TE.CL', post(chunked, 'Content-Length: 4') + `${size}\r\n${smuggled}\r\n${end}`],
  ['CL.0 with a coding', post('Content-Length: 0', chunked) + end + smuggled],
  ['TE.TE, the second unknown', post(chunked, 'Transfer-Encoding: cow') + end + smuggled],
  ['TE.TE, the first unknown', post('Transfer-Encoding: cow', chunked) + end + smuggled],
  ['TE.TE, twice the same', post(chunked, chunked) + end + smuggled],
  ['TE.TE in one field', post('Transfer-Encoding: chunked, chunked') + end + smuggled],
  ['TE.TE, identity', post('Transfer-Encoding: identity, chunked') + end + smuggled],
  ['a coding that ends in chunked', post('Transfer-Encoding: gzip, chunked') + end + smuggled],
  ['a coding in quotes', post('Transfer-Encoding: "chunked"') + end + smuggled],
  ['a coding with a space before the colon', post('Transfer-Encoding : chunked') + end + smuggled],
  ['a coding after a folded line', post('X: y', ' Transfer-Encoding: chunked') + end + smuggled],
  ['a folded coding', post('Transfer-Encoding:', ' chunked') + end + smuggled],
  ['a coding behind a vertical tab', post('Transfer-Encoding: \x0bchunked') + end + smuggled],
  ['a coding behind NUL', post('Transfer-Encoding: \x00chunked') + end + smuggled],
  ['a coding after a bare LF', post('X: y\nTransfer-Encoding: chunked') + end + smuggled],
  ['a coding after a bare CR', post('X: y\rTransfer-Encoding: chunked') + end + smuggled],
  ['two lengths', post('Content-Length: 0', `Content-Length: ${smuggled.length}`) + smuggled],
  ['two lengths in one', post(`Content-Length: 0, ${smuggled.length}`) + smuggled],
  ['two equal lengths', post('Content-Length: 2', 'Content-Length: 2') + '{}' + smuggled],
  ['a length with a sign', post('Content-Length: +0') + smuggled],
  ['a length in hex', post('Content-Length: 0x0') + smuggled],
  ['a length in octal', post('Content-Length: 0o0') + smuggled],
  ['a length with a space in it', post('Content-Length: 0 0') + smuggled],
  ['a length beyond 64 bits', post('Content-Length: 18446744073709551616') + smuggled],
  ['a length beyond a double', post(`Content-Length: 1${'0'.repeat(400)}`) + smuggled],
  ['a negative length', post('Content-Length: -1') + smuggled],
  ['a length and a space before the colon', post('Content-Length : 0') + smuggled],
  ['no length and a body', post('Content-Length:') + smuggled],
  ['a chunk size in decimal disguise', post(chunked) + `0x0\r\n\r\n${smuggled}`],
  ['a chunk size with a sign', post(chunked) + `+0\r\n\r\n${smuggled}`],
  ['a chunk size that overflows', post(chunked) + `10000000000000000\r\n${smuggled}`],
  ['a chunk that ends in a bare LF', post(chunked) + `2\n{}\n0\n\n${smuggled}`],
  ['a chunk without its end', post(chunked) + `2\r\n{}0\r\n\r\n${smuggled}`],
  ['a chunk extension with a bare LF', post(chunked) + `0;a\n\r\n${smuggled}`],
  ['a chunk extension with a bare CR', post(chunked) + `0;a\r\r\n\r\n${smuggled}`],
  ['a chunk extension of 20 KB', post(chunked) + `2;${'x'.repeat(20_000)}\r\n{}\r\n${end}`],
  ['a head that ends in bare LFs', `POST /webhook HTTP/1.1\nHost: a\n\n${smuggled}`],
  ['a coding in HTTP/1.0', post(chunked).replace('1.1', '1.0') + end + smuggled],
];

function assertRefused([first, ...more]: readonly RawAnswer[], name: string): void {
  assert.ok(first !== undefined, `${name}: no answer`);
  assert.ok([400, 413, 501].includes(first.status), `${name}: ${first.status}`);
  assert.equal(first.headers.get('connection'), 'close', name);
  assert.deepEqual(more, [], `${name}: there is a second answer`);
}

test('an ambiguous request is refused and the connection closed', async (t) => {
  const service = await startAttackedService(t);
  for (const [name, bytes] of pairs) {
    assertRefused(await service.exhaust(bytes), name);
    // The outcome must not depend on how the bytes are split into packets.
    assertRefused(await inPieces(service, bytes), `${name}, in pieces`);
  }
  await service.assertUnharmed();
});

async function inPieces({ port }: AttackedService, bytes: string): Promise<RawAnswer[]> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString('latin1')));
  socket.on('error', () => {}); // A reset is one way to be refused.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (const piece of bytes.slice(0, 400).match(/[^]{1,40}/g) ?? []) {
    if (!socket.writable) break;
    socket.write(Buffer.from(piece, 'latin1'));
    await new Promise(setImmediate);
  }
  socket.end(Buffer.from(bytes.slice(400), 'latin1'));
  await closed;
  return received.split(/(?=HTTP\/1\.1 \d{3} )/).filter((text) => text !== '').map(answerOf);
}

function answerOf(text: string): RawAnswer {
  const status = Number(text.slice(9, 12));
  const [, connection = ''] = /\r\nConnection: (\w+)/i.exec(text) ?? [];
  return { status, headers: new Map([['connection', connection]]), body: '' };
}

test('a body that looks like a request is only a body', async (t) => {
  const service = await startAttackedService(t);
  const length = `Content-Length: ${smuggled.length}`;
  const bodies = [
    post(length) + smuggled,
    post(chunked) + `${size}\r\n${smuggled}\r\n${end}`,
    post(chunked) + `${size};name="value"\r\n${smuggled}\r\n0\r\nX-Trailer: ${length}\r\n\r\n`,
    post(length).replace('POST /webhook', 'GET /health') + smuggled,
    post(length).replace('/webhook', '/report/a/analyse') + smuggled,
    post(length).replace('/webhook', '/nowhere') + smuggled,
  ];
  for (const bytes of bodies) {
    const answers = await service.exhaust(bytes);
    assert.equal(answers.length, 1, bytes);
  }
  await service.assertUnharmed();
});

interface Probe {
  readonly id: string;
  readonly expected: string;
  readonly description: string;
  readonly payload: readonly (string | readonly [text: string, times: number])[];
}

const probes = JSON.parse(
  readFileSync(join(process.cwd(), 'test/fixtures/http11probe.json'), 'utf8'),
) as readonly Probe[];

/** Answers that differ from what the probe wants, by design. */
const byDesign: ReadonlyMap<string, number> = new Map([
  // Nothing but the origin form is read.
  ['COMP-OPTIONS-STAR', 400], ['COMP-ABSOLUTE-FORM', 400],
  ['COMP-OPTIONS-ALLOW', 405], ['COMP-NO-CL-IN-204', 405], ['SMUG-OPTIONS-CL-BODY', 405],
  // Refused before a byte of the body is read.
  ['MAL-CHUNK-EXT-64K', 413], ['MAL-POST-CL-HUGE-NO-BODY', 413],
  // Node's parser knows no such version.
  ['COMP-HTTP12-VERSION', 400],
]);

/** The answer to a valid HTTP request whose body is not a notification. */
const wasRead = '{"detail":"Invalid alert format"}';

test('Http11Probe accepts all answers except those that differ by design', async (t) => {
  const service = await startAttackedService(t);
  const problems: string[] = [];
  for (const probe of probes) {
    const bytes = probe.payload
      .map((part) => (typeof part === 'string' ? part : part[0].repeat(part[1])))
      .join('').replaceAll('{HOST}', service.host).replace(/^POST \/ /, 'POST /webhook ');
    const answers = await service.exhaust(bytes);
    const answer = answers.find(({ status }) => status !== 100) ?? null;
    const wanted = byDesign.get(probe.id);
    const isFine = wanted === undefined ? isAccepted(probe, answer) : answer?.status === wanted;
    if (!isFine) problems.push(`${probe.id} (${probe.expected}): ${answer?.status ?? 'closed'}`);
  }
  assert.deepEqual(problems, []);
  assert.equal(probes.length, 149);
  await service.assertUnharmed();
});

/** `expected` is the probe's own text, such as `400/431 or close`, `2xx (warn)` or `!101`. */
function isAccepted({ id, expected }: Probe, answer: RawAnswer | null): boolean {
  if (answer === null) return /close|timeout|drop|1xx/.test(expected);
  const { status, headers, body } = answer;
  if (/101|1xx/.test(expected)) return status >= 200;
  if (/not 414/.test(expected)) return status !== 414;
  if (/Date|IMF/.test(expected)) return /^\w{3}, \d\d /.test(headers.get('date') ?? '');
  // Field names that only resemble known ones are ignored.
  if (/^Reject/.test(expected)) return status !== 200 || /UNDERSCORE|CASE/.test(id);
  if (/2xx|200/.test(expected) && (status === 200 || body === wasRead)) return true;
  return expected.includes(String(status)) && body !== wasRead;
}
