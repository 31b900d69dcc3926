/**
 * The work of a worker thread: it receives case files and answers with reports. It runs several
 * investigations at once, as they spend most of their time waiting.
 */
import { parentPort, resourceLimits, workerData } from 'node:worker_threads';
import { systemClock } from '../../lib/clock.ts';
import { systemRandom } from '../../lib/random.ts';
import { ShortLivedMap } from '../../lib/short-lived-map.ts';
import { lowerThreadPriority } from '../../lib/thread-priority.ts';
import type { Permit } from '../../model/client/meter.ts';
import type { ModelMemory } from '../../model/client/model-client.ts';
import { packRecording } from '../../recording/pack-recording.ts';
import { Recorder, type Recorded } from '../../recording/recorder.ts';
import type { CaseFile } from '../../report/case-file.ts';
import { readReport } from '../../report/read-report.ts';
import type { Report } from '../../report/report.ts';
import { answerBytesMaxDefault } from '../../sources/source-client.ts';
import { openSources, sourceSecrets, type SourcesFor } from '../open-sources.ts';
import { finishedReport } from './finished-report.ts';
import type {
  ComingNarrative, FromWorker, NarrationJob, ToWork, WorkerSettings,
} from './worker-messages.ts';

/**
 * Limit of one answer. Its text has to fit into memory at once, in which it takes twice the size if
 * it is not Latin-1; a thread that runs out of memory in one allocation takes the process down.
 */
const answerBytesMax = Math.min(
  answerBytesMaxDefault, ((resourceLimits.maxOldGenerationSizeMb ?? Infinity) * 1024 * 1024) / 4,
);
/** Limit of the answers of one investigation, which are held in memory until they are packed. */
const recordedBytesMax = 16 * 1024 * 1024;
/** Limit of a packed recording. */
const recordingBytesMax = 6 * 1024 * 1024;
/** Limit of all answers that wait to be packed, of investigations that have ended. */
const waitingBytesMax = 48 * 1024 * 1024;

const given = workerData as WorkerSettings;
const { version, atOnce, records } = given;
const running = new ShortLivedMap<number, AbortController>();
/** Narrations that wait for the permission to make a request. */
const permits = new ShortLivedMap<number, (permit: Permit) => void>();

if (parentPort === null) throw new Error('Cannot run outside a worker thread');
const port = parentPort;
let access = opened(given);

export function receive(message: ToWork): void {
  if (message.kind === 'sources') access = opened(message);
  else if (message.kind === 'cancel') running.get(message.id)?.abort(new Error(message.reason));
  else if (message.kind === 'permitted') permits.get(message.id)?.(message.permit);
  else if (message.kind === 'narrate') void narrate(message.id, message);
  else void run(message.id, message.caseFile, message.coming);
}

/** Resolves once its work can begin, and rejects if some of the code cannot be loaded. */
export const ready: Promise<void> =
  given.model === null ? loadInvestigation() : loadNarration();

// Answering senders comes before analyses, and these before narration, which must never delay a
// report. The priority is lowered only after loading what the first analysis waits for.
async function loadInvestigation(): Promise<void> {
  await import('../investigate.ts');
  lowerThreadPriority('low');
}

async function loadNarration(): Promise<void> {
  lowerThreadPriority('lowest');
  await import('../narrate-report.ts');
}

async function run(id: number, caseFile: CaseFile, coming: ComingNarrative | null): Promise<void> {
  const signal = begin(id);
  const { investigate } = await import('../investigate.ts');
  await finish(id, async () => {
    const { sourcesFor, secrets } = access;
    const own = await sourcesFor(caseFile.alert.labels);
    const recorder = records
      ? new Recorder({ clock: systemClock, sources: own, answerBytesMax: recordedBytesMax })
      : null;
    const { report, recheckAt } = await investigate(caseFile, {
      clock: recorder?.clock ?? systemClock,
      version,
      sources: recorder?.sources ?? own,
      secrets,
      signal,
      onProgress: (progress) => send({ kind: 'progress', id, progress }),
      unrecorded: () => recorder?.problem ?? null,
      onBroken: (source, error) => send({ kind: 'broken', source, error: cloneable(error) }),
    });
    const complete = coming === null ? report : await withNarrative(report, coming);
    const json = sendDone(id, complete, recheckAt);
    // Without the narrative, which a replay does not make.
    const recorded = complete === report ? json : JSON.stringify(report);
    sendRecording(id, recorder?.finish(caseFile, recorded) ?? null);
  });
}

/** Registers a task; the signal is aborted when the task is cancelled. */
function begin(id: number): AbortSignal {
  const cancelled = new AbortController();
  running.set(id, cancelled);
  return cancelled.signal;
}

/** Does the work of a task and forgets the task; a failure is sent to the pool. */
async function finish(id: number, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    send({ kind: 'failed', id, message: error instanceof Error ? error.message : String(error) });
  } finally {
    running.delete(id);
    permits.delete(id);
  }
}

/** Adds the narrative of the replaced report, or the coming one if that must not be kept. */
async function withNarrative(
  report: Report,
  { narrative, previous, freshMs }: ComingNarrative,
): Promise<Report> {
  const coming = { ...report, narrative };
  if (previous === null) return coming;
  try {
    const { keepNarrative } = await import('../../model/answer/keep-narrative.ts');
    const { keepQuestions } = await import('../../model/answer/questions.ts');
    const replaced = readReport(previous);
    const kept = keepNarrative(report, replaced, { now: systemClock.now(), freshMs }) ?? coming;
    return keepQuestions(kept, replaced);
  } catch {
    return coming; // Nothing can be kept of a report that is unreadable.
  }
}

async function narrate(id: number, job: NarrationJob): Promise<void> {
  const signal = begin(id);
  const { narrateReport } = await import('../narrate-report.ts');
  await finish(id, async () => {
    const { sourcesFor, model, memory } = access;
    if (model === null) throw new Error('This thread asks no model');
    sendDone(id, await narrateReport(job, {
      clock: systemClock, random: systemRandom, model, memory,
      sources: await sourcesFor(job.caseFile.alert.labels),
      permits: {
        ask: (tokens) => new Promise((resolve) => {
          permits.set(id, resolve);
          send({ kind: 'permit', id, tokens });
        }),
        account: (spent) => send({ kind: 'spent', id, spent }),
      },
      signal,
      onAsked: (asked) => send({ kind: 'model-asked', asked }),
      onToolUsed: (used) => send({ kind: 'tool-used', used }),
      onStep: (step) => send({ kind: 'progress', id, progress: { step, done: 0, of: 1 } }),
    }), null);
    send({ kind: 'recorded', id, recording: null });
  });
}

/** Sends the finished report; returns its text. */
function sendDone(id: number, report: Report, recheckAt: number | null): string {
  const finished = finishedReport(report, recheckAt);
  send({ kind: 'done', id, report: finished });
  return finished.json;
}

/** Recordings are packed one after the other, and after reports that finish meanwhile are sent. */
let packed: Promise<void> = Promise.resolve();
let waitingBytes = 0;

/** Packs and sends a recording, or null if there is none. Its report has been sent before. */
function sendRecording(id: number, recorded: Recorded | null): void {
  if (recorded === null || waitingBytes + recorded.bytes > waitingBytesMax) {
    return send({ kind: 'recorded', id, recording: null });
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

/** Whom the thread may ask, with the current secrets. */
interface Access extends Pick<WorkerSettings, 'model'> {
  readonly sourcesFor: SourcesFor;
  /** Secrets of the sources, for masking. */
  readonly secrets: readonly string[];
  /** New with each key, as some of it depends on the key. */
  readonly memory: ModelMemory;
}

/** Opens new clients; investigations under way go on with the sources that they began with. */
function opened({ sources, model }: Pick<WorkerSettings, 'sources' | 'model'>): Access {
  const sourcesFor = openSources(sources, {
    clock: systemClock, random: systemRandom, atOnce, answerBytesMax,
    onAsked: (source, outcome) => send({ kind: 'asked', asked: { source, ...outcome } }),
  });
  return { sourcesFor, model, secrets: sourceSecrets(sources), memory: { learned: {} } };
}

/** Errors can be cloned to another thread with their stack; anything else is sent as text. */
function cloneable(error: unknown): unknown {
  return error instanceof Error ? error : String(error);
}

function send(message: FromWorker): void {
  port.postMessage(message);
}
