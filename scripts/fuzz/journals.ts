import assert from 'node:assert/strict';
import { recordKinds } from '../../src/episodes/episode-journal.ts';
import { ReceivedAlert } from '../../src/episodes/received-alert.ts';
import { changeOf, decodeNotification, encodeNotification } from '../../src/episodes/records.ts';
import { FormatError } from '../../src/lib/parse.ts';
import {
  appendEach, appendText, openJournal, reliableDisk, textsOf,
} from '../../test/support/disk/open-journal.ts';
import { aGroup, anAlert } from '../../test/support/samples/alerts.ts';
import type { Chance } from './chance.ts';
import { mutateBytes, splice } from './mutate-bytes.ts';
import { mutatedJson } from './mutate-json.ts';
import { orDeclared, type Target } from './target.ts';

const segments = ['/data/segment-00000001.journal', '/data/segment-00000002.journal'];

interface Written {
  readonly texts: readonly string[];
  readonly files: readonly Buffer[];
}

let written: Written | null = null;

/** Two segments; the second was written after a restart. */
async function writtenOnce(): Promise<Written> {
  if (written !== null) return written;
  const disk = reliableDisk();
  const texts = Array.from({ length: 24 }, (_, index) => `${index}:`.padEnd(5 + index * 7, '.'));
  for (const half of [texts.slice(0, 14), texts.slice(14)]) {
    const { journal } = await openJournal(disk);
    await appendEach(journal, half);
    await journal.close();
  }
  written = { texts, files: segments.map((name) => disk.contentOf(name)) };
  return written;
}

/**
 * A damaged journal: it opens, replays only records that were written, each once and in order, and
 * replays the same after the next start.
 */
export const journals: Target = {
  name: 'journal',
  async run(chance) {
    const { texts, files } = await writtenOnce();
    const disk = reliableDisk(chance.below(1000));
    for (const [index, name] of segments.entries()) {
      disk.place(name, damaged(files[index] ?? Buffer.alloc(0), files, chance));
    }
    const first = await openJournal(disk);
    const told = textsOf(first.told);
    const places = told.map((text) => texts.indexOf(text));
    assert.ok(places.every((place) => place >= 0), 'replays a record that nobody wrote');
    assert.ok(
      places.every((place, at) => at === 0 || place > (places[at - 1] ?? 0)),
      'replays records twice or out of order',
    );
    const { damagedRegions, tornTails, missingRecords } = first.journal.stats;
    if (told.length < texts.length && damagedRegions + tornTails + missingRecords === 0) {
      const isCut = texts.slice(0, told.length).every((text, at) => text === told[at]);
      assert.ok(isCut, 'records are missing from the middle, and the statistics do not say so');
    }
    await appendText(first.journal, 'later');
    await first.journal.close();
    const second = await openJournal(disk);
    assert.deepEqual(textsOf(second.told), [...told, 'later']);
    await second.journal.close();
  },
};

function damaged(file: Buffer, files: readonly Buffer[], chance: Chance): Buffer {
  if (chance.oneIn(4)) return file;
  return chance.oneIn(6) ? splice(file, chance.pick(files), chance) : mutateBytes(file, chance);
}

const key = { fingerprint: anAlert().fingerprint, number: 3 };
const said = {
  at: '2026-11-20T10:00:00.000Z', verdict: 'right', cause: 'a', note: null, noisy: true,
};
const told = ReceivedAlert.of({ alert: anAlert(), group: aGroup }, 5);
const conclusion = { classification: 'noisy', certainty: 'likely', headline: 'It flaps' } as const;
const episode = {
  ...key, analysis: 'queued', latest: told, conclusion, incident: null, feedback: [said],
};

const joined = (parts: readonly Uint8Array[]): Buffer => Buffer.concat(parts);
const records: readonly { bytes: Buffer; decode: (payload: Buffer) => unknown }[] = [
  {
    bytes: joined(encodeNotification({
      receivedAt: 1, accepted: [{ ...key, kind: 'opened', index: 0 }], body: Buffer.from('{}'),
    })),
    decode: decodeNotification,
  },
  {
    bytes: joined(encodeNotification({
      receivedAt: 1, body: Buffer.from('{}'),
      accepted: [{ ...key, kind: 'resolved', index: 0, change: changeOf(anAlert()) }],
    })),
    decode: decodeNotification,
  },
  { bytes: joined(recordKinds.attempt.encode(key)), decode: recordKinds.attempt.decode },
  {
    bytes: joined(recordKinds.outcome.encode({
      ...key, state: 'reported', revision: 2, conclusion,
    })),
    decode: recordKinds.outcome.decode,
  },
  {
    bytes: joined(recordKinds.feedback.encode({ ...key, feedback: { ...said, verdict: 'right' } })),
    decode: recordKinds.feedback.decode,
  },
  { bytes: joined(recordKinds.again.encode({ ...key, told })), decode: recordKinds.again.decode },
  {
    bytes: Buffer.from(JSON.stringify({ episode, sequence: 9, acceptance: null })),
    decode: recordKinds.episode.decode,
  },
];

/** Payloads that pass the checksum but are malformed: a record, or FormatError. */
export const journalRecords: Target = {
  name: 'journal-record',
  run(chance) {
    const { bytes, decode } = chance.pick(records);
    const value = bytes[0] === 0x7b && chance.oneIn(2)
      ? mutatedJson(JSON.parse(bytes.toString()), chance, 8)
      : mutateBytes(bytes, chance);
    orDeclared(() => JSON.stringify(decode(value)), (error) => error instanceof FormatError);
    assert.doesNotThrow(() => decode(bytes), 'the intact record cannot be decoded');
  },
};
