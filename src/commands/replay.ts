/** The command `analyze --replay`: makes the reports of a recording again and compares them. */
import { replayInvestigation, type Replayed } from '../analysis/replay-investigation.ts';
import { printError, printReports, terminal } from '../app/outputs.ts';
import { version } from '../app/version.ts';
import type { AnalyzeFormat } from '../config/command-line.ts';
import { readRecording, RecordingError } from '../recording/read-recording.ts';
import type { Recording } from '../recording/recording.ts';
import type { Report } from '../report/report.ts';
import { shownText } from '../report/shown-text.ts';
import { readInput } from './read-input.ts';
import { renderReports, type RenderOptions } from './render-reports.ts';

export async function runReplay(
  line: { file: string; format: AnalyzeFormat },
): Promise<number> {
  const file = await readInput(line.file);
  if (typeof file === 'string') return printError([file], 2);
  const result = await replay(file, { ...terminal(), format: line.format, version: version() });
  if (result.kind === 'refused') return printError([result.problem], 2);
  printReports(result.text);
  return printError(result.notes, result.isSame ? 0 : 1);
}

type ReplayResult =
  | {
    readonly kind: 'done';
    readonly text: string;
    /** Results of the comparison, one sentence each. */
    readonly notes: readonly string[];
    readonly isSame: boolean;
  }
  | { readonly kind: 'refused'; readonly problem: string };

/** Repeats the recorded investigations; `version` is that of the running code. */
export async function replay(
  file: Buffer,
  options: RenderOptions & { readonly version: string },
): Promise<ReplayResult> {
  let recording: Recording;
  try {
    recording = readRecording(file);
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    return cannotReplay(error.message);
  }
  const reports: Report[] = [];
  const notes: string[] = [];
  let isSame = true;
  for (const investigation of recording.investigations) {
    let replayed: Replayed;
    try {
      replayed = await replayInvestigation(investigation, recording);
    } catch (error) {
      // The file has the right shape, yet the analysis fails: it was made up, or this is a bug.
      return cannotReplay(`Its content leads to no report: ${shownText(String(error), 200)}`);
    }
    reports.push(replayed.report);
    isSame &&= replayed.differences.length === 0;
    notes.push(...notesOn(replayed));
  }
  if (recording.version !== options.version) {
    notes.push(`Recorded by version ${recording.version}, replayed by ${options.version}.`);
  }
  return { kind: 'done', text: renderReports(reports, options), notes, isSame };
}

function cannotReplay(why: string): ReplayResult {
  return { kind: 'refused', problem: `Cannot replay the recording. ${why}` };
}

function notesOn({ report, missing, differences }: Replayed): string[] {
  const of = `${report.alert.name} (${report.fingerprint}, episode ${report.episode.number})`;
  return [
    ...missing.map((question) => `The recording has no answer to ${question}: this version asks ` +
      'more than the one that made the recording.'),
    differences.length === 0 ? `${of}: the report is identical to the recorded one.`
      : `${of}: the report differs from the recorded one in ${differences.join(', ')}.`,
  ];
}
