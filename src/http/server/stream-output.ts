import type { ServerResponse } from 'node:http';
import type { StreamOutput } from '../exchange.ts';

/** What one reader may leave unread here, beside what the kernel takes. */
export const unreadBytesMax: number = 64 * 1024;

/** Writes to an answer whose headers are sent. */
export function streamOutput(response: ServerResponse): StreamOutput {
  return {
    write(text) {
      if (response.destroyed || response.writableEnded) return;
      response.write(text);
      if (response.writableLength > unreadBytesMax) response.destroy();
    },
    end() {
      if (!response.writableEnded) response.end();
    },
    onClose(callback) {
      response.once('close', callback);
    },
  };
}
