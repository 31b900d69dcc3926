import { gzipSync } from 'node:zlib';
import { packLevel, type AnswerBody } from '../sources/answer-body.ts';
import type { Recorded } from './recorder.ts';
import { recordingFormat, type RecordedEvent, type RecordedInvestigation } from './recording.ts';

interface PackOptions {
  /** Version of the service that makes the recording. */
  readonly version: string;
  /** Size limit of the packed recording. */
  readonly bytesMax: number;
}

/**
 * Packs a recording into a file: JSON in consecutive gzip members, which unpack as one (RFC 1952,
 * 2.2). That way an answer that several recordings share is compressed once, and packing takes
 * small steps. Null when the file would exceed `bytesMax`.
 */
export async function packRecording(
  recorded: readonly Recorded[],
  { version, bytesMax }: PackOptions,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const bodies = [...new Set(recorded.flatMap((each) => each.bodies))];
  const indexes = new Map(bodies.map((body, index) => [body, index]));
  const investigations = recorded.map((each) => withIndexes(each, indexes));
  const head = JSON.stringify({ format: recordingFormat, version, investigations });
  const members: Uint8Array[] = [gzipSync(`${head.slice(0, -1)},"bodies":[`, { level: packLevel })];
  for (const [index, body] of bodies.entries()) {
    if (index > 0) members.push(comma);
    members.push(...await body.pack());
    if (sizeOf(members) > bytesMax) return null;
  }
  members.push(end);
  return sizeOf(members) > bytesMax ? null : joined(members);
}

const comma: Uint8Array = gzipSync(',');
const end: Uint8Array = gzipSync(']}');

function sizeOf(members: readonly Uint8Array[]): number {
  return members.reduce((sum, { length }) => sum + length, 0);
}

/** Copies into one buffer, which can be transferred to another thread. */
function joined(members: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(sizeOf(members));
  let at = 0;
  for (const member of members) {
    file.set(member, at);
    at += member.length;
  }
  return file;
}

/** Makes the events refer to bodies by their index among those of all investigations. */
function withIndexes(
  { investigation, bodies }: Recorded,
  indexes: ReadonlyMap<AnswerBody, number>,
): RecordedInvestigation {
  const indexOf = bodies.map((body) => indexes.get(body) ?? -1);
  const events = investigation.events.map((event): RecordedEvent =>
    event.kind === 'answer' ? { ...event, body: indexOf[event.body] ?? -1 } : event);
  return { ...investigation, events };
}
