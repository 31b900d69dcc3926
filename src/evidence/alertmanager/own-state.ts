import type { Alert } from '../../alert/alert.ts';
import { shownNameOf } from '../../report/alert-place.ts';
import { counted } from '../../report/plain-text.ts';
import type { Statement } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { momentOf, utcText } from '../../report/time-text.ts';
import type { ActiveAlert, Silence } from '../../sources/alertmanager.ts';
import type { AlertmanagerAnswers } from './ask-alertmanager.ts';

/** One sentence on whether notifications about the alert are sent. */
export function ownSummary(own: ActiveAlert | null): string {
  if (own === null) return 'The alert is not active in Alertmanager.';
  if (own.state === 'unprocessed') return 'Alertmanager has just received the alert.';
  if (own.state === 'active') return 'The alert is active and sent to its receivers.';
  const reasons = [
    own.silencedBy.length > 0 ? 'silenced' : null,
    own.inhibitedBy.length > 0 ? 'inhibited' : null,
    own.mutedBy.length > 0 ? 'muted by a time interval' : null,
  ].filter((reason) => reason !== null);
  return `The alert is ${reasons.join(' and ') || 'suppressed'}: no notification is sent.`;
}

interface OwnContext extends Pick<AlertmanagerAnswers, 'silences'> {
  /** The alert as Alertmanager has it; null if it is not active there. */
  readonly found: ActiveAlert | null;
  /** Other active alerts, in which inhibitors are looked up. */
  readonly others: readonly ActiveAlert[];
  readonly now: number;
  /** The item that the statements cite. */
  readonly evidence: string;
}

/** What silences, inhibits or mutes the alert, and until when; empty when nothing does. */
export function ownFindings(
  { status }: Alert,
  { found: own, silences, others, now, evidence }: OwnContext,
): Statement[] {
  const say = (text: string): Statement => ({ text: shownText(text, 400), evidence: [evidence] });
  if (own === null) {
    if (status === 'resolved') return [];
    return [say('The alert is no longer active in Alertmanager: it has ended, or the ' +
      'notification came from another Alertmanager.')];
  }
  const unread = own.silencedBy.length - silences.length;
  return [
    ...silences.map((silence) => say(silenceText(silence, now))),
    ...(unread > 0 ? [say(`It is ${silences.length > 0 ? 'also ' : ''}silenced by ` +
      `${counted(unread, 'silence')} whose details were not read.`)] : []),
    ...own.inhibitedBy.slice(0, 3).map((fingerprint) => {
      const inhibitor = others.find((other) => other.fingerprint === fingerprint);
      const name = inhibitor === undefined ? fingerprint : shownNameOf(inhibitor.labels);
      return say(`It is inhibited: no notification is sent while ${name} fires.`);
    }),
    ...own.mutedBy.slice(0, 3).map((name) => say(`It is muted by the time interval ${name}.`)),
  ];
}

function silenceText({ createdBy, comment, endsAt }: Silence, now: number): string {
  const by = createdBy === '' ? '' : ` by ${shownText(createdBy, 80)}`;
  const until = endsAt === null ? '' : ` until ${utcText(momentOf(endsAt, now), now)}`;
  const why = comment === '' ? '' : `: ${shownText(comment, 160)}`;
  return `It is silenced${by}${until}${why}.`;
}
