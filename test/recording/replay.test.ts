import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { replayInvestigation, type Replayed } from '../../src/analysis/replay-investigation.ts';
import { systemClock, type Clock } from '../../src/lib/clock.ts';
import { readRecording } from '../../src/recording/read-recording.ts';
import type { Recording } from '../../src/recording/recording.ts';
import type { Report } from '../../src/report/report.ts';
import { withCleanup } from '../support/cleanup.ts';
import { seededRandom } from '../support/random.ts';
import { patientClock, recordRun, sourcesAt, type RecordedRun } from '../support/recorded-run.ts';
import { aCaseFile } from '../support/samples/case-files.ts';
import { faults, startFakeSource, type Answer } from '../support/sources/fake-source.ts';
import {
  errorsAlert, talkativeSource, type Talk,
} from '../support/sources/talkative-prometheus.ts';

function readBack({ file }: RecordedRun): Recording {
  assert.ok(file !== null);
  return readRecording(file);
}

async function replayOf(recording: Recording): Promise<Replayed> {
  const [investigation] = recording.investigations;
  assert.ok(investigation !== undefined);
  return replayInvestigation(investigation, recording);
}

/** The source is gone by the time there is a recording: a replay that asks it gets no answer. */
function recordedOn(answer: Answer, clock = systemClock): Promise<RecordedRun> {
  return withCleanup(async (cleanup) => {
    const { url } = await startFakeSource(cleanup, answer);
    return recordRun(sourcesAt(url, undefined, clock), { clock });
  });
}

function stateOf(report: string, name: string): string | undefined {
  const { provenance } = JSON.parse(report) as Report;
  return provenance.sources.find((source) => source.name === name)?.state;
}

/** Each answer late by up to 40 ms, some of them failures, in an order that the seed decides. */
function unsteady(seed: number): Talk {
  const next = seededRandom(seed);
  const random = (): number => next() / 2 ** 32;
  const talk = talkativeSource();
  return {
    before: (response, request, asked) => {
      const fate = random();
      void systemClock.sleep(random() * 40).then(() => {
        if (fate < 0.15) response.writeHead(500).end('broken');
        else if (fate < 0.2) response.writeHead(422).end('{"error":"bad"}');
        else if (fate < 0.25) faults.cutOff(response, request, asked);
        else talk(response, request, asked);
      });
      return true;
    },
  };
}

/** Answers as a good source for a while, and then no more. */
function silentAfter(count: number): Talk {
  let seen = 0;
  return { before: () => (seen += 1) > count };
}

const runs: readonly (readonly [string, Answer, state: string, clock?: Clock])[] = [
  ['a source that answers', talkativeSource(), 'ok', patientClock],
  ['a source with more series than are read', talkativeSource({ series: 1_100 }), 'ok',
    patientClock],
  ['a source that answers with errors', (response) => response.writeHead(500).end('no'), 'failed'],
  ['a source that answers with a login page', (response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
  }, 'failed'],
  ['a source that never answers', faults.silent, 'failed'],
  ['a source that falls silent', talkativeSource(silentAfter(6)), 'ok'],
  ...Array.from({ length: 6 }, (_, seed) => [
    `an unsteady source (seed ${seed})`, talkativeSource(unsteady(seed)), '',
  ] as const),
];
for (const [name, answer, state, clock] of runs) {
  test(`a replay repeats the report on ${name} to the byte`, async () => {
    const run = await recordedOn(answer, clock);
    if (state !== '') assert.equal(stateOf(run.report, 'prometheus'), state);
    const { report, missing, differences } = await replayOf(readBack(run));
    assert.deepEqual(differences, []);
    assert.deepEqual(missing, []);
    assert.equal(JSON.stringify(report), run.report);
  });
}

test('a replay of altered answers says where the report differs', async () => {
  const recording = readBack(await recordedOn(talkativeSource(), patientClock));
  const bodies = recording.bodies.map((body) => body.replaceAll('NodeDown', 'NodeLost'));
  const { missing, differences } = await replayOf({ ...recording, bodies });
  assert.deepEqual(missing, []);
  assert.match(differences.join(' '), /findings\[/);
});

test('a replay repeats the timeouts of single answers', async (t) => {
  const source = await startFakeSource(t, talkativeSource(silentAfter(8)));
  const run = await recordRun(sourcesAt(source.url, 300));
  assert.match(run.report, /no answer within 0\.3 s/);
  const { report } = await replayOf(readBack(run));
  assert.equal(JSON.stringify(report), run.report);
});

test('investigations that share answers are recorded each with all of them', async (t) => {
  const source = await startFakeSource(t, talkativeSource());
  const sources = sourcesAt(source.url);
  const runs = await Promise.all([1, 2, 3].map(() => recordRun(sources)));
  const later = await recordRun(sources);
  for (const run of [...runs, later]) {
    const { report } = await replayOf(readBack(run));
    assert.equal(JSON.stringify(report), run.report);
  }
});

test('an alert that another stands for has a small recording without answers', async (t) => {
  const source = await startFakeSource(t, talkativeSource());
  const representative = { name: 'Other', reportUrl: 'http://r/other' };
  const caseFile = aCaseFile({ alert: errorsAlert, storm: { size: 40, representative } });
  const run = await recordRun(sourcesAt(source.url), { caseFile });
  assert.equal(source.requests.length, 0);
  assert.ok((run.file?.length ?? Infinity) < 10_000, String(run.file?.length));
  const { report } = await replayOf(readBack(run));
  assert.equal(JSON.stringify(report), run.report);
});

test('the episodes that a case file only counts are in the replayed report', async (t) => {
  const unlisted = { count: 500, last24h: 100, last7d: 400, last30d: 500 };
  const past = { startsAt: '2026-11-20T09:00:00Z', endsAt: '2026-11-20T09:01:00Z' };
  const earlier = [3, 2, 1].map((number) => ({ ...past, number, classification: null }));
  const source = await startFakeSource(t, talkativeSource());
  const caseFile = aCaseFile({ earlier, unlisted });
  const run = await recordRun(sourcesAt(source.url), { caseFile });
  const { report } = await replayOf(readBack(run));
  assert.equal(JSON.stringify(report), run.report);
  assert.deepEqual([report.history.last_24h, report.history.last_7d, report.history.last_30d],
    [104, 404, 504]);
  const said = report.findings.map(({ text }) => text).join(' ');
  assert.match(said, /104 times in 24 h, 404 times in 7 days and 504 times in 30 days\./);
  assert.match(said, /longer than 3 of the 3 episodes before\./);
  const summaries = report.evidence.map(({ summary }) => summary).join(' ');
  assert.match(summaries, /503 earlier episodes on record; 104 of all episodes began/);
});

test('answers beyond the bound are not kept, and the report says so', async (t) => {
  const source = await startFakeSource(t, talkativeSource());
  const run = await recordRun(sourcesAt(source.url), { answerBytesMax: 1024 });
  assert.equal(run.file, null);
  assert.match(run.problem ?? '', /exceed/);
  const { checks } = (JSON.parse(run.report) as Report).provenance;
  assert.equal(checks.find(({ name }) => name === 'recording')?.state, 'skipped');
});

test('a replay that asks more than was recorded names the question and goes on', async (t) => {
  const source = await startFakeSource(t, talkativeSource());
  const recording = readBack(await recordRun(sourcesAt(source.url)));
  const [investigation] = recording.investigations;
  assert.ok(investigation !== undefined);
  const isOfAlertmanager = (path: string): boolean => path === '/api/v2/alerts';
  const events = investigation.events.filter((event) => {
    return event.kind === 'slept' || !isOfAlertmanager(event.question.path);
  });
  const { report, missing, differences } =
    await replayInvestigation({ ...investigation, events }, recording);
  assert.ok(missing.length > 0);
  for (const line of missing) assert.match(line, /^alertmanager \/api\/v2\/alerts\?filter=/);
  assert.ok(differences.length > 0);
  assert.equal(stateOf(JSON.stringify(report), 'alertmanager'), 'failed');
  assert.equal(stateOf(JSON.stringify(report), 'prometheus'), 'ok');
});

test('a replay that asks in another order is still given every answer', async (t) => {
  const source = await startFakeSource(t, talkativeSource(unsteady(99)));
  const recording = readBack(await recordRun(sourcesAt(source.url)));
  const [investigation] = recording.investigations;
  assert.ok(investigation !== undefined);
  const events = investigation.events.toReversed();
  const { missing } = await replayInvestigation({ ...investigation, events }, recording);
  assert.deepEqual(missing, []);
});

test('a recording holds what was answered, and nothing of how it was asked', async (t) => {
  const source = await startFakeSource(t, talkativeSource());
  const { file } = await recordRun(sourcesAt(`${source.url}/canary`));
  const text = gunzipSync(file ?? '').toString();
  assert.ok(text.includes('/api/v1/query_range'));
  assert.ok(!text.includes(source.url));
  assert.ok(!text.includes('canary'));
});
