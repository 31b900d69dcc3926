import { randomBytes } from 'node:crypto';
import { Ledger } from '../evidence/ledger.ts';
import { isOfOtherServer } from '../evidence/source-report.ts';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { tokenCost } from '../lib/token-prices.ts';
import {
  answerMembers, answerSchema, replyMembers, replySchema, type ModelAnswer, type Assertions,
} from '../model/answer/answer-schema.ts';
import {
  judgeAnswer, judgeAssertions, type JudgedAnswer, type JudgedAssertions,
} from '../model/answer/judge-answer.ts';
import { narrate, withoutNarrative } from '../model/answer/narrate.ts';
import { withAnswer, withoutAnswer } from '../model/answer/questions.ts';
import { ownTextOf, withoutOwnWords } from '../model/assertions/whose-words.ts';
import { Meter, type Permits } from '../model/client/meter.ts';
import { canConcludeInConversation } from '../model/client/model-access.ts';
import { ModelClient, type ModelCall, type ModelMemory } from '../model/client/model-client.ts';
import { createFence } from '../model/fence.ts';
import { quotesLogs } from '../model/investigation/case-text.ts';
import { callsMax, type Explored, type StoppedBecause } from '../model/investigation/explore.ts';
import { investigateWithModel } from '../model/investigation/investigate-with-model.ts';
import { concludeText, replyText } from '../model/investigation/prompts.ts';
import { cleanProse } from '../model/prose.ts';
import type { ToolSources, UsedTool } from '../model/tools/tool.ts';
import { Toolbox } from '../model/tools/toolbox.ts';
import { createRedactor, redactData, type Redactor } from '../redaction/redactor.ts';
import { caseEndOf } from '../report/new-report.ts';
import { counted, times } from '../report/plain-text.ts';
import { readReport } from '../report/read-report.ts';
import type { Report, WrittenNarrative } from '../report/report.ts';
import { shownText } from '../report/shown-text.ts';
import type { NarrationJob, WorkerModel } from './threads/worker-messages.ts';

export interface NarratingContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly model: WorkerModel;
  /** Shared by all narrations with the same access to a model. */
  readonly memory: ModelMemory;
  readonly sources: ToolSources;
  readonly permits: Permits;
  readonly signal: AbortSignal;
  readonly onAsked: (asked: ModelCall) => void;
  readonly onToolUsed: (used: UsedTool) => void;
  readonly onStep: (step: string) => void;
}

/**
 * Returns the stored report with a narrative, or with the reason why it has none; for a question,
 * with its answer. Rejects only when the signal is aborted.
 */
export async function narrateReport(job: NarrationJob, context: NarratingContext): Promise<Report> {
  const report = readReport(job.report);
  const setup = setUp(job, report, context);
  return job.question === null ? narrated(report, setup, context)
    : answered(report, job.question, setup, context);
}

/** What both a narrative and an answer to a question are made with. */
interface Setup {
  readonly options: Omit<
    Parameters<typeof investigateWithModel>[1], 'asking' | 'question'
  >;
  readonly redactor: Redactor;
  readonly judging: () => Parameters<typeof judgeAssertions>[1];
  /** How it was made, as the report has it. */
  readonly made: () => Pick<WrittenNarrative, 'model' | 'tokens' | 'cost' | 'duration_ms'>;
}

function setUp(job: NarrationJob, report: Report, context: NarratingContext): Setup {
  const { caseFile, grant } = job;
  const { clock, permits, sources, signal, onStep, model: { access, secrets } } = context;
  const startedAt = clock.monotonic();
  const redactor = createRedactor({ secrets });
  const fence = createFence(randomBytes(9).toString('base64url'));
  const meter = new Meter({
    model: new ModelClient(access, context), permits,
    tokens: grant.tokens, outputMax: grant.outputTokens,
  });
  const mask = <T>(data: T): T => redactData(data, redactor);
  const toolbox = new Toolbox({
    // Its objects would be taken for those of the alert.
    sources: isOfOtherServer(report, 'prometheus') ? { ...sources, prometheus: null } : sources,
    ledger: new Ledger(report.evidence, report.evidence.length + callsMax),
    report, caseFile, clock, now: caseEndOf(caseFile) ?? clock.now(),
    onUsed: context.onToolUsed, mask, secrets,
  });
  return {
    options: {
      meter, toolbox, clock, rounds: grant.rounds, deadlineMs: grant.deadlineMs,
      concludesInConversation: canConcludeInConversation(access),
      mask, shield: (text) => fence(redactor.redact(text)), signal, onStep,
    },
    redactor,
    judging: () => ({
      items: toolbox.evidence,
      cleanText: (text) =>
        cleanProse(redactor.redact(text), knownTexts({ ...report, evidence: toolbox.evidence })),
    }),
    made: () => ({
      // A server may return anything as its name: endless text, control characters, the key.
      model: shownText(redactor.redact(meter.model ?? ''), nameMax) || access.name,
      tokens: meter.used, cost: grant.prices && tokenCost(meter, grant.prices),
      duration_ms: Math.round(clock.monotonic() - startedAt),
    }),
  };
}

async function narrated(
  report: Report,
  { options, redactor, judging, made }: Setup,
  { clock, memory }: NarratingContext,
): Promise<Report> {
  const { toolbox, meter } = options;
  const candidate = await investigateWithModel<ModelAnswer, JudgedAnswer>(report, {
    ...options, question: null,
    asking: {
      text: concludeText, schema: answerSchema, members: answerMembers,
      judge: (answer) => judgeAnswer(answer, judging()),
    },
  });
  const now = clock.now();
  if (candidate.kind === 'none') {
    const { reason, detail } = candidate;
    const shown = reason === 'failed' ? toolbox.evidence : null;
    return withoutNarrative(report, { reason, detail, now, shown });
  }
  return narrate(report, {
    ...candidate, evidence: toolbox.evidence, made: made(), now, redactions: redactor.total,
    run: runText(candidate.explored, meter.requests) +
      (memory.learned.reasoningEffort === 'none' ? withoutReasoning : ''),
  });
}

async function answered(
  report: Report,
  asked: string,
  { options, redactor, judging }: Setup,
  { clock }: NarratingContext,
): Promise<Report> {
  const question = redactor.redact(asked);
  const candidate = await investigateWithModel<Assertions, JudgedAssertions>(report, {
    ...options, question,
    asking: {
      text: replyText, schema: replySchema, members: replyMembers,
      judge: (answer) => judgeAssertions(answer, judging()),
    },
  });
  const now = clock.now();
  if (candidate.kind === 'none') {
    return withoutAnswer(report, { question, detail: candidate.detail, now });
  }
  const { judged } = candidate;
  if (judged.findings.length === 0 && judged.reading.text === '') {
    const detail = 'Nothing that the language model answered can be shown.';
    return withoutAnswer(report, { question, detail, now });
  }
  const { toolbox: { evidence } } = options;
  return withAnswer(report, { question, judged, evidence, now });
}

const nameMax = 80;

/**
 * Texts of the report that the model may repeat, including addresses, commands and names. Not among
 * them: what the model itself put there, and log lines, which strangers can write.
 */
function knownTexts({ evidence, next_steps: steps, hypotheses }: Report): string[] {
  return [
    ...evidence.filter(({ kind }) => kind !== 'logs').map(withoutOwnWords)
      .flatMap((item) => [item.title, item.summary, item.query ?? '', ownTextOf(item)]),
    ...steps.flatMap(({ action, command }) => [action, command ?? '']),
    ...hypotheses.filter((hypothesis) => !quotesLogs(hypothesis, evidence))
      .flatMap(({ cause, mechanism, test }) => [cause, mechanism ?? '', test ?? '']),
  ];
}

const withoutReasoning = ' Its server lets it use tools only without reasoning.';

const stopWords: Readonly<Record<StoppedBecause, string>> = {
  done: 'until it had enough',
  rounds: 'until its rounds were used up',
  tokens: 'until its tokens were used up',
  time: 'until its time was used up',
  calls: 'until its calls were used up',
  nothing_new: 'until nothing new came back',
  malformed: 'until its calls were invalid',
  empty: 'until it gave an empty answer',
  cut: 'until an answer was cut off at its limit (MODEL_OUTPUT_TOKENS)',
  refused: 'until it refused to go on',
  context: 'until its context was full',
  no_tools: 'without tools, which its server does not accept',
};

function runText(explored: Explored | null, requests: number): string {
  if (explored === null) return 'It was asked for a conclusion from the existing evidence.';
  const { calls, rounds, stoppedBecause } = explored;
  return `It asked for evidence ${times(calls)} in ${counted(rounds, 'round')}, ` +
    `${stopWords[stoppedBecause]}; ${counted(requests, 'request')}.`;
}
