import assert from 'node:assert/strict';
import { Ledger } from '../../src/evidence/ledger.ts';
import {
  answerMembers, answerSchema, type ModelAnswer,
} from '../../src/model/answer/answer-schema.ts';
import { judgeAnswer, type JudgedAnswer } from '../../src/model/answer/judge-answer.ts';
import type { ModelRequest } from '../../src/model/client/conversation.ts';
import { Meter, type Permits } from '../../src/model/client/meter.ts';
import type { AnswerForm } from '../../src/model/investigation/conclude-with-model.ts';
import {
  investigateWithModel, type Candidate,
} from '../../src/model/investigation/investigate-with-model.ts';
import { concludeText } from '../../src/model/investigation/prompts.ts';
import { Toolbox } from '../../src/model/tools/toolbox.ts';
import { ManualClock } from './manual-clock.ts';
import { aCaseFile, caseNow } from './samples/case-files.ts';
import { sampleReport } from './samples/sample-report.ts';
import {
  asking, cannedPrometheus, noSources, scriptedModel, vectorOf, type Line,
} from './scripted-model.ts';

interface RunOptions {
  readonly rounds?: number;
  readonly tokens?: number;
  readonly permits?: Permits;
  readonly signal?: AbortSignal;
  readonly clock?: ManualClock;
  readonly inConversation?: boolean;
  readonly question?: string;
}

export interface Run {
  readonly candidate: Candidate<ModelAnswer, JudgedAnswer>;
  readonly requests: readonly ModelRequest[];
  readonly meter: Meter;
  readonly ledger: Ledger;
  readonly asked: readonly string[];
}

export const outputMax: number = 16_000;
export const always: Permits = { ask: () => Promise.resolve('granted'), account: () => {} };

const wideVector = {
  resultType: 'vector',
  result: Array.from({ length: 200 }, (_, n) => ({
    metric: { pod: `${'x'.repeat(400)}-${n}` }, value: [1_795_000_000, '1'],
  })),
};

export async function run(lines: readonly Line[], options: RunOptions = {}): Promise<Run> {
  const { rounds = 10, tokens = 120_000, permits = always, clock = new ManualClock() } = options;
  const model = scriptedModel(lines);
  const meter = new Meter({ model, tokens, permits, outputMax });
  const { evidence, ...rest } = sampleReport();
  const report = { ...rest, evidence: evidence.map((item) =>
    item.id === 'E3' ? { ...item, data: { before: 40, after: 198 } } : item) };
  const ledger = new Ledger(report.evidence, 84);
  const prometheus = cannedPrometheus((_path, asked) =>
    asked.startsWith('wide') ? wideVector : vectorOf(1));
  const toolbox = new Toolbox({
    ledger,
    sources: { ...noSources, prometheus }, report, clock, caseFile: aCaseFile(), now: caseNow,
    onUsed: () => {},
    mask: (data) => data, secrets: [],
  });
  const candidate = await investigateWithModel<ModelAnswer, JudgedAnswer>(report, {
    meter, toolbox, clock, rounds, deadlineMs: 240_000, asking: askingOf(toolbox),
    concludesInConversation: options.inConversation ?? false, question: options.question ?? null,
    mask: (data) => data,
    shield: (text) => `<<data x>>\n${text}\n<<end x>>`,
    signal: options.signal ?? new AbortController().signal, onStep: () => {},
  });
  return { candidate, requests: model.requests, meter, ledger, asked: prometheus.asked };
}

export function askingOf(toolbox: Toolbox): AnswerForm<ModelAnswer, JudgedAnswer> {
  return {
    text: concludeText, schema: answerSchema, members: answerMembers,
    judge: (answer) => judgeAnswer(answer, { items: toolbox.evidence, cleanText: (text) => text }),
  };
}

export function stopOf({ candidate }: Run): unknown {
  assert.equal(candidate.kind, 'answered');
  return candidate.kind === 'answered' ? candidate.explored?.stoppedBecause : null;
}


let query = 0;
/** Whose answer is as long as any. */
export const wide = (): string => `wide{n="${(query += 1)}"}`;
/** A call that was not made before. */
export const another = (): ReturnType<typeof asking> => asking(`up{n="${(query += 1)}"}`);
