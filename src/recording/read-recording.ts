import { gunzipSync } from 'node:zlib';
import { isWithinJsonLimits } from '../lib/json-limits.ts';
import {
  boolean, fieldsOf, FormatError, listOf, number, objectOf, oneOf, optional, text, type Parser,
} from '../lib/parse.ts';
import { askedSources, bySource } from '../sources/asked-source.ts';
import { answerBytesMaxDefault } from '../sources/source-client.ts';
import { failureReasons, type Fault } from '../sources/source-failure.ts';
import { caseFile } from './case-file-format.ts';
import {
  recordingFormat, type RecordedEvent, type RecordedInvestigation, type RecordedQuery,
  type Recording,
} from './recording.ts';

/** The file is not a recording that this version can read; the message is a sentence. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
}

/** Far more than is ever recorded; larger files are not unpacked. */
export const unpackedBytesMax: number = 256 * 1024 * 1024;

/** Reads a recording, packed with gzip or plain. Throws RecordingError and nothing else. */
export function readRecording(file: Buffer): Recording {
  const json = unpack(file);
  try {
    return recording(parseBounded(json.toString('utf8')), 'recording');
  } catch (error) {
    if (error instanceof RecordingError) throw error;
    if (error instanceof FormatError) {
      throw new RecordingError(`It is not a recording: ${error.message}.`);
    }
    if (error instanceof SyntaxError) throw new RecordingError('It is damaged: it is not JSON.');
    throw new RecordingError(excessive);
  }
}

const excessive = 'It cannot be read: it is too large or too deeply nested.';

/** A few bytes of JSON can take a hundred times as much memory once they are parsed. */
function parseBounded(json: string): unknown {
  if (!isWithinJsonLimits(json)) throw new RecordingError(excessive);
  return JSON.parse(json);
}

function unpack(file: Buffer): Buffer {
  const isPacked = file[0] === 0x1f && file[1] === 0x8b;
  const tooLarge = `It is too large: more than ${unpackedBytesMax / 1024 / 1024} MiB.`;
  if (!isPacked && file.length > unpackedBytesMax) throw new RecordingError(tooLarge);
  if (!isPacked) return file;
  try {
    return gunzipSync(file, { maxOutputLength: unpackedBytesMax });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new RecordingError(tooLarge);
    throw new RecordingError(`It is damaged: it cannot be unpacked (${code}).`);
  }
}

const parameter: Parser<readonly [string, string]> = (value, path) => {
  const [name, given, ...more] = listOf(text)(value, path);
  if (name !== undefined && given !== undefined && more.length === 0) return [name, given];
  throw new FormatError(path, 'a name and a value', value);
};

const question: Parser<RecordedQuery> = objectOf({
  source: oneOf(...askedSources),
  path: text,
  parameters: listOf(parameter),
  nth: number,
});

const fault: Parser<Required<Fault>> = objectOf({
  reason: oneOf(...failureReasons),
  detail: text,
  status: optional(number, null),
  isTransient: boolean,
});

const event: Parser<RecordedEvent> = (value, path) => {
  const field = fieldsOf(value, path);
  const kind = field('kind', oneOf('answer', 'failure', 'slept'));
  if (kind === 'slept') return { kind, ms: field('ms', number), nth: field('nth', number) };
  const asked = field('question', question);
  return kind === 'answer' ? { kind, question: asked, body: field('body', number) }
    : { kind, question: asked, fault: field('fault', fault) };
};

/** The limit of `Date` (ECMA-262, 21.4.1.1). */
const momentMax = 8.64e15;

const moment: Parser<number> = (value, path) => {
  const ms = number(value, path);
  if (Math.abs(ms) <= momentMax) return ms;
  throw new FormatError(path, 'a time', value);
};

const jsonText: Parser<string> = (value, path) => {
  const json = text(value, path);
  try {
    parseBounded(json);
  } catch (error) {
    throw error instanceof RecordingError ? error : new FormatError(path, 'JSON', value);
  }
  return json;
};

/** An answer, which is not kept if it is longer than is read of one. */
const body: Parser<string> = (value, path) => {
  const answer = text(value, path);
  if (Buffer.byteLength(answer) > answerBytesMaxDefault) throw new RecordingError(excessive);
  return answer;
};

const investigation: Parser<RecordedInvestigation> = objectOf({
  caseFile,
  timeoutsMs: objectOf(bySource(() => optional(number, null))),
  now: listOf(moment),
  monotonic: listOf(number),
  events: listOf(event),
  unanswered: listOf(question),
  report: jsonText,
});

const recording: Parser<Recording> = (value, path) => {
  const field = fieldsOf(value, path);
  const format = field('format', number);
  if (format > recordingFormat) {
    throw new RecordingError(
      `It has format ${format}, but this version reads only ${recordingFormat}: ` +
        'replay it with a newer version.',
    );
  }
  if (format !== recordingFormat) throw new FormatError(`${path}.format`, 'a known format', value);
  const bodies = field('bodies', listOf(body));
  const investigations = field('investigations', listOf(investigation));
  for (const event of investigations.flatMap(({ events }) => events)) {
    if (event.kind === 'answer' && bodies[event.body] === undefined) {
      throw new FormatError(`${path}.bodies`, 'a body for every answer', bodies);
    }
  }
  return { format: recordingFormat, version: field('version', text), investigations, bodies };
};
