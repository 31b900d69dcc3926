import { gzipSync } from 'node:zlib';

/** Compressed in one step, so that the thread is blocked for a few milliseconds at most. */
const pieceBytes = 128 * 1024;
/** The fastest level that still compresses the repetitive case files and answers well. */
export const packLevel = 1;

/**
 * The raw body of a good answer, kept for recordings. Shared by all who share the answer, so that
 * it is held and compressed once.
 */
export class AnswerBody {
  readonly bytes: number;
  /** Empty once it is packed. */
  #body: Buffer;
  #packed: Promise<readonly Uint8Array[]> | null = null;

  constructor(body: Buffer) {
    this.bytes = body.length;
    this.#body = body;
  }

  /**
   * Compresses the body, as a JSON string, into gzip members that can be concatenated with others
   * (RFC 1952, 2.2), and releases the body itself.
   */
  pack(): Promise<readonly Uint8Array[]> {
    this.#packed ??= packInPieces(this.#body);
    this.#body = Buffer.alloc(0);
    return this.#packed;
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
 * The bytes as a JSON string. JSON only escapes ASCII characters, so a piece may end in the middle
 * of a UTF-8 sequence.
 */
function quote(bytes: Buffer): Buffer {
  return Buffer.from(JSON.stringify(bytes.toString('latin1')), 'latin1');
}
