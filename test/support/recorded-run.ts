import { investigate } from '../../src/analysis/investigate.ts';
import { openSources } from '../../src/analysis/open-sources.ts';
import { systemClock, type Clock } from '../../src/lib/clock.ts';
import { packRecording } from '../../src/recording/pack-recording.ts';
import { Recorder } from '../../src/recording/recorder.ts';
import type { CaseFile } from '../../src/report/case-file.ts';
import { bySource, type Sources } from '../../src/sources/asked-source.ts';
import type { SourceAccess } from '../../src/sources/source-access.ts';
import { aCaseFile } from './samples/case-files.ts';
import { errorsAlert } from './sources/talkative-prometheus.ts';

const mebibyte = 1024 * 1024;

/** On it no deadline passes, however busy the machine is. */
export const patientClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms < 1_000 ? ms : 3_600_000, signal),
};

/** A clock that starts half an hour after the alert of the talkative source began. */
function afterAlert(clock: Clock): Clock {
  const offset = Date.parse(errorsAlert.startsAt ?? '') + 30 * 60_000 - clock.now();
  return { ...clock, now: () => clock.now() + offset };
}

function accessTo(url: string, timeoutMs = 5_000): SourceAccess {
  return { urls: [url], timeoutMs, ca: null, headers: [], token: null, login: null };
}

export function sourcesAt(
  url: string,
  timeoutMs?: number,
  clock: Clock = systemClock,
): Promise<Sources> {
  const access = accessTo(url, timeoutMs);
  return openSources(bySource(() => access), {
    clock, random: () => 0.5, atOnce: 4, onAsked: () => {},
  })({});
}

export interface RecordedRun {
  /** The report's JSON. */
  readonly report: string;
  /** Null if no recording can be kept; `problem` says why. */
  readonly file: Buffer | null;
  readonly problem: string | null;
}

export async function recordRun(
  opened: Promise<Sources>,
  over: { answerBytesMax?: number; caseFile?: CaseFile; clock?: Clock } = {},
): Promise<RecordedRun> {
  const clock = afterAlert(over.clock ?? systemClock);
  const sources = await opened;
  const recorder = new Recorder({
    clock, sources, answerBytesMax: over.answerBytesMax ?? 64 * mebibyte,
  });
  const caseFile = over.caseFile ?? aCaseFile({ alert: errorsAlert });
  const { report } = await investigate(caseFile, {
    clock: recorder.clock, sources: recorder.sources, version: '1.2.3',
    signal: new AbortController().signal, onProgress: () => {},
    unrecorded: () => recorder.problem,
  });
  const text = JSON.stringify(report);
  const recorded = recorder.finish(caseFile, text);
  const file = recorded &&
    await packRecording([recorded], { version: '1.2.3', bytesMax: 16 * mebibyte });
  return { report: text, file: file && Buffer.from(file), problem: recorder.problem };
}
