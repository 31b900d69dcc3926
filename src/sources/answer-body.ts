import { gzipSync } from 'node:zlib';

/** Packed at a time, so that nothing else in the thread waits longer than a few milliseconds. */
const pieceBytes = 128 * 1024;
/** The fastest that still finds the repetitions of which case files and most answers are made. */
export const packLevel = 1;

/**
 * The body of a good answer as it came, kept for recordings. Who shares the answer shares this, so
 * that the body is held and packed once.
 */
export class AnswerBody {
  readonly bytes: number;
  #body: Buffer | null;
  #packed: Promise<readonly Uint8Array[]> | null = null;

  constructor(body: Buffer) {
    this.bytes = body.length;
    this.#body = body;
  }

  /**
   * The body as a string of JSON, in gzip members that can stand among others (RFC 1952, 2.2). The
   * body itself is let go of.
   */
  pack(): Promise<readonly Uint8Array[]> {
    if (this.#body !== null) {
      this.#packed = packInPieces(this.#body);
      this.#body = null;
    }
    return this.#packed ?? Promise.resolve([]);
  }
}

async function packInPieces(body: Buffer): Promise<Uint8Array[]> {
  const members: Uint8Array[] = [];
  for (let at = 0; at === 0 || at < body.length; at += pieceBytes) {
    const isLast = at + pieceBytes >= body.length;
    const quoted = quote(body.subarray(at, at + pieceBytes));
    const piece = quoted.subarray(at === 0 ? 0 : 1, isLast ? undefined : -1);
    members.push(gzipSync(piece, { level: packLevel }));
    await new Promise(setImmediate);
  }
  return members;
}

/**
 * As JSON, byte by byte: of what JSON escapes nothing is part of a longer UTF-8 sequence, so a
 * piece may end within one.
 */
function quote(bytes: Buffer): Buffer {
  return Buffer.from(JSON.stringify(bytes.toString('latin1')), 'latin1');
}
