import { parseTime } from '../alert/timestamp.ts';
import type { Episode } from '../episodes/episode.ts';
import type { Report } from '../report/report.ts';
import { lookAgainAfterMs, secondLookCheck } from './look-again.ts';
import { waitingMax } from './second-looks.ts';
import { toldAlertOf, type ToldAlert } from './told-alert.ts';

/** A look that was due longer ago than this, while nothing ran, is not made up for. */
const missedMsMax = 60 * 60_000;

export interface AwaitedLook {
  readonly episode: Episode;
  readonly told: ToldAlert;
  /** Wall time in milliseconds; in the past where it was missed. */
  readonly at: number;
}

export interface AwaitedLooksOptions {
  /** Wall time in milliseconds. */
  readonly now: number;
  /** The stored report's text, or null when there is none or it is damaged. */
  readonly read: (fingerprint: string, number: number) => Promise<string | null>;
}

/**
 * The second looks that the last process did not come to: of episodes that are still open, began a
 * short while ago, and whose report was made too early to see much, as it says itself.
 */
export async function* awaitedLooks(
  open: Iterable<Episode>,
  { now, read }: AwaitedLooksOptions,
): AsyncIterable<AwaitedLook> {
  const recent = [...open]
    .map((episode) => ({ episode, at: (parseTime(episode.startsAt) ?? 0) + lookAgainAfterMs }))
    .filter(({ episode, at }) => episode.analysis === 'reported' && at > now - missedMsMax)
    .slice(0, waitingMax);
  for (const { episode, at } of recent) {
    const stored = await read(episode.fingerprint, episode.number);
    const report = stored === null ? null : (JSON.parse(stored) as Report);
    if (report !== null && isAwaited(report)) yield { episode, told: toldAlertOf(report), at };
  }
}

function isAwaited({ provenance }: Report): boolean {
  return provenance.checks.some(({ name, state }) => {
    return name === secondLookCheck && state === 'skipped';
  });
}
