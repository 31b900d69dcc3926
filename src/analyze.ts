/**
 * The command `analyze`: reads a notification and prints a report on each of its alerts. Stores
 * nothing unless a recording is asked for; `replay` makes the same reports again from a recording.
 */
import { isUtf8 } from 'node:buffer';
import { parseNotification, type Notification } from './alert/notification.ts';
import { investigate } from './analysis/investigate.ts';
import { openSources, sourceSecrets, type SourcesFor } from './analysis/open-sources.ts';
import { replayInvestigation, type Replayed } from './analysis/replay-investigation.ts';
import type { AnalyzeFormat } from './config/command-line.ts';
import { EpisodeBook } from './episodes/book/episode-book.ts';
import { caseFileOf } from './episodes/case-file-of.ts';
import { decide } from './episodes/decide.ts';
import type { Clock } from './lib/clock.ts';
import { FormatError } from './lib/parse.ts';
import { systemRandom } from './lib/random.ts';
import { whyNotJson } from './lib/why-not-json.ts';
import { narrateReports, type NarrateReportsOptions } from './narration/narrate-reports.ts';
import { packRecording } from './recording/pack-recording.ts';
import { readRecording, RecordingError, unpackedBytesMax } from './recording/read-recording.ts';
import { Recorder, type Recorded } from './recording/recorder.ts';
import type { Recording } from './recording/recording.ts';
import type { CaseFile } from './report/case-file.ts';
import { visibleJson } from './report/plain-text.ts';
import type { Report } from './report/report.ts';
import { unkeptReportBase } from './report/report-url.ts';
import { shownText } from './report/shown-text.ts';
import { renderMarkdown } from './report/text/render-markdown.ts';
import { renderText } from './report/text/render-text.ts';
import type { SourceAccesses } from './sources/asked-source.ts';

interface RenderOptions {
  readonly format: AnalyzeFormat;
  /** Only for the text format: whether to use colours, and the terminal's width in columns. */
  readonly color: boolean;
  readonly width: number;
}

export interface AnalyzeOptions extends RenderOptions {
  readonly version: string;
  readonly clock: Clock;
  /** The sources of evidence beyond the notification itself. */
  readonly accesses: SourceAccesses;
  readonly isRecorded: boolean;
  /** Null without a language model. */
  readonly model: AnalyzeModel | null;
  /** Told of each step of the language model. */
  readonly onStep: (alertName: string, step: string) => void;
}

type AnalyzeModel = Pick<NarrateReportsOptions, 'clock' | 'model' | 'grant' | 'tokensPerDay'>;

/** A recording as a file, or why there is none, as a sentence. */
export type MadeRecording = { readonly packed: Uint8Array } | { readonly unrecorded: string };

export type AnalyzeResult =
  | {
    readonly kind: 'done';
    readonly text: string;
    /** Why some alerts have no report, on one line; null when all have one. */
    readonly rejected: string | null;
    /** Null when none was asked for. */
    readonly recording: MadeRecording | null;
  }
  | { readonly kind: 'refused'; readonly problem: string };

const questionsAtOnce = 4;
/** Limit for the recorded answers of one alert; `unpackedBytesMax` limits all alerts together. */
const answerBytesMax = 64 * 1024 * 1024;

export async function analyze(body: Buffer, options: AnalyzeOptions): Promise<AnalyzeResult> {
  const { clock, version, model, onStep } = options;
  if (!isUtf8(body)) return refused('it is not UTF-8');
  const text = body.toString('utf8').replace(/^\ufeff/, ''); // Written on Windows.
  const receivedAt = clock.now();
  let notification: Notification;
  try {
    notification = parseNotification(JSON.parse(text), receivedAt);
  } catch (error) {
    if (error instanceof FormatError) return refused(error.message);
    if (error instanceof SyntaxError) return refused(`it ${whyNotJson(text, error)}`);
    throw error;
  }
  const [first] = notification.rejected;
  if (notification.alerts.length === 0) return refused(first?.reason ?? 'it has no alerts');
  const sourcesFor = openSources(options.accesses, {
    clock, random: systemRandom, atOnce: questionsAtOnce, onAsked: () => {},
  });
  const caseFiles = caseFilesOf(notification, text, receivedAt);
  const { made, recorded, problem } = await investigateAll(caseFiles, sourcesFor, options);
  const recording = options.isRecorded ? await recordingOf(recorded, { version, problem }) : null;
  // The recording holds the reports without narratives: a replay has no model.
  const reports = model === null ? made.map(({ report }) => report) : await narrateReports(made, {
    ...model, random: systemRandom, sourcesFor,
    onStep: ({ alert }, step) => onStep(alert.name, step),
  });
  const rejected = rejectedNote(notification);
  return { kind: 'done', text: render(reports, options), rejected, recording };
}

function refused(problem: string): AnalyzeResult {
  return { kind: 'refused', problem: `Cannot analyse the notification: ${problem}` };
}

function* caseFilesOf(
  { alerts }: Notification,
  text: string,
  receivedAt: number,
): Iterable<CaseFile> {
  const book = new EpisodeBook();
  const accepted = alerts.map((alert, index) => {
    const { fingerprint, status } = alert;
    const seen = { status, startsAt: null, endsAt: null, receivedAt };
    return { fingerprint, index, alert, ...decide(null, seen, 0) };
  });
  // A set, as an alert may be listed twice.
  const episodes = new Set(book.applyNotification(1, { receivedAt, text, accepted }));
  for (const episode of episodes) {
    yield caseFileOf(book, episode, { reportBase: unkeptReportBase, now: receivedAt });
  }
}

interface Investigated {
  readonly made: readonly { readonly report: Report; readonly caseFile: CaseFile }[];
  /** Empty where nothing is to be recorded. */
  readonly recorded: readonly Recorded[];
  /** Why an investigation could not be recorded; null if all could. */
  readonly problem: string | null;
}

/** One alert after the other: later ones reuse the answers that earlier ones got. */
async function investigateAll(
  caseFiles: Iterable<CaseFile>,
  sourcesFor: SourcesFor,
  { clock, version, accesses, isRecorded }: AnalyzeOptions,
): Promise<Investigated> {
  const made: { report: Report; caseFile: CaseFile }[] = [];
  const recorded: Recorded[] = [];
  let problem: string | null = null;
  for (const caseFile of caseFiles) {
    const own = await sourcesFor(caseFile.alert.labels);
    const recorder = isRecorded ? new Recorder({ clock, sources: own, answerBytesMax }) : null;
    const { report } = await investigate(caseFile, {
      clock: recorder?.clock ?? clock, sources: recorder?.sources ?? own, version,
      secrets: sourceSecrets(accesses), signal: new AbortController().signal, onProgress: () => {},
    });
    made.push({ report, caseFile });
    const kept = recorder?.finish(caseFile, JSON.stringify(report)) ?? null;
    if (kept !== null) recorded.push(kept);
    problem ??= recorder?.problem ?? null;
  }
  return { made, recorded, problem };
}

/** A reason names the place and the mismatch but quotes no value, so it is safe to print. */
function rejectedNote({ group: { listed }, rejected }: Notification): string | null {
  const [first] = rejected;
  if (first === undefined) return null;
  return rejected.length === 1
    ? `1 of ${listed} alerts is not valid: ${first.reason}`
    : `${rejected.length} of ${listed} alerts are not valid; the first: ${first.reason}`;
}

async function recordingOf(
  recorded: readonly Recorded[],
  { version, problem }: { readonly version: string; readonly problem: string | null },
): Promise<MadeRecording> {
  if (problem !== null) return { unrecorded: problem };
  const bodies = new Set(recorded.flatMap((each) => each.bodies));
  const bytes = [...bodies].reduce((sum, body) => sum + body.bytes, 0);
  const tooLarge = { unrecorded: 'The answers of the sources are too large.' };
  if (bytes * 1.5 > unpackedBytesMax) return tooLarge; // Escaping makes them longer.
  const packed = await packRecording(recorded, { version, bytesMax: unpackedBytesMax });
  return packed === null ? tooLarge : { packed };
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
  return { kind: 'done', text: render(reports, options), notes, isSame };
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

function render(reports: readonly Report[], { format, color, width }: RenderOptions): string {
  if (format === 'json') return `${visibleJson(reports)}\n`;
  if (format === 'markdown') return reports.map(renderMarkdown).join('\n\n---\n\n');
  return reports.map((report) => renderText(report, { color, width })).join('\n\n');
}
