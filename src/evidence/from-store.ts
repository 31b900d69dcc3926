import { shownNameOf } from '../report/alert-place.ts';
import type { CaseFile } from '../report/case-file.ts';
import { counted, enumerated } from '../report/plain-text.ts';
import type { HistoryFacts } from './history-facts.ts';
import type { AddItem, Ledger } from './ledger.ts';

const episodesShown = 20;
const openShown = 20;

export interface StoreIds {
  readonly history: string;
  readonly open: string;
  /** The feedback on reports; null when there is none. */
  readonly feedback: string | null;
  /** What explained the alert while it fired; null where nothing did. */
  readonly foundBefore: string | null;
}

/** Adds what the service itself has stored about the alert and about others. */
export function addStoreEvidence(
  ledger: Ledger,
  caseFile: CaseFile,
  history: HistoryFacts,
): StoreIds {
  const add = ledger.adderFor('store', caseFile.receivedAt);
  return {
    history: addHistory(add, caseFile, history), open: addOpenAlerts(add, caseFile),
    feedback: addFeedback(add, caseFile), foundBefore: addFoundBefore(add, caseFile),
  };
}

function addHistory(
  add: AddItem,
  { earlier, unlisted, episode }: CaseFile,
  { recurrence }: HistoryFacts,
): string {
  const hasEarlier = earlier.length > 0;
  return add({
    kind: 'history',
    title: 'Earlier episodes of this alert',
    state: hasEarlier ? 'ok' : 'empty',
    summary: hasEarlier
      ? `${counted(earlier.length + (unlisted?.count ?? 0), 'earlier episode')} on record; ` +
        `${recurrence.last24h} of all episodes began in the last 24 h.`
      : 'No earlier episode of this alert is on record.',
    data: {
      recurrence,
      episodes: [episode, ...earlier].slice(0, episodesShown).map((past) => ({
        number: past.number, startsAt: past.startsAt, endsAt: past.endsAt,
      })),
    },
    truncated: earlier.length >= episodesShown,
  });
}

function addOpenAlerts(add: AddItem, { openAlerts, sameNameOpen }: CaseFile): string {
  const isEmpty = openAlerts.length === 0 && sameNameOpen === 0;
  return add({
    kind: 'related',
    title: 'Other open alerts',
    state: isEmpty ? 'empty' : 'ok',
    summary: isEmpty
      ? 'No other alert is open.'
      : `${counted(openAlerts.length, 'other open alert')} began around the same time; ` +
        `${counted(sameNameOpen, 'other open alert')} ${sameNameOpen === 1 ? 'has' : 'have'} ` +
        'the same name.',
    data: {
      same_name: sameNameOpen,
      began_around: openAlerts.slice(0, openShown).map(({ fingerprint, labels, startsAt }) => ({
        fingerprint, name: shownNameOf(labels), startsAt,
      })),
    },
    truncated: openAlerts.length > openShown,
  });
}

/** Null when there is no feedback, which is the usual case. */
function addFeedback(add: AddItem, { feedback, alert, episode }: CaseFile): string | null {
  const [latest] = feedback;
  if (latest === undefined) return null;
  const own = feedback.filter(({ fingerprint }) => fingerprint === alert.fingerprint);
  const earlier = own.filter(({ number }) => number !== episode.number).length;
  const others = feedback.length - own.length;
  const on = [
    ...(own.length > earlier ? ['this episode'] : []),
    ...(earlier > 0 ? [`${counted(earlier, 'earlier episode')} of this alert`] : []),
    ...(others > 0 ? [`${counted(others, 'episode')} of other alerts with its name`] : []),
  ];
  return add({
    kind: 'history',
    title: 'Feedback from people',
    summary: `Feedback on ${enumerated(on)}, unverified.`,
    data: feedback.map(({ fingerprint, number, reportUrl, at, verdict, cause, note, noisy }) => ({
      fingerprint, episode: number, report_url: reportUrl, at, verdict, cause, note, noisy,
    })),
    fetched_at: latest.at,
  });
}

function addFoundBefore(add: AddItem, { foundBefore }: CaseFile): string | null {
  if (foundBefore === null) return null;
  const { at, cause, certainty } = foundBefore;
  return add({
    kind: 'history', role: 'found_before', title: 'What explained the alert while it fired',
    summary: `${cause} (${certainty}).`, data: foundBefore, fetched_at: at,
  });
}
