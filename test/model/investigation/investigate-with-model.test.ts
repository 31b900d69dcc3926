import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger } from '../../../src/evidence/ledger.ts';
import type { ModelReply, ModelRequest } from '../../../src/model/client/conversation.ts';
import { Meter, type Permits, type Spent } from '../../../src/model/client/meter.ts';
import { ModelError, type ModelErrorType } from '../../../src/model/client/model-error.ts';
import {
  investigateWithModel, type Candidate,
} from '../../../src/model/investigation/investigate-with-model.ts';
import { Toolbox } from '../../../src/model/tools/toolbox.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { aCaseFile, caseNow } from '../../support/samples/case-files.ts';
import { sampleReport } from '../../support/samples/sample-report.ts';
import {
  asking, calling, cannedPrometheus, concluding, noSources, scriptedModel, vectorOf, type Line,
} from '../../support/scripted-model.ts';

interface RunOptions {
  readonly rounds?: number;
  readonly tokens?: number;
  readonly permits?: Permits;
  readonly signal?: AbortSignal;
  readonly clock?: ManualClock;
}

interface Run {
  readonly candidate: Candidate;
  readonly requests: readonly ModelRequest[];
  readonly meter: Meter;
  readonly ledger: Ledger;
  readonly asked: readonly string[];
}

const always: Permits = { ask: () => Promise.resolve('granted'), settle: () => {} };

async function run(lines: readonly Line[], options: RunOptions = {}): Promise<Run> {
  const { rounds = 10, tokens = 120_000, permits = always, clock = new ManualClock() } = options;
  const model = scriptedModel(lines);
  const meter = new Meter({ model, tokens, permits });
  const report = sampleReport();
  const ledger = new Ledger(report.evidence, 84);
  const prometheus = cannedPrometheus(() => vectorOf(1));
  const toolbox = new Toolbox({
    ledger,
    sources: { ...noSources, prometheus }, report, clock, caseFile: aCaseFile(), now: caseNow,
    onUsed: () => {},
    mask: (data) => data, secrets: [],
  });
  const candidate = await investigateWithModel(report, {
    meter, toolbox, clock, rounds, deadlineMs: 240_000,
    mask: (data) => data,
    shield: (text) => `<<data x>>\n${text}\n<<end x>>`,
    signal: options.signal ?? new AbortController().signal, onStep: () => {},
  });
  return { candidate, requests: model.requests, meter, ledger, asked: prometheus.asked };
}

function stopOf({ candidate }: Run): unknown {
  assert.equal(candidate.kind, 'answered');
  return candidate.kind === 'answered' ? candidate.explored?.stoppedBecause : null;
}

const writtenCall: Line = { text: '<tool_call>{"name":"prom_instant"}</tool_call>' };

let query = 0;
const another = (): ReturnType<typeof asking> => asking(`up{n="${(query += 1)}"}`);

test('the model asks with tools, then concludes in a fresh conversation without them', async () => {
  const result = await run([asking('up'), { text: 'Enough.' }, concluding()]);
  assert.equal(stopOf(result), 'done');
  const [first, second, last] = result.requests;
  assert.ok(first !== undefined && second !== undefined && last !== undefined);
  assert.ok(first.tools.length > 0 && first.schema === null);
  assert.equal(second.turns.length, 3);
  assert.ok(last.tools.length === 0 && last.schema !== null && last.turns.length === 1);
  const [turn] = last.turns;
  assert.ok(turn?.role === 'user' && turn.text.includes('Asked by the model: up'));
  assert.ok(turn.text.includes('Said before, unchecked: Enough.'));
});

test('no request has tools and a schema at once', async () => {
  const { requests } = await run([another, another, concluding()]);
  for (const { tools, schema } of requests) assert.ok(tools.length === 0 || schema === null);
});

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
  const greedy: Line = () => asking(...[1, 2, 3, 4].map(() => `up{n="${(query += 1)}"}`));
  const lines = [greedy, greedy, greedy, greedy, greedy, concluding()];
  const result = await run(lines);
  assert.equal(result.asked.length, 20);
  assert.equal(stopOf(result), 'calls');
  const uneven = await run([another, ...lines]);
  assert.equal(uneven.asked.length, 20);
});

test('an answer that was all thought is asked for once more with twice the room', async () => {
  const { requests } = await run([{ stop: 'length' }, { text: 'Done.' }, concluding()]);
  const outputs = requests.slice(0, 3).map(({ maxOutput }) => maxOutput);
  assert.deepEqual(outputs, [2048, 4096, 4096]);
});

test('a conclusion that cannot be read is repaired once, with what was wrong', async () => {
  const lines = [{ text: '{"verdict":"maybe"}' }, concluding()];
  const { requests, candidate } = await run(lines, { rounds: 0 });
  assert.equal(candidate.kind, 'answered');
  const repair = requests[1]?.turns.at(-1);
  assert.ok(repair?.role === 'user');
  assert.match(repair.text, /verdict: expected one of/);
  const twice = await run([{ text: 'no' }, { text: 'no' }], { rounds: 0 });
  assert.deepEqual(twice.candidate, {
    kind: 'none', reason: 'failed',
    detail: "The language model's answer could not be read.",
  });
  assert.equal(twice.requests.length, 2);
});

test('a long conclusion that cannot be read is sent back without half a character', async () => {
  const long = { text: `${'x'.repeat(7_999)}${'😀'.repeat(9)}` };
  const { requests } = await run([long, concluding()], { rounds: 0 });
  const said = requests[1]?.turns.at(-2);
  assert.ok(said?.role === 'assistant' && said.text.length < 8_010);
  assert.doesNotMatch(said.text, /\p{Surrogate}/u);
});

test('a conclusion that is empty or cut off is asked for again with twice the room', async () => {
  for (const first of [{ stop: 'length' }, { stop: 'length', text: '{"verdict"' }] as const) {
    const { requests, candidate } = await run([first, concluding()], { rounds: 0 });
    assert.equal(candidate.kind, 'answered');
    assert.deepEqual(requests.map(({ maxOutput }) => maxOutput), [4096, 8192]);
  }
});

test('a conclusion from half of the text is not tried again from a quarter', async () => {
  const tooLong = new ModelError('too long', { type: 'context' });
  const { candidate, requests } = await run([tooLong, tooLong], { rounds: 0 });
  assert.equal(requests.length, 2);
  assert.ok(candidate.kind === 'none');
  assert.match(candidate.detail, /does not fit into .* context window/);
});

test('a filtered conclusion is asked for once more without the texts of strangers', async () => {
  const lines = [new ModelError('filter', { type: 'filtered' }), concluding()];
  const { requests } = await run(lines, { rounds: 0 });
  const [first, second] = requests.map(({ turns: [turn] }) => {
    return turn?.role === 'user' ? turn.text : '';
  });
  assert.match(first ?? '', /Annotation/);
  assert.doesNotMatch(second ?? '', /Annotation/);
});

test('a conclusion from too long a text is asked for once more from half of it', async () => {
  const lines = [new ModelError('too long', { type: 'context' }), concluding()];
  const { requests, candidate } = await run(lines, { rounds: 0, tokens: 12_000 });
  assert.equal(candidate.kind, 'answered');
  const [first = 0, second = 0] = requests.map(({ turns: [turn] }) => {
    return turn?.role === 'user' ? turn.text.length : 0;
  });
  assert.ok(second < first && second <= first * 0.6, `${first} ${second}`);
});

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
  const usage = { input: 9_000, output: 500 };
  const result = await run([() => ({ ...another(), usage })], { tokens: 60_000 });
  assert.ok(result.meter.used <= 60_000, String(result.meter.used));
  assert.ok(result.requests.length > 2);
});

test('a request that the budget or the breaker refuses ends it with the reason', async () => {
  for (const reason of ['budget', 'breaker'] as const) {
    let left = 1;
    const permits: Permits = {
      ask: () => Promise.resolve(left-- > 0 ? 'granted' : reason), settle: () => {},
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
  const permits: Permits = { ...always, settle: (spent) => settled.push(spent) };
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
  const investigation = investigateWithModel(report, {
    meter: new Meter({ model: hanging, tokens: 120_000, permits: always }), clock,
    toolbox: new Toolbox({
      ledger,
      sources: noSources, report, clock, caseFile: aCaseFile(), now: caseNow,
      onUsed: () => {}, mask: (data) => data, secrets: [],
    }),
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
  // The fastest has time for a review as well.
  for (const [seconds, rounds, more] of [[85, 1, 1], [60, 2, 1], [30, 5, 2]] as const) {
    const clock = new ManualClock();
    const lines = Array.from({ length: rounds }, () => slow(clock, seconds * 1_000, another()));
    const concluded = slow(clock, seconds * 1_000, concluding());
    const result = await run([...lines, concluded], { clock });
    assert.equal(stopOf(result), 'time', String(seconds));
    assert.equal(result.requests.length, rounds + more, String(seconds));
  }
});

test('an aborted investigation throws what it was aborted for', async () => {
  const stopped = new AbortController();
  stopped.abort(new Error('resolved'));
  const lines = [new ModelError('aborted', { type: 'aborted' })];
  await assert.rejects(run(lines, { signal: stopped.signal }), /resolved/);
});

const review = { about: 'H1', judgement: 'downgrade', reason: 'So.', evidence_ids: ['E1'] };

function doubtsOf({ candidate }: Run): unknown {
  return candidate.kind === 'answered' ? candidate.doubts : 'none';
}

test('a grave alert with a likely cause is doubted once, without tools', async () => {
  const reviewing = { text: JSON.stringify({ reviews: [review] }) };
  const result = await run([{ text: 'Enough.' }, concluding(), reviewing]);
  assert.equal(result.requests.length, 3);
  assert.deepEqual(result.requests[2]?.tools, []);
  assert.equal(result.requests[2].schema?.name, 'review');
  assert.deepEqual(doubtsOf(result), [
    { index: 0, judgement: 'downgrade', reason: 'So.', evidence: ['E1'] },
  ]);
});

test('a conclusion stands when no review can be had', async () => {
  const failing = new ModelError('down', { type: 'server_error' });
  assert.equal(doubtsOf(await run([{ text: 'Enough.' }, concluding(), failing])), null);
  const reviews = JSON.stringify({ reviews: [review] });
  const broken = await run([{ text: 'Enough.' }, concluding(), { text: reviews, stop: 'length' }]);
  assert.deepEqual([doubtsOf(broken), broken.requests.length], [null, 3], 'it was cut off');
  const unsure = await run([{ text: 'Enough.' }, concluding({ verdict: 'inconclusive' })]);
  assert.deepEqual([doubtsOf(unsure), unsure.requests.length], [null, 2]);
  const shallow = await run([concluding()], { rounds: 0 });
  assert.deepEqual([doubtsOf(shallow), shallow.requests.length], [null, 1]);
  let permits = 2;
  const twice: Permits = {
    ask: () => Promise.resolve((permits -= 1) >= 0 ? 'granted' : 'budget'), settle: () => {},
  };
  const used = await run([{ text: 'Enough.' }, concluding()], { permits: twice });
  assert.deepEqual([doubtsOf(used), used.requests.length], [null, 2]);
});
