import { createRedactor } from '../../redaction/redactor.ts';
import { shownText } from '../../report/shown-text.ts';
import { isoTime } from '../../report/time-text.ts';
import { addSourceReport, type CollectContext, type Nothing } from '../source-report.ts';
import { addRate } from './add-rate.ts';
import { addTrouble } from './add-trouble.ts';
import type { LogAnswers } from './ask-logs.ts';
import { emptyTimes } from './counted-lines.ts';
import type { LogFacts } from './log-facts.ts';

/** Items that {@linkcode collectLogs} adds at most. */
export const logItemsMax = 3;

/** Turns the answers into evidence items; the same answers give the same items. */
export function collectLogs(
  answers: LogAnswers,
  { ledger, now, queries, secrets }: CollectContext,
): LogFacts {
  const { window, streams, read } = answers;
  const redactor = createRedactor({ secrets });
  const add = ledger.adderFor('loki', isoTime(now), redactor);
  const source = addSourceReport(add, 'loki', {
    ...answers, queries, nothing: nothingFound(answers),
  });
  const empty = emptyTimes(read?.lines ?? null, window);
  const reading = streams && read && { ...read, streams, window };
  return {
    source, window, ...empty,
    rate: reading && addRate(add, reading),
    trouble: reading && addTrouble(add, reading, redactor.redact),
  };
}

/** Why Loki shows nothing of the alert; null if it has any of its streams. */
function nothingFound({ objects, streams }: LogAnswers): Nothing | null {
  if (streams !== null) return null;
  if (objects.length === 0) {
    return {
      why: 'Loki was not asked: no label of the alert names the pod, the service or the host ' +
        'it is about.',
      hint: 'Keep such a label on the alert.',
    };
  }
  const named = objects.map(({ kind, name }) => `${kind} ${shownText(name, 80)}`).join(' or ');
  const labels = new Set(objects.flatMap(({ matchers }) =>
    matchers.slice(0, labelsShown).map(({ name }) => name)));
  return {
    why: `Loki has no stream of ${named}.`,
    hint: `Check that its logs reach Loki with one of these labels: ${[...labels].join(', ')}.`,
  };
}

const labelsShown = 3;
