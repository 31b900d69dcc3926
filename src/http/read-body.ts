import type { IncomingMessage } from 'node:http';
import { ClientGoneError } from './exchange.ts';
import { payloadTooLarge } from './http-errors.ts';

/**
 * Reads the whole body, at most `limitBytes` of it. Throws 413 before a byte is read where the
 * length was announced, else as soon as the limit is crossed, and `ClientGoneError` when the
 * connection ends early. `beforeReading` runs once the body is sure to be wanted.
 */
export function readBody(
  request: IncomingMessage,
  limitBytes: number,
  beforeReading: () => void,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (announcedLength(request) > limitBytes) return reject(payloadTooLarge());
    if (request.destroyed) return reject(new ClientGoneError());
    beforeReading();
    const chunks: Buffer[] = [];
    let size = 0;
    let isOver = false;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= limitBytes) return;
      isOver = true;
      request.off('data', onData);
      request.pause();
      chunks.length = 0;
      reject(payloadTooLarge());
    };
    request.on('data', onData);
    request.on('end', () => {
      isOver = true;
      const [first] = chunks;
      resolve(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, size));
    });
    // Comes after every end, too. An abort emits no error where nobody listens for one.
    request.on('close', () => {
      if (!isOver) reject(new ClientGoneError());
    });
  });
}

/** The body's length in bytes as announced; 0 when it was not. */
export function announcedLength(request: IncomingMessage): number {
  const sent = request.headers['content-length'];
  return sent === undefined ? 0 : Number(sent);
}
