import type { LabelSet } from '../../../alert/labels.ts';
import { formatQuantity } from '../../../lib/quantity.ts';
import type { InstantAnswer } from '../../../sources/prometheus-answers.ts';
import type { WholeFacts } from '../../metric-facts.ts';
import { shareOf, type Whole } from '../../rule/share.ts';
import type { FactWriter } from '../fact-writer.ts';
import type { Question } from '../question.ts';
import { sampleOf } from './own-samples.ts';

export interface AskedWhole {
  readonly whole: Whole;
  /** For the time when the alert fired; null: no answer. */
  readonly answer: InstantAnswer | null;
}

/** Asks how much there was of what the compared value is a share of; null if it is no share. */
export async function askWhole(
  { asker, startsAtMs }: Question,
  compared: string,
): Promise<AskedWhole | null> {
  const whole = shareOf(compared);
  return whole && { whole, answer: await asker.query('own', whole.query, startsAtMs) };
}

/** `own` are the labels of the alert's own series. Null if there was nothing or no answer. */
export function addWhole(
  { add }: FactWriter,
  asked: AskedWhole | null,
  own: LabelSet,
): WholeFacts | null {
  if (asked === null) return null;
  const { query, counted, isRate, rangeSeconds } = asked.whole;
  const atFire = sampleOf(asked.answer, own);
  if (atFire === null || !Number.isFinite(atFire) || atFire <= 0) return null;
  const evidence = add({
    kind: 'series', title: "What the alert's value is a share of", query, state: 'ok',
    summary: `${formatQuantity(atFire, null)} ${counted}${isRate ? ' per second' : ''} ` +
      'when it fired.',
    data: { labels: own, value_at_fire: atFire },
  });
  return { atFire, counted, isRate, rangeSeconds, evidence };
}
