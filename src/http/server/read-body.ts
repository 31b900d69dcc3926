import type { IncomingMessage } from 'node:http';
import { ClientGoneError } from '../exchange.ts';
import type { Arriving, BodyRoom } from './body-room.ts';
import { payloadTooLarge, tooMuchAtOnce } from '../http-errors.ts';

interface ReadBodyOptions {
  readonly limitBytes: number;
  /** Shared by all bodies. */
  readonly room: BodyRoom;
  /** Told of the body once it is there: whoever asked for it gives its room back. */
  readonly onCompleted: (body: Arriving) => void;
  /** Runs once the body is sure to be wanted. */
  readonly beforeReading: () => void;
}

/**
 * Reads the whole body, at most `limitBytes` of it. Throws 413 before a byte is read where the
 * length was announced, else as soon as the limit is crossed, and `ClientGoneError` when the
 * connection ends early. Throws 503 when there is no room for so large a one beside the others.
 */
export function readBody(
  request: IncomingMessage,
  { limitBytes, room, onCompleted, beforeReading }: ReadBodyOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (announcedLength(request) > limitBytes) return reject(payloadTooLarge());
    if (request.destroyed) return reject(new ClientGoneError());
    beforeReading();
    const chunks: Buffer[] = [];
    let isOver = false;
    const stop = (error: Error): void => {
      isOver = true;
      room.ended(body);
      request.off('data', onData);
      request.pause();
      chunks.length = 0;
      reject(error);
    };
    const body: Arriving = { size: 0, giveWay: () => stop(tooMuchAtOnce()) };
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      room.received(body, chunk.length);
      if (!isOver && body.size > limitBytes) stop(payloadTooLarge());
    };
    request.on('data', onData);
    request.on('end', () => {
      if (isOver) return;
      isOver = true;
      room.completed(body);
      onCompleted(body);
      const [first] = chunks;
      const isOne = first !== undefined && chunks.length === 1;
      resolve(isOne ? first : Buffer.concat(chunks, body.size));
    });
    // Comes after every end, too. An abort emits no error where nobody listens for one.
    request.on('close', () => {
      if (isOver) return;
      room.ended(body);
      reject(new ClientGoneError());
    });
  });
}

/** The body's length in bytes as announced; 0 when it was not. */
export function announcedLength(request: IncomingMessage): number {
  const sent = request.headers['content-length'];
  return sent === undefined ? 0 : Number(sent);
}
