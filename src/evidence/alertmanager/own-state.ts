import type { Alert } from '../../alert/alert.ts';
import { shownNameOf } from '../../report/alert-place.ts';
import { counted } from '../../report/plain-text.ts';
import type { Statement } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { momentOf, utcText } from '../../report/time-text.ts';
import type { ActiveAlert, Silence } from '../../sources/alertmanager.ts';
import type { AlertmanagerAnswers } from './ask-alertmanager.ts';

/** One sentence on whether the alert reaches people. */
export function ownSummary(own: ActiveAlert | null): string {
  if (own === null) return 'Alertmanager does not have the alert among its active ones.';
  if (own.state === 'unprocessed') return 'Alertmanager has just received the alert.';
  if (own.state === 'active') return 'The alert is active and sent to its receivers.';
  const reasons = [
    own.silencedBy.length > 0 ? 'silenced' : null,
    own.inhibitedBy.length > 0 ? 'inhibited' : null,
    own.mutedBy.length > 0 ? 'muted for the time being' : null,
  ].filter((reason) => reason !== null);
  return `The alert is ${reasons.join(' and ') || 'suppressed'}: it is not sent on.`;
}

export interface OwnContext {
  /** Active alerts around it: inhibitors are looked up in them. */
  readonly others: readonly ActiveAlert[];
  readonly now: number;
  /** The item that the statements rest on. */
  readonly evidence: string;
}

/** Who silences the alert until when, and what inhibits it; nothing when it is plainly active. */
export function ownFindings(
  { status }: Alert,
  { own: told, silences }: AlertmanagerAnswers,
  { others, now, evidence }: OwnContext,
): Statement[] {
  const own = 'value' in told ? told.value : null;
  const say = (text: string): Statement => ({ text: shownText(text, 400), evidence: [evidence] });
  if (own === null) {
    if (status === 'resolved') return [];
    return [say('Alertmanager does not list the alert as active any more: it has ended, or the ' +
      'notification came from another Alertmanager.')];
  }
  const known = silences.flatMap((silence) => ('value' in silence ? [silence.value] : []));
  const unnamed = own.silencedBy.length - known.length;
  return [
    ...known.map((silence) => say(silenceText(silence, now))),
    ...(unnamed > 0 ? [say(`It is muted by ${counted(unnamed, 'silence')} no longer known.`)] : []),
    ...own.inhibitedBy.slice(0, 3).map((fingerprint) => {
      const inhibitor = others.find((other) => other.fingerprint === fingerprint);
      const name = inhibitor === undefined ? fingerprint : shownNameOf(inhibitor.labels);
      return say(`It is inhibited: nobody is told of it while ${name} fires.`);
    }),
    ...own.mutedBy.slice(0, 3).map((name) => say(`It is muted in the time interval ${name}.`)),
  ];
}

function silenceText({ createdBy, comment, endsAt }: Silence, now: number): string {
  const by = createdBy === '' ? '' : ` by ${shownText(createdBy, 80)}`;
  const until = endsAt === null ? '' : ` until ${utcText(momentOf(endsAt, now), now)}`;
  const why = comment === '' ? '' : `: ${shownText(comment, 160)}`;
  return `It is silenced${by}${until}${why}.`;
}
