import { isUtf8 } from 'node:buffer';
import type { HttpAnswer } from '../lib/http-request.ts';
import { memberOf } from '../lib/parse.ts';
import { FaultError, faultOfStatus, type Fault } from './source-failure.ts';

const errorBytesMax = 16 * 1024;

/**
 * The body of a good JSON answer; throws FaultError for any other. Reading stops beyond `bytesMax`
 * decompressed bytes, whatever Content-Length says.
 */
export async function readAnswer(answer: HttpAnswer, bytesMax: number): Promise<Buffer> {
  await checkIsJson(answer);
  const body = await readBody(answer, bytesMax);
  checkBeginsAsJson(body, answer.status);
  return body;
}

/** The body of a good text answer, which may be empty. Throws as {@linkcode readAnswer}. */
export async function readText(answer: HttpAnswer, bytesMax: number): Promise<Buffer> {
  const fault = await faultIn(answer);
  if (fault !== null) throw new FaultError(fault);
  if (isPage(typeOf(answer))) {
    throw new FaultError({ reason: 'not_json', detail: aWebPage, status: answer.status });
  }
  return wellFormed(await readBody(answer, bytesMax));
}

/** Recordings hold bodies as text. */
function wellFormed(body: Buffer): Buffer {
  return isUtf8(body) ? body : Buffer.from(body.toString());
}

/** The first bytes of a good JSON answer, the rest of which is left unread. Throws the same. */
export async function readBeginning(answer: HttpAnswer, bytesWanted: number): Promise<Buffer> {
  await checkIsJson(answer);
  return wellFormed(await readFirst(answer, bytesWanted));
}

async function checkIsJson(answer: HttpAnswer): Promise<void> {
  const fault = await faultIn(answer);
  if (fault !== null) throw new FaultError(fault);
  const contentType = typeOf(answer);
  // Some servers send no content type, or the one that Go guesses.
  if (/^$|\bjson\b|^text\/plain/i.test(contentType)) return;
  const detail = isPage(contentType) ? aWebPage : 'it did not answer in JSON';
  throw new FaultError({ reason: 'not_json', detail, status: answer.status });
}

/** The fault by an answer's status and error body; null for 2xx, whose body is left unread. */
export async function faultIn(answer: HttpAnswer): Promise<Fault | null> {
  const { status } = answer;
  if (status >= 200 && status <= 299) return null;
  return faultOfStatus(status, messageIn(await readStart(answer), typeOf(answer)));
}

async function readBody(answer: HttpAnswer, bytesMax: number): Promise<Buffer> {
  const { status, headers } = answer;
  const checkSize = (bytes: number): void => {
    if (bytes <= bytesMax) return;
    const detail = `its answer is larger than ${bytesMax} bytes`;
    throw new FaultError({ reason: 'too_large', detail, status });
  };
  checkSize(Number(headers['content-length'] ?? 0)); // If it is packed, it is larger yet.
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    bytes += chunk.length;
    checkSize(bytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function checkBeginsAsJson(body: Buffer, status: number): void {
  const isMarkup = /^\s*</.test(body.toString('latin1', 0, 64));
  const detail = body.length === 0
    ? 'its answer is empty'
    : isMarkup ? aWebPage : isUtf8(body) ? null : 'its answer is not UTF-8';
  if (detail !== null) throw new FaultError({ reason: 'not_json', detail, status });
}

const aWebPage = 'it answered with a web page';

function typeOf({ headers }: HttpAnswer): string {
  return headers['content-type'] ?? '';
}

function isPage(contentType: string): boolean {
  return /^text\/html|xhtml/i.test(contentType);
}

/** The beginning of a body, enough for the explanation of an error. */
export async function readStart(answer: HttpAnswer): Promise<string> {
  return (await readFirst(answer, errorBytesMax)).toString('utf8');
}

async function readFirst({ body }: HttpAnswer, bytesWanted: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= bytesWanted) break;
  }
  return Buffer.concat(chunks).subarray(0, bytesWanted);
}

/**
 * The message in an error body: `error` of Prometheus, `message` of Kubernetes and Grafana,
 * `detail` of this service, a bare string of Alertmanager, plain text of Loki. Web pages are not
 * quoted.
 */
function messageIn(body: string, contentType: string): string {
  if (isPage(contentType) || /^\s*</.test(body)) return 'a web page';
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'string') return value;
    return ['error', 'message', 'detail'].map((name) => memberOf(value, name))
      .find((message) => typeof message === 'string') ?? '';
  } catch {
    return body.trim();
  }
}
