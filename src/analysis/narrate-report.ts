import { randomBytes } from 'node:crypto';
import { evidenceItemsMax, Ledger } from '../evidence/ledger.ts';
import { isOfOtherServer } from '../evidence/source-report.ts';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { tokenCost } from '../lib/token-prices.ts';
import { answerMembers, answerSchema, type ModelAnswer } from '../model/answer/answer-schema.ts';
import { judgeAnswer, type JudgedAnswer } from '../model/answer/judge-answer.ts';
import { narrate, withoutNarrative } from '../model/answer/narrate.ts';
import { ownTextOf, withoutOwnWords } from '../model/assertions/whose-words.ts';
import { Meter, type Permits } from '../model/client/meter.ts';
import { canConcludeInConversation } from '../model/client/model-access.ts';
import { ModelClient, type Asked, type ModelMemory } from '../model/client/model-client.ts';
import { createFence } from '../model/fence.ts';
import { quotesLogs } from '../model/investigation/case-text.ts';
import { callsMax, type Explored, type StoppedBecause } from '../model/investigation/explore.ts';
import { investigateWithModel } from '../model/investigation/investigate-with-model.ts';
import { concludeText } from '../model/investigation/prompts.ts';
import { cleanProse } from '../model/prose.ts';
import type { ToolSources, UsedTool } from '../model/tools/tool.ts';
import { Toolbox } from '../model/tools/toolbox.ts';
import { createRedactor, redactData } from '../redaction/redactor.ts';
import { endOf } from '../report/new-report.ts';
import { counted, times } from '../report/plain-text.ts';
import type { Report } from '../report/report.ts';
import { shownText } from '../report/shown-text.ts';
import type { Grant, NarrationJob, WorkerModel } from './threads/worker-messages.ts';

export interface NarratingContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly model: WorkerModel;
  /** Shared by all narrations with the same access to a model. */
  readonly memory: ModelMemory;
  readonly sources: ToolSources;
  readonly permits: Permits;
  readonly signal: AbortSignal;
  readonly onAsked: (asked: Asked) => void;
  readonly onToolUsed: (used: UsedTool) => void;
  readonly onStep: (step: string) => void;
}

/**
 * Returns the stored report with a narrative, or with the reason why it has none. Rejects only when
 * the signal is aborted.
 */
export async function narrateReport(job: NarrationJob, context: NarratingContext): Promise<Report> {
  const { caseFile, report: json, grant } = job;
  const { clock, permits, sources, signal, onStep, model: { access, secrets } } = context;
  const model = new ModelClient(access, context);
  const report = JSON.parse(json) as Report;
  const startedAt = clock.monotonic();
  const redactor = createRedactor({ secrets });
  const fence = createFence(randomBytes(9).toString('base64url'));
  const meter = new Meter({
    model, permits, tokens: grant.tokens, outputMax: grant.outputTokens,
  });
  const mask = <T>(data: T): T => redactData(data, redactor);
  const toolbox = new Toolbox({
    // Its objects would be taken for those of the alert.
    sources: isOfOtherServer(report, 'prometheus') ? { ...sources, prometheus: null } : sources,
    ledger: new Ledger(report.evidence, evidenceItemsMax + callsMax),
    report, caseFile, clock, now: endOf(caseFile) ?? clock.now(),
    onUsed: context.onToolUsed, mask, secrets,
  });
  const cleanText = (text: string): string =>
    cleanProse(redactor.redact(text), knownTexts({ ...report, evidence: toolbox.evidence }));
  const candidate = await investigateWithModel<ModelAnswer, JudgedAnswer>(report, {
    meter, toolbox, clock, rounds: grant.rounds, deadlineMs: grant.deadlineMs, question: null,
    asking: {
      text: concludeText, schema: answerSchema, members: answerMembers,
      judge: (answer) => judgeAnswer(answer, { items: toolbox.evidence, cleanText }),
    },
    concludesInConversation: canConcludeInConversation(access),
    mask, shield: (text) => fence(redactor.redact(text)), signal, onStep,
  });
  const now = clock.now();
  if (candidate.kind === 'none') {
    const { reason, detail } = candidate;
    const shown = reason === 'failed' ? toolbox.evidence : null;
    return withoutNarrative(report, { reason, detail, now, shown });
  }
  return narrate(report, {
    ...candidate, evidence: toolbox.evidence,
    made: {
      // A server may return anything as its name: endless text, control characters, the key.
      model: shownText(redactor.redact(meter.model ?? ''), nameMax) || access.name,
      tokens: meter.used, cost: costOf(meter, grant),
      duration_ms: Math.round(clock.monotonic() - startedAt),
    },
    now, redactions: redactor.total,
    course: courseOf(candidate.explored, meter.requests) +
      (context.memory.learned.reasoningEffort === 'none' ? withoutReasoning : ''),
  });
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

function costOf(meter: Meter, { prices }: Grant): number | null {
  return prices && tokenCost(meter, prices);
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

function courseOf(explored: Explored | null, requests: number): string {
  if (explored === null) return 'It was asked for a conclusion from the existing evidence.';
  const { calls, rounds, stoppedBecause } = explored;
  return `It asked for evidence ${times(calls)} in ${counted(rounds, 'round')}, ` +
    `${stopWords[stoppedBecause]}; ${counted(requests, 'request')}.`;
}
