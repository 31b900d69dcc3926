import { labelOf } from '../../alert/labels.ts';
import { isFitForShell, shellWord } from '../../lib/shell-word.ts';
import { placeOf } from '../../report/alert-place.ts';
import { counted } from '../../report/plain-text.ts';
import { shownText } from '../../report/shown-text.ts';
import { utcText } from '../../report/time-text.ts';
import { citing } from '../citing.ts';
import type { Judged } from '../judged.ts';
import { isResolved } from '../situation.ts';
import { explanation, type Explained } from './explanation.ts';

/** The series that a rule misses were there until some time: who exposed them, and what it does. */
export function seriesVanished(judged: Judged): Explained[] {
  const { evidence: { metrics }, caseFile: { alert }, now } = judged;
  const seen = metrics?.lastSeen ?? null;
  if (seen === null || isResolved(judged)) return [];
  const { metric, atMs, target, isUp, others, evidence } = seen;
  const place = placeOf(alert.labels);
  const which = `${shownText(metric, 120)}${place === '' ? '' : ` of ${place}`}`;
  const instance = labelOf(target, 'instance') ?? '';
  const who = instance === '' ? '' : `, last exposed by ${shownText(instance, 80)}`;
  const state = isUp === null ? ', which is not scraped any more' : isUp
    ? `, which is up and ${others > 0 ? `exposes ${counted(others, 'other')} of it`
      : 'exposes no others of it'}`
    : ', which is down';
  const text = `${which} vanished at ${utcText(atMs, now, true)}${who}${who === '' ? '' : state}`;
  const isFit = instance !== '' && isFitForShell(instance + metric);
  return [{
    ...explanation({
      kind: 'family', family_cause: 'vanished', about: instance === '' ? [] : [instance],
      cause: text,
    }, 'likely', citing([evidence], `${text}.`)),
    mechanism: 'What wrote it has stopped or removed it, or writes it under other labels.',
    lookAt: {
      action: `See what ${instance === '' ? 'exposed it' : shownText(instance, 80)} exposes now, ` +
        `and why no longer ${which}`,
      command: isFit ? `curl -gsS -m 10 --url http://${shellWord(instance)}/metrics | ` +
        `grep -F ${shellWord(metric)}` : null,
    },
  }];
}
