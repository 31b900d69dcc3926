import { counted } from '../../report/plain-text.ts';
import type { Statement } from '../../report/report.ts';
import { utcText } from '../../report/time-text.ts';
import { citing } from '../citing.ts';
import type { Judged } from '../judged.ts';
import { saidValue } from './change-words.ts';
import type { ChangeOutcome } from './outcomes.ts';

const listedMax = 8;

/** Which of the changes came back and when, which did not, and for how many that is unknown. */
export function movedBack({ outcomes, evidence, now }: Judged): Statement[] {
  const told = outcomes.filter(({ atEnd: { state } }) =>
    state !== 'unseen' && state !== 'unsettled');
  const cited = evidence.metrics?.recovery?.evidence;
  if (cited === undefined) return [];
  const statements = told.slice(0, listedMax).map((outcome) => ({
    text: outcomeText(outcome, now), evidence: outcome.evidence,
  }));
  const more = told.slice(listedMax);
  const back = more.filter(({ atEnd }) => atEnd.state === 'back').length;
  const open = outcomes.length - told.length;
  return [...statements, ...citing([cited],
    more.length > 0 && `${back} of ${counted(more.length, 'further change')} came back.`,
    open > 0 && `Whether ${counted(open, 'change')} came back is unknown: there are too few ` +
      'values after the end.')];
}

function outcomeText({ name, atEnd, series }: ChangeOutcome, now: number): string {
  const { state, backMs, isFromStart, level } = atEnd;
  if (series === null) {
    return state !== 'back' || backMs === null ? `${name} is still gone: no series came back.`
      : `${name} came back at ${utcText(backMs, now)}.`;
  }
  const { candidate, before } = series;
  const said = (value: number | null): string => saidValue(candidate, value);
  if (state === 'back' && backMs !== null) {
    const at = `${isFromStart ? 'before' : 'at'} ${utcText(backMs, now)}`;
    return `${name} came back to ${said(level)} ${at}.`;
  }
  const part = state === 'partly' ? 'came back only in part' : 'did not come back';
  return `${name} ${part}: ${said(level)} at the end, ${said(before)} before.`;
}
