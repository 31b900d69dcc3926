import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unsupportedIn } from '../../src/model/claims/check-claim.ts';
import type { EvidenceItem } from '../../src/report/report.ts';

/** A sentence about the evidence of an alert, and what the check of claims says of it. */
export interface JudgedSentence {
  /** Name of the alert, which is the name of its evidence in `ledgers.json.gz`. */
  readonly alert: string;
  readonly isTrue: boolean;
  readonly text: string;
  /** Ids of the items that it cites. */
  readonly evidence: readonly string[];
  /** The words that the evidence does not bear out; none if the sentence is believed. */
  readonly problems: readonly string[];
}

/** All sentences of `sentences.json` in the folder, in their order. */
export function readJudgedSentences(folder: string): readonly JudgedSentence[] {
  const ledgers = JSON.parse(
    gunzipSync(readFileSync(join(folder, 'ledgers.json.gz'))).toString(),
  ) as Record<string, readonly EvidenceItem[]>;
  const byId = new Map(Object.entries(ledgers).map(([alert, items]) =>
    [alert, new Map(items.map((item) => [item.id, item]))]));
  const sentences = JSON.parse(
    readFileSync(join(folder, 'sentences.json'), 'utf8'),
  ) as readonly Omit<JudgedSentence, 'problems'>[];
  return sentences.map((sentence) => {
    const items = byId.get(sentence.alert);
    if (items === undefined) throw new Error(`No evidence of ${sentence.alert}`);
    return { ...sentence, problems: unsupportedIn(sentence, items) };
  });
}
