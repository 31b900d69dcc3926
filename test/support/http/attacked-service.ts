import assert from 'node:assert/strict';
import type { Cleanup } from '../cleanup.ts';
import { unlimited } from '../programs/running-analyst.ts';
import {
  startTestService, type Environment, type RunningService,
} from '../programs/running-service.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { RawClient, type RawAnswer } from './raw-http.ts';

export interface AttackedService extends RunningService {
  readonly port: number;
  /** `127.0.0.1:port`, for the Host header. */
  readonly host: string;
  /** Sends bytes over a new connection; null if the service closes it without an answer. */
  send(bytes: string | Buffer): Promise<RawAnswer | null>;
  /** Sends bytes, half-closes the connection, and collects all answers until the service closes. */
  exhaust(bytes: string | Buffer): Promise<readonly RawAnswer[]>;
  /** Posts exactly this body to the webhook, with these header fields in addition. */
  postBody(body: string | Buffer, fields?: readonly string[]): Promise<RawAnswer>;
  /** Fails unless the service is healthy and has logged no error. */
  assertUnharmed(): Promise<void>;
}

/** Starts the whole service, without rate limits, to be attacked over bare sockets. */
export async function startAttackedService(
  t: Cleanup,
  environment: Environment = {},
): Promise<AttackedService> {
  const directory = temporaryDirectory();
  const running = await startTestService(t, directory, { ...unlimited, ...environment });
  const port = Number(new URL(running.url).port);
  const host = `127.0.0.1:${port}`;
  const send = async (bytes: string | Buffer): Promise<RawAnswer | null> => {
    const client = await RawClient.connect(port, t);
    client.send(bytes);
    const answer = await client.answer();
    client.socket.destroy();
    return answer;
  };
  const exhaust = async (bytes: string | Buffer): Promise<readonly RawAnswer[]> => {
    const client = await RawClient.connect(port, t);
    client.send(bytes);
    client.socket.end();
    const answers: RawAnswer[] = [];
    const isHead = bytes.toString('latin1').startsWith('HEAD ');
    for (;;) {
      const next = await client.answer({ isHead });
      if (next === null) return answers;
      answers.push(next);
    }
  };
  return {
    ...running, port, host, send, exhaust,
    async postBody(body, fields = []) {
      const bytes = typeof body === 'string' ? Buffer.from(body) : body;
      const lines = [
        'POST /webhook HTTP/1.1', `Host: ${host}`, 'Content-Type: application/json', ...fields,
        `Content-Length: ${bytes.length}`, '', '',
      ];
      const head = Buffer.from(lines.join('\r\n'), 'latin1');
      const answer = await send(Buffer.concat([head, bytes]));
      assert.ok(answer !== null, 'the service closed without an answer');
      return answer;
    },
    async assertUnharmed() {
      assert.equal((await fetch(`${running.url}/health`)).status, 200);
      const mistakes = running.log.filter((line) => /"level":"error"|ERROR/.test(line));
      assert.deepEqual(mistakes, []);
    },
  };
}
