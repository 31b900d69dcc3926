import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger } from '../../../src/evidence/ledger.ts';
import type { ModelAnswer } from '../../../src/model/answer/answer-schema.ts';
import type { JudgedAnswer } from '../../../src/model/answer/judge-answer.ts';
import type { ModelReply, ModelRequest } from '../../../src/model/client/conversation.ts';
import { Meter, type Permits, type Spent } from '../../../src/model/client/meter.ts';
import { ModelError, type ModelErrorType } from '../../../src/model/client/model-error.ts';
import {
  investigateWithModel,
} from '../../../src/model/investigation/investigate-with-model.ts';
import { Toolbox } from '../../../src/model/tools/toolbox.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import {
  always, another, askingOf, outputMax, run, stopOf, wide,
} from '../../support/model-run.ts';
import { aCaseFile, caseNow } from '../../support/samples/case-files.ts';
import { sampleReport } from '../../support/samples/sample-report.ts';
import {
  asking, calling, concluding, noSources, type Line,
} from '../../support/scripted-model.ts';

const writtenCall: Line = { text: '<tool_call>{"name":"prom_instant"}</tool_call>' };


test('without rounds only the conclusion is asked for', async () => {
  const { requests, candidate } = await run([concluding()], { rounds: 0 });
  assert.equal(requests.length, 1);
  assert.ok(candidate.kind === 'answered' && candidate.explored === null);
});

const limits: readonly (readonly [string, readonly Line[], string])[] = [
  ['its rounds are used up', [another, another, another, concluding()], 'rounds'],
  ['two rounds in a row bring nothing new', [
    asking('up'), asking('up'), asking('up'), concluding(),
  ], 'nothing_new'],
  ['three calls in a row cannot be made', [
    { calls: [calling('shell', {}), calling('curl', {}), calling('rm', {})] }, concluding(),
  ], 'malformed'],
  ['it answers nothing twice', [{}, {}, concluding()], 'empty'],
  ['it writes its calls out twice', [writtenCall, writtenCall, concluding()], 'malformed'],
  ['it writes a call out once', [writtenCall, { text: 'Enough.' }, concluding()], 'done'],
  ['it refuses', [{ stop: 'refusal', text: 'no' }, concluding()], 'refused'],
  ['a filter stops it', [new ModelError('filter', { type: 'filtered' }), concluding()], 'refused'],
  ['its server refuses what was said', [
    another, new ModelError('no such tool', { type: 'refused' }), concluding(),
  ], 'refused'],
  ['its server refuses to be asked once more', [
    {}, new ModelError('roles must alternate', { type: 'refused' }), concluding(),
  ], 'refused'],
  ['it has no tools', [new ModelError('no', { type: 'no_tools' }), concluding()], 'no_tools'],
  ['its server cannot read its calls', [
    new ModelError('tool_use_failed', { type: 'malformed' }), concluding(),
  ], 'malformed'],
  ['its text is too long', [new ModelError('l', { type: 'context' }), concluding()], 'context'],
];
for (const [what, lines, because] of limits) {
  test(`the model goes on to its conclusion when ${what}`, async () => {
    const rounds = because === 'rounds' ? 3 : 5;
    assert.equal(stopOf(await run(lines, { rounds })), because);
  });
}

test('a round makes at most four calls, and each call gets a result', async () => {
  const calls = Array.from({ length: 7 }, (_, n) => calling('prom_instant', { query: `a${n}` }));
  const { requests, asked } = await run([{ calls }, { text: 'Done.' }, concluding()]);
  assert.equal(asked.length, 4);
  const turn = requests[1]?.turns.at(-1);
  assert.ok(turn?.role === 'tool_results');
  assert.deepEqual(turn.results.map(({ id }) => id), calls.map(({ id }) => id));
  assert.equal(turn.results.filter(({ text }) => text.startsWith('Skipped')).length, 3);
});

test('an investigation makes at most twenty calls', async () => {
  const greedy: Line = () => asking(wide(), wide(), wide(), wide());
  const lines = [greedy, greedy, greedy, greedy, greedy, concluding()];
  const result = await run(lines);
  assert.equal(result.asked.length, 20);
  assert.equal(stopOf(result), 'calls');
  const uneven = await run([another, ...lines]);
  assert.equal(uneven.asked.length, 20);
});

test('an exploration that is cut off says so, and is concluded', async () => {
  assert.equal(stopOf(await run([{ stop: 'length' }, concluding()])), 'cut');
});

/** Without a cache, each round pays for all rounds before it. */
for (const [how, cached, least] of [['cached', 0.9, 10], ['read anew', 0, 4]] as const) {
  test(`${least} rounds of wide queries fit the default budget where they are ${how}`, async () => {
    const line: Line = ({ turns, system, tools, schema }) => {
      const input = Math.ceil(JSON.stringify({ turns, system, tools, schema }).length / 4);
      const usage = { input, cached: Math.floor(input * cached), output: 300 };
      return schema === null ? { ...asking(wide(), wide()), usage } : { ...concluding(), usage };
    };
    const result = await run([line], { inConversation: true });
    assert.ok(result.candidate.kind === 'answered');
    assert.ok((result.candidate.explored?.rounds ?? 0) >= least);
    assert.ok(result.meter.left >= 0);
  });
}

const failures: readonly (readonly [ModelErrorType, RegExp])[] = [
  ['connection', /could not be reached/], ['unauthorized', /MODEL_API_KEY/],
  ['quota', /out of credit/], ['malformed', /could not be read/],
  ['rate_limited', /limits the rate/], ['overloaded', /overloaded/], ['timeout', /in time/],
];
for (const [type, detail] of failures) {
  test(`a failure of the model by ${type} is told in plain words`, async () => {
    const { candidate } = await run([new ModelError('secret sk-123', { type })]);
    assert.ok(candidate.kind === 'none' && candidate.reason === 'failed');
    assert.match(candidate.detail, detail);
    assert.doesNotMatch(candidate.detail, /sk-123/);
  });
}

test('a server that refuses the first request is not asked for a conclusion', async () => {
  const { candidate, requests } = await run([new ModelError('no', { type: 'refused' })]);
  assert.ok(candidate.kind === 'none' && candidate.reason === 'failed');
  assert.equal(requests.length, 1);
});

test('a model that says when to come back is asked again later', async () => {
  const later = new ModelError('busy', { type: 'rate_limited', retryAfterMs: 120_000 });
  const { candidate } = await run([later]);
  assert.ok(candidate.kind === 'none' && candidate.reason === 'breaker');
  assert.match(candidate.detail, /limits the rate of requests.*rate limit/);
});

test('an alert never uses more than its tokens', async () => {
  const usage = { input: 9_000, cached: 0, output: 500 };
  const result = await run([() => ({ ...another(), usage })], { tokens: 60_000 });
  assert.ok(result.meter.used <= 60_000, String(result.meter.used));
  assert.ok(result.requests.length > 2);
});

test('a request that the budget or the breaker refuses ends it with the reason', async () => {
  for (const reason of ['budget', 'breaker'] as const) {
    let left = 1;
    const permits: Permits = {
      ask: () => Promise.resolve(left-- > 0 ? 'granted' : reason), account: () => {},
    };
    const { candidate, requests } = await run([another, another], { permits });
    assert.ok(candidate.kind === 'none' && candidate.reason === reason);
    assert.equal(requests.length, 1);
  }
});

test('a day that cannot be counted is not told as used up', async () => {
  const permits: Permits = { ...always, ask: () => Promise.resolve('uncounted') };
  const { candidate } = await run([concluding()], { permits });
  assert.ok(candidate.kind === 'none' && candidate.reason === 'budget');
  assert.match(candidate.detail, /could not be counted/);
});

test('every permit is settled, failed requests included', async () => {
  const settled: Spent[] = [];
  const permits: Permits = { ...always, account: (spent) => settled.push(spent) };
  await run([another, new ModelError('html', { type: 'malformed' })], { permits });
  assert.equal(settled[0]?.tokens, 1100);
  assert.equal(settled[0]?.failure, null);
  assert.equal(settled[1]?.failure?.kind, 'malformed');
  assert.ok((settled[1]?.tokens ?? 0) > 0);
});

test('a model that never answers is given up after the deadline', async () => {
  const clock = new ManualClock();
  const report = sampleReport();
  const ledger = new Ledger(report.evidence, 84);
  const hanging = {
    ask: ({ signal }: ModelRequest) => new Promise<never>((_, reject) => {
      const aborted = new ModelError('aborted', { type: 'aborted' });
      signal.addEventListener('abort', () => reject(aborted));
    }),
  };
  const toolbox = new Toolbox({
    ledger, sources: noSources, report, clock, caseFile: aCaseFile(), now: caseNow,
    onUsed: () => {}, mask: (data) => data, secrets: [],
  });
  const investigation = investigateWithModel<ModelAnswer, JudgedAnswer>(report, {
    meter: new Meter({ model: hanging, tokens: 120_000, permits: always, outputMax }), clock,
    toolbox, asking: askingOf(toolbox), concludesInConversation: false, question: null,
    rounds: 6, deadlineMs: 240_000, mask: (data) => data, shield: (text) => text,
    signal: new AbortController().signal, onStep: () => {},
  });
  await clock.advance(240_000);
  const candidate = await investigation;
  assert.ok(candidate.kind === 'none');
  assert.match(candidate.detail, /longer than the 240 s .*MODEL_NAME/);
});

/** Takes so long for each of its answers. */
function slow(clock: ManualClock, ms: number, line: Partial<ModelReply>): Line {
  return () => {
    void clock.advance(ms);
    return line;
  };
}

test('a slow model is asked to conclude while there is time for it', async () => {
  for (const [seconds, rounds] of [[85, 1], [60, 2], [30, 5]] as const) {
    const clock = new ManualClock();
    const lines = Array.from({ length: rounds }, () => slow(clock, seconds * 1_000, another()));
    const concluded = slow(clock, seconds * 1_000, concluding());
    const result = await run([...lines, concluded], { clock });
    assert.equal(stopOf(result), 'time', String(seconds));
    assert.equal(result.requests.length, rounds + 1, String(seconds));
  }
});

test('an aborted investigation throws what it was aborted for', async () => {
  const stopped = new AbortController();
  stopped.abort(new Error('resolved'));
  const lines = [new ModelError('aborted', { type: 'aborted' })];
  await assert.rejects(run(lines, { signal: stopped.signal }), /resolved/);
});
