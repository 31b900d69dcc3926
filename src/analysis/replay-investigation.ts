import { differences } from '../recording/differences.ts';
import { Player } from '../recording/player.ts';
import type { RecordedInvestigation, Recording } from '../recording/recording.ts';
import type { Report } from '../report/report.ts';
import { investigate } from './investigate.ts';

export interface Replayed {
  readonly report: Report;
  /** Questions of this version that the recording has no answer to. */
  readonly missing: readonly string[];
  /** Paths at which the report differs from the recorded one; none if equal byte for byte. */
  readonly differences: readonly string[];
}

/** Repeats an investigation with only the recording as its source. */
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
