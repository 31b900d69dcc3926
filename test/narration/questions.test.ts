import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NarrationJob } from '../../src/analysis/threads/worker-messages.ts';
import type { Outcome, TaskHooks } from '../../src/analysis/threads/worker-thread.ts';
import { conclusionOf } from '../../src/episodes/conclusion.ts';
import type { Episode } from '../../src/episodes/episode.ts';
import { withAnswer } from '../../src/model/answer/questions.ts';
import { Breaker } from '../../src/narration/breaker.ts';
import { Questions } from '../../src/narration/questions.ts';
import { TokenBudget } from '../../src/narration/token-budget.ts';
import type { AskResult } from '../../src/report/question.ts';
import type { AskedQuestion, Report } from '../../src/report/report.ts';
import { createLogger } from '../../src/telemetry/log.ts';

import { ManualClock } from '../support/manual-clock.ts';
import { anEpisode } from '../support/narrations-setup.ts';
import { aCaseFile } from '../support/samples/case-files.ts';
import { sampleNow, sampleReport } from '../support/samples/sample-report.ts';

interface Setup {
  readonly questions: Questions;
  readonly clock: ManualClock;
  readonly episode: Episode;
  readonly asked: { job: NarrationJob; hooks: TaskHooks; end: (outcome: Outcome) => void }[];
  stored: string | null;
  isIdle: boolean;
  isReady: boolean;
  readonly ask: (question?: string) => Promise<AskResult>;
}

const plain: Report = { ...sampleReport(), questions: [] };

function setUp(): Setup {
  const clock = new ManualClock(sampleNow);
  const episode = { ...anEpisode('abc'), conclusion: conclusionOf(plain) };
  const setup: Setup = {
    clock, episode, asked: [], stored: JSON.stringify(plain), isIdle: true, isReady: true,
    ask: (question = 'Why?') => setup.questions.ask('abc', 1, question),
    questions: new Questions({
      clock, breaker: new Breaker(clock),
      log: createLogger({ level: 'info', format: 'pretty', now: () => 0, write: () => {} }),
      grant: { tokens: 50_000, outputTokens: 4_000, deadlineMs: 240_000, prices: null },
      budget: TokenBudget.ofRun({ clock, tokensPerDay: 100_000 }),
      narrate: (job, hooks) => new Promise((end) => setup.asked.push({ job, hooks, end })),
      isReady: () => setup.isReady,
      find: (fingerprint) => fingerprint === 'abc' ? episode : null,
      caseFileOf: () => aCaseFile(),
      reports: {
        read: () => Promise.resolve(setup.stored),
        write: (_key, json) => {
          setup.stored = json;
          return Promise.resolve({ file: 1, offset: 0, bytes: json.length });
        },
      },
      journal: { moved: () => Promise.resolve() },
      whileIdle: async (_episode, store) => {
        if (setup.isIdle) await store();
        return setup.isIdle;
      },
      mask: (text) => text.replace('hunter2', '[secret-1]'),
      onChange: () => {},
    }),
  };
  return setup;
}

function answered(report: Report, question: string, evidence = report.evidence): Outcome {
  const judged = {
    findings: [{
      about: null, weight: 'context', text: 'So.', evidence: [evidence.at(-1)?.id ?? 'E1'],
      reading: null, isInformative: true,
    }],
    made: 1, reading: { text: 'It is.', evidence: [] }, missing: [], problems: [],
  } as const;
  const json = JSON.stringify(
    withAnswer(report, { question, judged, evidence, now: sampleNow }),
  );
  return { kind: 'done', report: {
    json, status: 'ready', conclusion: conclusionOf(report), recheckAt: null, failedChecks: 0,
    recording: null,
  } };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const storedIn = ({ stored }: Setup): readonly AskedQuestion[] =>
  (JSON.parse(stored ?? '{}') as Report).questions ?? [];

test('a question is shown at once, masked, and then stored with its answer', async () => {
  const setup = setUp();
  assert.deepEqual(await setup.ask('Is it hunter2?'), { kind: 'queued' });
  await settled();
  const [pending] = setup.questions.pendingOf(setup.episode);
  assert.deepEqual([pending?.question, pending?.state], ['Is it [secret-1]?', 'pending']);
  const before = setup.questions.revisionOf(setup.episode);
  setup.asked[0]?.hooks.onProgress({ step: 'Round 1', done: 0, of: 1 });
  assert.equal(setup.questions.pendingOf(setup.episode)[0]?.detail, 'Round 1.');
  assert.ok(setup.questions.revisionOf(setup.episode) > before);
  assert.equal(setup.asked[0]?.job.question, 'Is it [secret-1]?');
  setup.asked[0].end(answered(plain, 'Is it [secret-1]?'));
  await settled();
  await settled();
  assert.deepEqual(setup.questions.pendingOf(setup.episode), []);
  assert.deepEqual(storedIn(setup).map(({ state, text }) => [state, text]), [
    ['answered', 'It is.'],
  ]);
});

test('an answer goes into the report that has replaced the one it was about', async () => {
  const setup = setUp();
  await setup.ask();
  await settled();
  const [last] = plain.evidence.slice(-1);
  assert.ok(last !== undefined);
  const found = [...plain.evidence, { ...last, id: 'E77', title: 'Asked by the model: up' }];
  const newer = { ...plain, evidence: plain.evidence.slice(0, 2), headline: 'new' };
  setup.stored = JSON.stringify(newer);
  setup.asked[0]?.end(answered(plain, 'Why?', found));
  await settled();
  await settled();
  const report = JSON.parse(setup.stored) as Report & { headline: string };
  assert.equal(report.headline, 'new');
  assert.equal(report.evidence.at(-1)?.title, 'Asked by the model: up');
  assert.deepEqual(report.questions?.[0]?.claims[0]?.evidence, [report.evidence.at(-1)?.id]);
});

test('an answer waits for the end of an analysis that is under way', async () => {
  const setup = setUp();
  setup.isIdle = false;
  await setup.ask();
  await settled();
  setup.asked[0]?.end(answered(plain, 'Why?'));
  await settled();
  await settled();
  assert.equal(storedIn(setup).length, 0);
  setup.isIdle = true;
  await setup.clock.advance(2_000);
  await settled();
  assert.equal(storedIn(setup).length, 1);
});

test('a question that fails says so, and the next one is asked', async () => {
  const setup = setUp();
  await setup.ask('One?');
  await setup.ask('Two?');
  await settled();
  assert.equal(setup.asked.length, 1, 'one at a time');
  setup.asked[0]?.end({ kind: 'died', reason: 'crash' });
  await settled();
  await settled();
  assert.match(storedIn(setup)[0]?.detail ?? '', /internal error/);
  assert.equal(setup.asked[1]?.job.question, 'Two?');
});

test('a question waits until a thread is free', async () => {
  const setup = setUp();
  setup.isReady = false;
  await setup.ask();
  await settled();
  assert.equal(setup.asked.length, 0);
  setup.isReady = true;
  setup.questions.pump();
  await settled();
  assert.equal(setup.asked.length, 1);
});

test('ten questions of an episode are taken, answered ones counted', async () => {
  const setup = setUp();
  const { questions: [one] = [] } = JSON.parse(
    (answered(plain, 'Why?') as Extract<Outcome, { kind: 'done' }>).report.json,
  ) as Report;
  assert.ok(one !== undefined);
  setup.stored = JSON.stringify({ ...plain, questions: Array.from({ length: 8 }, () => one) });
  const kinds = [await setup.ask(), await setup.ask(), await setup.ask()].map(({ kind }) => kind);
  assert.deepEqual(kinds, ['queued', 'queued', 'full']);
});

test('nothing is asked about what does not exist or is not finished', async () => {
  const setup = setUp();
  assert.deepEqual(await setup.questions.ask('other', 1, 'Why?'), { kind: 'not_found' });
  setup.stored = null;
  assert.deepEqual(await setup.ask(), { kind: 'not_ready' });
});
