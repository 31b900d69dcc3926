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
  const { signs, lastWords, rollouts } = kubernetes;
  const moments = signs.slice(0, signsMax).map((sign) => ({
    at: sign.sinceMs ?? sign.lastMs, text: signText(sign, now), evidence: sign.evidence,
  }));
  if (lastWords !== null && lastWords.line !== null) {
    const text = `${capital(lastWords.who)} logs ${quotedPattern(lastWords.line)}.`;
    moments.push({ at: lastWords.atMs, text, evidence: lastWords.evidence });
  }
  // With metrics, rollouts are among the changes, which the timeline lists already.
  for (const { atMs, text, evidence: cited } of metrics === null ? rollouts : []) {
    moments.push({ at: atMs, text: `${text}.`, evidence: cited });
  }
  return moments.flatMap(({ at, ...told }): Moment[] =>
    at === null ? [] : [{ at, kind: 'change', ...told }]);
}
