import { connect, type Socket } from 'node:net';
import type { Cleanup } from '../cleanup.ts';

/** One response as received. Header names are in lower case. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A client that sends exactly the bytes it is given, valid HTTP or not. */
export class RawClient {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  #received = '';
  #wake: () => void = () => {};
  #isClosed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => {
      this.#received += chunk.toString('latin1');
      this.#wake();
    });
    socket.on('error', () => {}); // A reset counts as a close.
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.#isClosed = true;
        this.#wake();
        resolve();
      });
    });
  }

  static async connect(port: number, t: Cleanup): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1' });
    t.after(() => void socket.destroy());
    const client = new RawClient(socket);
    await new Promise((resolve) => socket.once('connect', resolve));
    return client;
  }

  send(bytes: string | Buffer): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** Bytes received and not yet returned by `answer`. */
  get received(): string {
    return this.#received;
  }

  /** The next complete response, 1xx included; null if the connection closes before it. */
  async answer(options: { isHead?: boolean } = {}): Promise<RawAnswer | null> {
    for (;;) {
      const taken = takeAnswer(this.#received, options.isHead ?? false);
      if (taken !== null) {
        this.#received = taken.rest;
        return taken.answer;
      }
      if (this.#isClosed) return null;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

function takeAnswer(text: string, isHead: boolean): { answer: RawAnswer; rest: string } | null {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const [statusLine = '', ...fields] = text.slice(0, headEnd).split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  const headers = new Map(fields.map((field) => {
    const colon = field.indexOf(':');
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()] as const;
  }));
  const length = isHead || status < 200 ? 0 : Number(headers.get('content-length') ?? 0);
  const bodyEnd = headEnd + 4 + length;
  if (text.length < bodyEnd) return null;
  const body = Buffer.from(text.slice(headEnd + 4, bodyEnd), 'latin1').toString();
  return { answer: { status, headers, body }, rest: text.slice(bodyEnd) };
}
