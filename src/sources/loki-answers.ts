import { compareText } from '../lib/compare-text.ts';
import { FormatError } from '../lib/parse.ts';
import { shortened } from '../lib/shortened.ts';
import { AnswerRoom } from './answer-room.ts';
import { JsonReader, valueBytesMax } from './json-reader.ts';
import { readEnvelope, typedResult, type AnswerNotes } from './prometheus-answers.ts';

/** A log entry: usually one line, or several if a stack trace was sent as one entry. */
interface LogLine {
  readonly atMs: number;
  readonly text: string;
}

export interface LinesAnswer {
  /** Oldest first. */
  readonly lines: readonly LogLine[];
  /** Whether the window may hold more lines. */
  readonly isCut: boolean;
  readonly notes: AnswerNotes;
}

/** Most kept of one line: the error is at its beginning, and a dump may follow. */
const lineLengthMax = 1000;
/** A word of up to this length is not split by the cut: half a secret would not be recognised. */
const splitMax = 64;

/** The answer to a log query: `streams` with their lines as `values`. */
export function readLines(body: Buffer, linesMax: number): LinesAnswer {
  const lines: LogLine[] = [];
  let isCut = false;
  const room = new AnswerRoom();
  const { notes } = readEnvelope(body, (envelope) => {
    const reader = new JsonReader(typedResult(envelope, 'streams').result);
    const visit = (): void => {
      const line = lines.length < linesMax ? readLine(reader) : null;
      if (line !== null && room.take([line.text])) lines.push(line);
      else isCut = true;
    };
    reader.arrayOrNull(() => reader.object((member) => {
      if (member === 'values') reader.array(visit);
    }));
  });
  // Loki does not say whether there are more than were asked for.
  // The answer lists one stream after the other.
  lines.sort((a, b) => a.atMs - b.atMs || compareText(a.text, b.text));
  return { lines, isCut: isCut || lines.length >= linesMax, notes };
}

/** Reads `[nanoseconds, line, metadata?]`; null if the line is too long. */
function readLine(reader: JsonReader): LogLine | null {
  const entry: (string | null)[] = [];
  reader.array(() => {
    if (entry.length === 0) entry.push(reader.text());
    else if (entry.length === 1) entry.push(textIn(reader.span()));
  });
  const [at, text = null] = entry;
  const atMs = millisecondsOf(at ?? '');
  return text === null ? null : { atMs, text };
}

function textIn(span: Buffer): string | null {
  if (span.length > valueBytesMax) return null;
  const text = new JsonReader(span).text();
  if (text.length <= lineLengthMax) return text;
  const last = /[^\s"'=:,;&]*$/.exec(text.slice(0, lineLengthMax - 1).slice(-splitMax));
  return shortened(text, lineLengthMax - (last?.[0].length ?? 0));
}

function millisecondsOf(nanoseconds: string): number {
  if (!/^\d{7,19}$/.test(nanoseconds)) {
    throw new FormatError('values', 'a time in nanoseconds', nanoseconds);
  }
  return Number(nanoseconds.slice(0, -6));
}
