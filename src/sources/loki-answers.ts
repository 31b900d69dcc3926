import { FormatError } from '../lib/parse.ts';
import { AnswerRoom } from './answer-room.ts';
import { JsonReader, valueBytesMax } from './json-reader.ts';
import { readEnvelope, typedResult, type AnswerNotes } from './prometheus-answers.ts';

/** An entry of a log: one line as a rule, several where a stack trace was sent as one. */
export interface LogLine {
  readonly atMs: number;
  readonly text: string;
}

export interface LinesAnswer {
  /** Oldest first. */
  readonly lines: readonly LogLine[];
  /** Whether the window may hold more than these. */
  readonly isCut: boolean;
  readonly notes: AnswerNotes;
}

/** Of one line: what is wrong is said at its beginning, and a dump may follow. */
const lineLengthMax = 1000;
/** A word that the cut would split is left out, up to this: half a secret is not known for one. */
const splitMax = 64;

/** The answer to a log query: `streams` of `[nanoseconds, line, metadata?]`. */
export function readLines(body: Buffer, linesMax: number): LinesAnswer {
  const lines: LogLine[] = [];
  let isCut = false;
  const room = new AnswerRoom();
  const notes = readEnvelope(body, (reader) => {
    const { type, result } = typedResult(reader);
    if (type !== 'streams') throw new FormatError('resultType', 'streams', type);
    eachLine(result, () => lines.length >= linesMax, (atMs, text) => {
      if (text !== null && room.take([text])) lines.push({ atMs, text });
      else isCut = true;
    });
  });
  // As many as were asked for: there may be more, and nothing says so.
  return { lines: inOrder(lines), isCut: isCut || lines.length >= linesMax, notes };
}

/** Tells null for a line that is too long to be read; skips the others once there are enough. */
function eachLine(
  result: Buffer,
  isFull: () => boolean,
  visit: (atMs: number, text: string | null) => void,
): void {
  const streams = new JsonReader(result);
  const readLine = (): void => {
    if (isFull()) return;
    let at = '';
    let text: string | null = null;
    let position = 0;
    streams.array(() => {
      if (position === 0) at = streams.text();
      else if (position === 1) text = textIn(streams.span());
      position += 1;
    });
    visit(millisecondsOf(at), text);
  };
  streams.arrayOrNull(() => streams.object((member) => {
    if (member === 'values') streams.array(readLine);
  }));
}

function textIn(span: Buffer): string | null {
  if (span.length > valueBytesMax) return null;
  const text = new JsonReader(span).text();
  if (text.length <= lineLengthMax) return text;
  const last = /[^\s"'=:,;&]*$/.exec(text.slice(0, lineLengthMax - 1).slice(-splitMax));
  return `${text.slice(0, lineLengthMax - 1 - (last?.[0].length ?? 0))}…`;
}

function millisecondsOf(nanoseconds: string): number {
  if (!/^\d{7,19}$/.test(nanoseconds)) {
    throw new FormatError('values', 'a time in nanoseconds', nanoseconds);
  }
  return Number(nanoseconds.slice(0, -6));
}

/** Streams come one after the other. */
function inOrder(lines: readonly LogLine[]): LogLine[] {
  return lines.toSorted((a, b) => a.atMs - b.atMs || (a.text < b.text ? -1 : 1));
}
