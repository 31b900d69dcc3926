import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { differences } from '../../src/recording/differences.ts';
import { packRecording } from '../../src/recording/pack-recording.ts';
import { readRecording, RecordingError } from '../../src/recording/read-recording.ts';
import { Recorder } from '../../src/recording/recorder.ts';
import { AnswerBody } from '../../src/sources/answer-body.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { seededRandom } from '../support/random.ts';
import { recordRun, sourcesAt } from '../support/recorded-run.ts';
import { aCaseFile, noSources } from '../support/samples/case-files.ts';
import { startFakeSource } from '../support/sources/fake-source.ts';
import { talkativeSource } from '../support/sources/talkative-prometheus.ts';

async function packed(body: Buffer): Promise<unknown> {
  const members = await new AnswerBody(body).pack();
  return JSON.parse(gunzipSync(Buffer.concat(members)).toString());
}

test('AnswerBody.pack() keeps every character, wherever its pieces end', async () => {
  const characters = ['"', '\\', '\n', '\u0000', '\u007f', 'é', '\u2028', '€', '\u{1f600}', 'a'];
  for (const count of [1, 10, 40_000]) {
    for (let shift = 0; shift < 4; shift += 1) {
      const text = `${'x'.repeat(shift)}${characters.join('').repeat(count)}`;
      assert.equal(await packed(Buffer.from(text)), text);
    }
  }
});

test('AnswerBody.pack() packs once for everybody', async () => {
  const body = new AnswerBody(Buffer.from('{}'));
  assert.equal(await body.pack(), await body.pack());
  assert.equal(body.bytes, 2);
});

test('packRecording() is null beyond its bound', async () => {
  const next = seededRandom(1);
  const noise = Buffer.from(Uint8Array.from({ length: 4096 }, () => 97 + (next() % 26)));
  const recorder = new Recorder({
    clock: new ManualClock(0), sources: noSources, answerBytesMax: 1e6,
  });
  const recorded = recorder.finish(aCaseFile(), '{}');
  assert.ok(recorded !== null);
  const large = { ...recorded, bodies: [new AnswerBody(noise)] };
  assert.equal(await packRecording([large], { version: '1', bytesMax: 2000 }), null);
  assert.ok(await packRecording([large], { version: '1', bytesMax: 20_000 }) !== null);
  assert.equal(await packRecording([recorded], { version: '1', bytesMax: 100 }), null);
});

test('readRecording() reads or refuses whatever became of a file', async (t) => {
  const source = await startFakeSource(t, talkativeSource());
  const { file } = await recordRun(sourcesAt(source.url));
  assert.ok(file !== null);
  const json = gunzipSync(file);
  assert.deepEqual(readRecording(json), readRecording(file));
  const next = seededRandom(7);
  for (let round = 0; round < 120; round += 1) {
    const damaged = Buffer.from(round % 2 === 0 ? file : json);
    const at = next() % damaged.length;
    damaged[at] = next() % 256;
    for (const content of [damaged, damaged.subarray(0, at)]) {
      try {
        readRecording(content);
      } catch (error) {
        assert.ok(error instanceof RecordingError, String(error));
      }
    }
  }
});

test('readRecording() refuses what unpacks to more than it may, without unpacking it', () => {
  const part = gzipSync(Buffer.alloc(16 * 1024 * 1024));
  const bomb = Buffer.concat(Array.from({ length: 20 }, () => part));
  assert.throws(() => readRecording(bomb), /too large: more than 256 MiB/);
});

test('readRecording() refuses what would take far more memory than its text', async (t) => {
  const source = await startFakeSource(t, talkativeSource());
  const { file } = await recordRun(sourcesAt(source.url));
  const recording = readRecording(file ?? Buffer.alloc(0));
  const [investigation] = recording.investigations;
  const many = `[${'[],'.repeat(2_000_001)}[]]`;
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const long = 'x'.repeat(16 * 1024 * 1024 + 1);
  const read = (over: object): unknown =>
    readRecording(Buffer.from(JSON.stringify({ ...recording, ...over })));
  for (const bomb of [many, deep, `{"format":1,"more":${many}}`]) {
    assert.throws(() => readRecording(gzipSync(bomb)), /too large or too deeply nested/);
    const report = { investigations: [{ ...investigation, report: bomb }] };
    assert.throws(() => read(report), /too large or too deeply nested/);
  }
  assert.throws(() => read({ bodies: [...recording.bodies, long] }), /too large or too deeply/);
  read({ bodies: [...recording.bodies, long.slice(1)] });
});

test('readRecording() refuses a newer format and answers that are not there', async (t) => {
  const source = await startFakeSource(t, talkativeSource());
  const { file } = await recordRun(sourcesAt(source.url));
  const recording = readRecording(file ?? Buffer.alloc(0));
  const read = (over: object): unknown => {
    return readRecording(Buffer.from(JSON.stringify({ ...recording, ...over })));
  };
  read({});
  assert.throws(() => read({ format: 2 }), /has format 2, but this version reads only 1/);
  assert.throws(() => read({ format: 0 }), RecordingError);
  assert.throws(() => read({ bodies: recording.bodies.slice(1) }), /a body for every answer/);
  const [investigation] = recording.investigations;
  const of = (over: object): object => ({ investigations: [{ ...investigation, ...over }] });
  assert.throws(() => read(of({ now: [1e300] })), /investigations\[0\]\.now\[0\]/);
  assert.throws(() => read(of({ caseFile: null })), /caseFile/);
  assert.throws(() => read(of({ report: '{' })), /\.report: expected JSON/);
});

test('differences() lists the paths at which two values differ', () => {
  const before = { a: 1, b: [{ c: 1 }, 2], d: null };
  assert.deepEqual(differences(before, structuredClone(before)), []);
  assert.deepEqual(differences(before, { ...before, b: [{ c: 2 }, 2, 3] }), ['b[0].c', 'b[2]']);
  assert.deepEqual(differences(before, { a: 1, b: {} }), ['b', 'd']);
  assert.deepEqual(differences([], 1), ['(everything)']);
});
