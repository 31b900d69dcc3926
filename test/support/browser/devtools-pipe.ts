/**
 * A DevTools client over `--remote-debugging-pipe`: JSON messages that end with a NUL byte, written
 * to the browser's file descriptor 3 and read from its descriptor 4. As no port is opened, nobody
 * else can control the browser, and tests cannot disturb each other.
 */
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type {
  CommandName, EventName, Events, Parameters, Result,
} from './devtools-protocol.ts';

/** A connection to the browser or, with a session, to one of its pages. */
export interface DevTools {
  /** Rejects if the browser refuses, has exited, or does not answer in time. */
  send<C extends CommandName>(command: C, parameters: Parameters<C>): Promise<Result<C>>;
  on<E extends EventName>(event: E, listener: (details: Events[E]) => void): void;
  session(id: string): DevTools;
}

export interface DevToolsPipe extends DevTools {
  /** Rejects all commands that are not answered yet, and all later ones. */
  end(reason: string): void;
}

interface Question {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
}

interface Message {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string; readonly data?: string };
}

const answerWithinMs = 60_000;
const end = '\0';

export function createDevToolsPipe(
  { toBrowser, fromBrowser }: { readonly toBrowser: Writable; readonly fromBrowser: Readable },
): DevToolsPipe {
  const questions = new Map<number, Question>();
  const listeners = new Map<string, ((details: never) => void)[]>();
  let ended: string | null = null;
  let lastId = 0;
  const send = (command: string, params: object, sessionId?: string): Promise<never> => {
    if (ended !== null) return Promise.reject(new Error(`Cannot send ${command}: ${ended}`));
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        questions.delete(id);
        reject(new Error(`No answer to ${command} within ${answerWithinMs} ms`));
      }, answerWithinMs);
      questions.set(id, {
        resolve: (result) => (clearTimeout(late), resolve(result)),
        reject: (error) => (clearTimeout(late), reject(error)),
      });
      toBrowser.write(JSON.stringify({ id, method: command, params, sessionId }) + end);
    });
  };
  const receive = ({ id, sessionId = '', method, params, result, error }: Message): void => {
    if (id === undefined) {
      const told = listeners.get(`${sessionId} ${method}`) ?? [];
      for (const listener of told) listener(params as never);
      return;
    }
    const question = questions.get(id);
    questions.delete(id);
    if (error === undefined) return question?.resolve(result as never);
    question?.reject(new Error(`The browser refuses: ${error.message} ${error.data ?? ''}`));
  };
  const finish = (reason: string): void => {
    ended ??= reason;
    for (const { reject } of questions.values()) reject(new Error(reason));
    questions.clear();
  };
  toBrowser.on('error', (error) => finish(error.message));
  readMessages(fromBrowser, receive);
  const client = (sessionId?: string): DevTools => ({
    send: (command, parameters) => send(command, parameters, sessionId),
    on(event, listener) {
      const key = `${sessionId ?? ''} ${event}`;
      listeners.set(key, [...(listeners.get(key) ?? []), listener]);
    },
    session: (id) => client(id),
  });
  return { ...client(), end: finish };
}

function readMessages(stream: Readable, receive: (message: Message) => void): void {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  stream.on('error', () => undefined);
  stream.on('data', (chunk: Buffer) => {
    const [first = '', ...others] = decoder.write(chunk).split(end);
    parts.push(first);
    for (const next of others) {
      receive(JSON.parse(parts.join('')) as Message);
      parts = [next];
    }
  });
}
