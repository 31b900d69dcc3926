/**
 * The command `analyze`: reads a notification and prints a report on each of its alerts. Stores
 * nothing unless a recording is asked for, from which `replay.ts` makes the same reports again.
 */
import { isUtf8 } from 'node:buffer';
import { writeFileSync } from 'node:fs';
import { parseNotification, type Notification } from '../alert/notification.ts';
import { investigate } from '../analysis/investigate.ts';
import { openSources, sourceSecrets, type SourcesFor } from '../analysis/open-sources.ts';
import { grantOf, modelAccess, sourceAccesses } from '../app/connections.ts';
import { printError, printReports, printLine, terminal } from '../app/outputs.ts';
import { version } from '../app/version.ts';
import type { AnalyzeFormat } from '../config/command-line.ts';
import { redactionsOf } from '../config/secret.ts';
import { loadModel, loadSources } from '../config/settings.ts';
import type { Environment } from '../config/variables.ts';
import { EpisodeBook } from '../episodes/book/episode-book.ts';
import { caseFileOf } from '../episodes/case-file-of.ts';
import { decide } from '../episodes/decide.ts';
import { commandClock, type Clock } from '../lib/clock.ts';
import { FormatError } from '../lib/parse.ts';
import { systemRandom } from '../lib/random.ts';
import { whyNotJson } from '../lib/why-not-json.ts';
import { narrateReports, type NarrateReportsOptions } from '../narration/narrate-reports.ts';
import { packRecording } from '../recording/pack-recording.ts';
import { unpackedBytesMax } from '../recording/read-recording.ts';
import { Recorder, type Recorded } from '../recording/recorder.ts';
import type { CaseFile } from '../report/case-file.ts';
import type { Report } from '../report/report.ts';
import { unkeptReportBase } from '../report/report-url.ts';
import { shownText } from '../report/shown-text.ts';
import type { SourceAccesses } from '../sources/asked-source.ts';
import { readInput } from './read-input.ts';
import { renderReports, type RenderOptions } from './render-reports.ts';

export interface AnalyzeOptions extends RenderOptions {
  readonly version: string;
  readonly clock: Clock;
  /** The sources of evidence beyond the notification itself. */
  readonly accesses: SourceAccesses;
  readonly isRecorded: boolean;
  /** Null without a language model. */
  readonly model: AnalyzeModel | null;
  /** Called with each step of the language model. */
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

interface Printing {
  readonly format: AnalyzeFormat;
  /** The file to write a recording to; null for none. */
  readonly record: string | null;
}

/** Resolves to the exit code. Throws ConfigError where a setting is wrong. */
export async function runAnalyze(
  line: Printing & { readonly file: string }, environment: Environment,
): Promise<number> {
  const accesses = sourceAccesses(loadSources(environment).sources);
  const body = await readInput(line.file);
  if (typeof body === 'string') return printError([body], 1);
  return printAnalysis([body], line, { environment, accesses });
}

/** Prints a report on each alert of the notifications; resolves to the exit code. */
export async function printAnalysis(
  bodies: readonly Buffer[],
  { format, record }: Printing,
  { environment, accesses }: {
    readonly environment: Environment; readonly accesses: SourceAccesses;
  },
): Promise<number> {
  const { secrets: given } = loadSources(environment);
  const { model, secrets: keys } = loadModel(environment);
  const result = await analyze(bodies, {
    ...terminal(), format, accesses,
    version: version(),
    clock: commandClock,
    isRecorded: record !== null,
    model: model && {
      model: { access: modelAccess(model), secrets: redactionsOf([...given, ...keys]) },
      grant: grantOf(model),
      tokensPerDay: model.tokensPerDay,
      clock: commandClock,
    },
    onStep: (alertName, step) => printStep(`${alertName}: ${step} …`),
  });
  if (result.kind === 'refused') return printError([result.problem], 1);
  printReports(result.text);
  if (result.rejected !== null) printError([result.rejected], 0);
  const { recording } = result;
  return record === null || recording === null ? 0 : writeRecording(record, recording);
}

function writeRecording(file: string, recording: MadeRecording): number {
  if ('unrecorded' in recording) {
    return printError([`Cannot write the recording. ${recording.unrecorded}`], 1);
  }
  try {
    // The answers in it are not redacted.
    writeFileSync(file, recording.packed, { mode: 0o600 });
    return 0;
  } catch (error) {
    return printError([`Cannot write ${file}: ${(error as Error).message}`], 1);
  }
}

const stepMax = 200;

/** Progress is of use only to somebody waiting at a terminal. */
function printStep(step: string): void {
  if (process.stderr.isTTY === true) printLine(shownText(step, stepMax));
}

interface Received {
  readonly text: string;
  readonly notification: Notification;
}

/** `bodies` are notifications that came at the same time. */
export async function analyze(
  bodies: readonly Buffer[], options: AnalyzeOptions,
): Promise<AnalyzeResult> {
  const { clock, version, model, onStep } = options;
  const receivedAt = clock.now();
  const received: Received[] = [];
  for (const body of bodies) {
    const read = readNotification(body, receivedAt);
    if (typeof read === 'string') {
      return { kind: 'refused', problem: `Cannot analyse the notification: ${read}` };
    }
    received.push(read);
  }
  const sourcesFor = openSources(options.accesses, {
    clock, random: systemRandom, atOnce: questionsAtOnce, onAsked: () => {},
  });
  const caseFiles = caseFilesOf(received, receivedAt);
  const { made, recorded, problem } = await investigateAll(caseFiles, sourcesFor, options);
  const recording = options.isRecorded ? await recordingOf(recorded, { version, problem }) : null;
  // The recording holds the reports without narratives: a replay has no model.
  const reports = model === null ? made.map(({ report }) => report) : await narrateReports(made, {
    ...model, random: systemRandom, sourcesFor,
    onStep: ({ alert }, step) => onStep(alert.name, step),
  });
  const rejected = received.map(({ notification }) => rejectedNote(notification))
    .find((note) => note !== null) ?? null;
  return { kind: 'done', text: renderReports(reports, options), rejected, recording };
}

/** The notification, or why it is none. */
function readNotification(body: Buffer, receivedAt: number): Received | string {
  if (!isUtf8(body)) return 'it is not UTF-8';
  const text = body.toString('utf8').replace(/^\ufeff/, ''); // Written on Windows.
  try {
    const notification = parseNotification(JSON.parse(text), receivedAt);
    const [first] = notification.rejected;
    if (notification.alerts.length === 0) return first?.reason ?? 'it has no alerts';
    return { text, notification };
  } catch (error) {
    if (error instanceof FormatError) return error.message;
    if (error instanceof SyntaxError) return `it ${whyNotJson(text, error)}`;
    throw error;
  }
}

function* caseFilesOf(received: readonly Received[], receivedAt: number): Iterable<CaseFile> {
  const book = new EpisodeBook();
  // A set, as an alert may be listed twice.
  const episodes = new Set(received.flatMap(({ notification, text }, sequence) => {
    const accepted = notification.alerts.map((alert, index) => {
      const { fingerprint, status } = alert;
      const seen = { status, startsAt: null, endsAt: null, receivedAt };
      return { fingerprint, index, alert, ...decide(null, seen, 0) };
    });
    return book.applyNotification(sequence + 1, { receivedAt, text, accepted });
  }));
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
