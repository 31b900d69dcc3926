import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { replayInvestigation } from '../../src/analysis/replay-investigation.ts';
import { readRecording, RecordingError } from '../../src/recording/read-recording.ts';
import { recordingFormat } from '../../src/recording/recording.ts';
import {
  aCaseFile, caseNow, investigated, openAlert, pastEpisode,
} from '../../test/support/samples/case-files.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { mutatedJson } from './mutate-json.ts';
import { orDeclared, type Target } from './target.ts';

const question = {
  source: 'prometheus', path: '/api/v1/query', parameters: [['query', 'up']],
  nth: 0,
};
const fault = { reason: 'timeout', detail: 'it took too long', status: null, isTransient: true };

let recording: object | null = null;

async function recordedOnce(): Promise<object> {
  if (recording !== null) return recording;
  const caseFile = aCaseFile({
    earlier: [pastEpisode(1, 24, 10)], openAlerts: [openAlert({ alertname: 'Other' }, 5)],
  });
  const report = await investigated(caseFile);
  recording = {
    format: recordingFormat, version: 'test', bodies: ['{"status":"success","data":{}}'],
    investigations: [{
      caseFile, timeoutsMs: { prometheus: 2500, alertmanager: null },
      now: Array.from({ length: 20 }, () => caseNow), monotonic: [0, 1, 2],
      events: [
        { kind: 'answer', question, body: 0 }, { kind: 'slept', ms: 5, nth: 0 },
        { kind: 'failure', question, fault },
      ],
      unanswered: [question], report: JSON.stringify(report),
    }],
  };
  return recording;
}

/** A damaged or forged recording: refused, or read in full and replayed to an end. */
export const recordings: Target = {
  name: 'recording',
  async run(chance) {
    const json = mutatedJson(await recordedOnce(), chance, 20 + chance.below(100));
    const packed = chance.oneIn(2) ? gzipSync(json, { level: 1 }) : json;
    const file = chance.oneIn(4) ? mutateBytes(packed, chance) : packed;
    const read = orDeclared(() => readRecording(file), (error) => error instanceof RecordingError);
    if (read === null) return;
    const { value } = read;
    assert.deepEqual(readRecording(Buffer.from(JSON.stringify(value))), value);
    const [first] = value.investigations;
    if (first === undefined) return;
    try {
      await replayInvestigation(first, value);
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
    }
  },
};
