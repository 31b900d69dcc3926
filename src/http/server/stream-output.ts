import type { ServerResponse } from 'node:http';
import type { StreamOutput } from '../exchange.ts';

/** Bytes buffered per slow reader in this process, besides the kernel's buffers. */
export const unreadBytesMax: number = 64 * 1024;

/** Writes to a response whose headers have been sent. */
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
      if (response.closed) callback();
      else response.once('close', callback);
    },
  };
}
