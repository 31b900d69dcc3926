import { createRedactor } from '../../redaction/redactor.ts';
import { shownText } from '../../report/shown-text.ts';
import { isoTime } from '../../report/time-text.ts';
import type { AddItem, Ledger } from '../ledger.ts';
import type { SourceFault, SourceReport } from '../metric-facts.ts';
import { addSourceItem, type AskedOf } from '../source-item.ts';
import { addRate } from './add-rate.ts';
import { addTrouble } from './add-trouble.ts';
import type { LogAnswers } from './ask-logs.ts';
import { countedLines, emptyTimes } from './counted-lines.ts';
import type { LogFacts } from './log-facts.ts';

/** Items that {@linkcode collectLogs} adds at most. */
export const logItemsMax = 3;

/** Turns the answers into evidence items; the same answers give the same items. */
export function collectLogs(
  answers: LogAnswers,
  { ledger, now, queries, secrets }: {
    readonly ledger: Ledger; readonly now: number; readonly queries: number;
    /** Masked wherever they stand, like anything that looks like a secret. */
    readonly secrets: readonly string[];
  },
): LogFacts {
  const { window, streams, read } = answers;
  const base = { source: 'loki', fetched_at: isoTime(now) };
  const source = addSource((item) => ledger.add({ ...item, ...base, kind: 'source' }), answers);
  const add: AddItem = (item) => ledger.add({ ...item, ...base, kind: 'logs' });
  const lines = read === null ? null : countedLines(read.counts);
  const empty = emptyTimes(lines, window);
  const reading = streams === null || read === null ? null
    : { streams, read, window, lines, emptyUntilMs: empty.emptyUntilMs };
  return {
    source: { ...source, durationMs: Math.round(answers.durationMs), queries },
    window, ...empty,
    rate: reading && addRate(add, reading),
    trouble: reading && addTrouble(add, reading, createRedactor({ secrets })),
  };
}

function addSource(
  add: AddItem,
  answers: LogAnswers,
): Pick<SourceReport, 'state' | 'evidence' | 'failures' | 'mayAnswerLater'> {
  const { objects, streams } = answers;
  const asked = { title: 'Loki', questions: questionsOf(answers), whyNone: noObject };
  const { failed, ...source } = addSourceItem(add, asked);
  const { evidence } = source;
  const isMissing = streams === null && failed.length === 0;
  // One fault per subject is enough, however many objects were asked about.
  const firsts = failed.filter(({ what }, index) => {
    return failed.findIndex((each) => each.what === what) === index;
  });
  const failures = firsts.map(({ what, why, hint }): SourceFault => {
    return { what, why: `Cannot read from Loki: ${why}.`, hint, evidence };
  });
  return { ...source, failures: isMissing ? [withoutStreams(objects, evidence)] : failures };
}

function questionsOf({ found, read }: LogAnswers): AskedOf['questions'] {
  return [
    ...found.map((outcome) => ({ what: 'Which logs are those of the alert', outcome })),
    ...(read === null ? [] : [
      { what: 'Log lines around the alert', outcome: read.after },
      { what: 'Log lines of the hour before', outcome: read.before },
      { what: 'How many lines it logs', outcome: read.counts },
    ]),
  ];
}

const noObject = 'no label of the alert names the pod, the service or the host it is about.';

/** The fault when all questions were answered but no stream is the alert's. */
function withoutStreams(objects: LogAnswers['objects'], evidence: string): SourceFault {
  const named = objects.map(({ kind, name }) => `${kind} ${shownText(name, 80)}`).join(' or ');
  const labels = [...new Set(objects.flatMap(({ matchers }) => {
    return matchers.slice(0, labelsShown).map(({ name }) => name);
  }))];
  return {
    what: 'Log lines around the alert', evidence,
    why: objects.length === 0 ? `Loki was not asked: ${noObject}`
      : `Loki has no stream of ${named}.`,
    hint: objects.length === 0 ? 'Keep such a label on the alert.'
      : `Check that its logs reach Loki with one of these labels: ${labels.join(', ')}.`,
  };
}

const labelsShown = 3;
