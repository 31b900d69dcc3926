import { differences } from '../recording/differences.ts';
import { Player } from '../recording/player.ts';
import type { RecordedInvestigation, Recording } from '../recording/recording.ts';
import type { Report } from '../report/report.ts';
import { investigate } from './investigate.ts';

export interface Replayed {
  readonly report: Report;
  /** Questions that this version asks and the recording has no answer to. */
  readonly missing: readonly string[];
  /** Paths of what differs from the recorded report; none when it is the same to the byte. */
  readonly differences: readonly string[];
}

/** Investigates once more, with nothing but the recording to ask. */
export async function replayInvestigation(
  investigation: RecordedInvestigation,
  { version, bodies }: Recording,
): Promise<Replayed> {
  const player = new Player(investigation, bodies);
  const { clock, sources } = player;
  const { report } = await investigate(investigation.caseFile, {
    clock, sources, version, signal: new AbortController().signal, onProgress: () => {},
  });
  const text = JSON.stringify(report);
  const { missing } = player;
  if (text === investigation.report) return { report, missing, differences: [] };
  const found = differences(JSON.parse(investigation.report), JSON.parse(text));
  return { report, missing, differences: found.length > 0 ? found : ['the order of members'] };
}
