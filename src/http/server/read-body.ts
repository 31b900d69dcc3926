import type { IncomingMessage } from 'node:http';
import { ClientGoneError, refusal } from '../http-errors.ts';
import type { BodyRoom, TrackedBody } from './body-room.ts';

interface ReadBodyOptions {
  readonly limitBytes: number;
  /** Shared by all requests. */
  readonly room: BodyRoom;
  /** Stands for the body in the room. Must be released with `room.ended`. */
  readonly body: TrackedBody;
  /** Runs once it is certain that the body will be read. */
  readonly beforeReading: () => void;
}

/**
 * Reads the whole body, at most `limitBytes`. Rejects with HttpError 413 if it is longer, before
 * reading any of it if the length was announced; with 503 if it is evicted because all bodies
 * together take too much memory; and with ClientGoneError if the connection ends early.
 */
export function readBody(
  request: IncomingMessage,
  { limitBytes, room, body, beforeReading }: ReadBodyOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (announcedLength(request) > limitBytes) return reject(refusal('payloadTooLarge'));
    if (request.destroyed) return reject(new ClientGoneError());
    beforeReading();
    const chunks: Buffer[] = [];
    let isOver = false;
    const stop = (error: Error): void => {
      isOver = true;
      room.ended(body);
      request.off('data', onData);
      chunks.length = 0;
      reject(error);
    };
    body.evict = () => stop(refusal('bodyEvicted'));
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      room.received(body, chunk.length);
      if (!isOver && body.size > limitBytes) stop(refusal('payloadTooLarge'));
    };
    request.on('data', onData);
    request.on('end', () => {
      if (isOver) return;
      isOver = true;
      room.completed(body);
      const [first] = chunks;
      const isOne = first !== undefined && chunks.length === 1;
      resolve(isOne ? first : Buffer.concat(chunks, body.size));
      chunks.length = 0; // An idle connection keeps its latest request.
    });
    // Also follows a normal end. An aborted request emits no error unless somebody listens for one.
    request.on('close', () => {
      if (isOver) return;
      room.ended(body);
      reject(new ClientGoneError());
    });
  });
}

/** The announced length of the body in bytes; 0 if none was announced. */
export function announcedLength(request: IncomingMessage): number {
  const sent = request.headers['content-length'];
  return sent === undefined ? 0 : Number(sent);
}
