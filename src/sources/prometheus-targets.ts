/** The answer of `/api/v1/targets`: what Prometheus knows of its last scrape of each target. */
import type { LabelSet } from '../alert/labels.ts';
import { fieldsOf, text } from '../lib/parse.ts';
import { shortened } from '../lib/shortened.ts';
import { AnswerRoom, readBounded, unwanted } from './answer-room.ts';
import { JsonReader } from './json-reader.ts';
import { readEnvelope } from './prometheus-answers.ts';

export interface FailedScrape {
  readonly labels: LabelSet;
  /** Why, in the words of Prometheus, without the address that it asked. */
  readonly error: string;
}

const errorLengthMax = 300;
const targetMembers: ReadonlySet<string> = new Set(['labels', 'lastError']);
/** It repeats the instance, and its parameters may be secrets. */
const askedAddress = /\b(?:Get|Post) "[^"]*": /gu;

/** The targets whose last scrape failed; others are not kept. */
export function readFailedScrapes(body: Buffer, failedMax: number): readonly FailedScrape[] {
  const room = new AnswerRoom();
  let failed: readonly FailedScrape[] = [];
  const readTarget = (reader: JsonReader): FailedScrape | typeof unwanted | null => {
    const members = reader.members(targetMembers);
    if (members === null) return null;
    const error = fieldsOf(members, 'target')('lastError', text).replace(askedAddress, '');
    if (error === '') return unwanted;
    const labels = room.labels(() => members['labels']);
    return labels === null ? null : { labels, error: shortened(error, errorLengthMax) };
  };
  readEnvelope(body, (reader) => reader.object((member) => {
    if (member !== 'activeTargets') return;
    const bounds = { max: failedMax, room, orNull: true };
    failed = readBounded(reader, bounds, () => readTarget(reader)).items;
  }));
  return failed;
}
