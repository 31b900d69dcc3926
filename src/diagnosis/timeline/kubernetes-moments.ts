import { quotedPattern } from '../../evidence/logs/log-facts.ts';
import { capital } from '../../report/plain-text.ts';
import { signText } from '../sign-text.ts';
import type { Situation } from '../situation.ts';
import type { Moment } from './moment.ts';

const signsMax = 6;

/** When each thing that Kubernetes reports began, or last happened. */
export function kubernetesMoments({ evidence, now }: Situation): Moment[] {
  const { kubernetes, metrics } = evidence;
  if (kubernetes === null) return [];
  const moments: Moment[] = [];
  const note = (at: number | null, text: string, cited: string): void => {
    if (at === null) return;
    moments.push({ at, kind: 'change', text, evidence: cited });
  };
  for (const sign of kubernetes.signs.slice(0, signsMax)) {
    note(sign.sinceMs ?? sign.lastMs, signText(sign, now), sign.evidence);
  }
  const { lastWords } = kubernetes;
  if (lastWords !== null && lastWords.line !== null) {
    const text = `${capital(lastWords.who)} logs ${quotedPattern(lastWords.line)}.`;
    note(lastWords.atMs, text, lastWords.evidence);
  }
  // With metrics, rollouts are among the changes, which the timeline lists already.
  if (metrics === null) {
    for (const rollout of kubernetes.rollouts) {
      note(rollout.atMs, `${rollout.text}.`, rollout.evidence);
    }
  }
  return moments;
}
