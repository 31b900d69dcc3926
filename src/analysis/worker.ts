/**
 * Runs inside a worker thread: takes case files, answers with reports. Several investigations are
 * under way at once, since most of their time is waiting for others.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../lib/clock.ts';
import { systemRandom } from '../lib/random.ts';
import { giveWayToOtherThreads } from '../lib/thread-priority.ts';
import { packRecording } from '../recording/pack-recording.ts';
import { Recorder, type Recorded } from '../recording/recorder.ts';
import type { CaseFile } from '../report/case-file.ts';
import type { Report } from '../report/report.ts';
import type { ModelMemory } from './narrate-report.ts';
import { openSources, type SourceAccesses, type ThreadSources } from './thread-sources.ts';
import type {
  ComingNarrative, FromWorker, NarrationJob, Permit, ToWorker, WorkerSettings,
} from './worker-messages.ts';

/** Of the answers of one investigation: they are held in memory until they are packed. */
const recordedBytesMax = 16 * 1024 * 1024;
/** Of a packed recording. */
const recordingBytesMax = 6 * 1024 * 1024;
/** Of answers that wait to be packed, by investigations that have ended. */
const waitingBytesMax = 48 * 1024 * 1024;

const given = workerData as WorkerSettings;
const { version, atOnce, records } = given;
const running = new Map<number, AbortController>();
/** Narrations that wait to hear whether they may ask. */
const permits = new Map<number, (permit: Permit) => void>();

if (parentPort === null) throw new Error('Cannot run outside a worker thread');
const port = parentPort;
let sources = open(given.sources);
let { model } = given;
/** Forgotten with the key it was learned with: some of it tells of the key. */
let memory: ModelMemory = { learned: {} };

port.on('message', (message: ToWorker) => {
  if (message.kind === 'ping') say({ kind: 'pong' });
  else if (message.kind === 'sources') {
    sources = open(message.sources);
    ({ model } = message);
    memory = { learned: {} };
  } else if (message.kind === 'cancel') running.get(message.id)?.abort(new Error(message.reason));
  else if (message.kind === 'permitted') permits.get(message.id)?.(message.permit);
  else if (message.kind === 'narrate') void narrate(message.id, message);
  else void run(message.id, message.caseFile, message.coming);
});
giveWayToOtherThreads(); // Whoever posts an alert is answered before others are analysed.
say({ kind: 'ready' });
/** Loaded when the service takes alerts already: it is most of what the program is. */
const investigation = import('./investigate.ts');

async function run(
  id: number,
  caseFile: CaseFile,
  coming: ComingNarrative | null,
): Promise<void> {
  const cancelled = new AbortController();
  running.set(id, cancelled);
  const recorder = records
    ? new Recorder({ clock: systemClock, sources, answerBytesMax: recordedBytesMax })
    : null;
  try {
    const { investigate } = await investigation;
    const { report, lookAgainAt } = await investigate(caseFile, {
      clock: recorder?.clock ?? systemClock,
      version,
      sources: recorder?.sources ?? sources,
      signal: cancelled.signal,
      onProgress: (progress) => say({ kind: 'progress', id, progress }),
      unrecorded: () => recorder?.problem ?? null,
    });
    if (coming === null) {
      const json = tellDone(id, report, lookAgainAt);
      return sendRecording(id, recorder?.finish(caseFile, json) ?? null);
    }
    const { withComingNarrative } = await import('./coming-narrative.ts');
    tellDone(id, withComingNarrative(report, coming, systemClock.now()), lookAgainAt);
    // A replay makes the report that code made.
    sendRecording(id, recorder?.finish(caseFile, JSON.stringify(report)) ?? null);
  } catch (error) {
    say({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) });
  } finally {
    running.delete(id);
  }
}

async function narrate(id: number, job: NarrationJob): Promise<void> {
  const cancelled = new AbortController();
  running.set(id, cancelled);
  try {
    if (model === null) throw new Error('This thread asks no model');
    const { narrateReport } = await import('./narrate-report.ts');
    tellDone(id, await narrateReport(job, {
      clock: systemClock, random: systemRandom, prometheus: sources.prometheus, model, memory,
      permits: {
        ask: (tokens) => new Promise((resolve) => {
          permits.set(id, resolve);
          say({ kind: 'permit', id, tokens });
        }),
        settle: (spent) => say({ kind: 'spent', id, spent }),
      },
      signal: cancelled.signal,
      onAsked: (asked) => say({ kind: 'model-asked', asked }),
      onToolUsed: (used) => say({ kind: 'tool-used', used }),
      onStep: (step) => say({ kind: 'progress', id, progress: { step, done: 0, of: 1 } }),
    }), null);
    say({ kind: 'recorded', id, recording: null });
  } catch (error) {
    say({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) });
  } finally {
    running.delete(id);
    permits.delete(id);
  }
}

/** Returns the report's text. */
function tellDone(id: number, report: Report, lookAgainAt: number | null): string {
  const { classification, certainty, headline } = report.verdict;
  const { status } = report;
  const json = JSON.stringify(report);
  const finished = { json, status, classification, certainty, headline, lookAgainAt };
  say({ kind: 'done', id, report: finished });
  return json;
}

/** Packed one after the other, and after the reports that are told of meanwhile. */
let packed: Promise<void> = Promise.resolve();
let waitingBytes = 0;

/** Whatever goes wrong with a recording, its report is told of already. */
function sendRecording(id: number, recorded: Recorded | null): void {
  if (recorded === null || waitingBytes + recorded.bytes > waitingBytesMax) {
    return say({ kind: 'recorded', id, recording: null });
  }
  waitingBytes += recorded.bytes;
  packed = packed
    .then(() => packRecording([recorded], { version, bytesMax: recordingBytesMax }))
    .catch(() => null)
    .then((recording) => {
      waitingBytes -= recorded.bytes;
      const handedOver = recording === null ? [] : [recording.buffer];
      port.postMessage({ kind: 'recorded', id, recording } satisfies FromWorker, handedOver);
    });
}

/** What is under way goes on with the sources it began with. */
function open(accesses: SourceAccesses): ThreadSources {
  return openSources(accesses, {
    clock: systemClock,
    random: systemRandom,
    atOnce,
    onAsked: (source, { result, durationMs }) => {
      say({ kind: 'asked', asked: { source, result, durationMs } });
    },
  });
}

function say(message: FromWorker): void {
  port.postMessage(message);
}
