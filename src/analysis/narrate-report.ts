import { randomBytes } from 'node:crypto';
import { evidenceItemsMax, Ledger } from '../evidence/ledger.ts';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { narrate, withoutNarrative } from '../model/answer/narrate.ts';
import { withoutOwnWords } from '../model/claims/asked-evidence.ts';
import { checkClaim } from '../model/claims/check-claim.ts';
import type { Model } from '../model/client/conversation.ts';
import { Meter, type Permits } from '../model/client/meter.ts';
import { openModel, type Asked } from '../model/client/model-client.ts';
import type { Quirks } from '../model/client/quirks.ts';
import { createFence } from '../model/fence.ts';
import { quotesLogs } from '../model/investigation/case-text.ts';
import { callsMax, type StoppedBecause } from '../model/investigation/explore.ts';
import {
  investigateWithModel, type Candidate,
} from '../model/investigation/investigate-with-model.ts';
import { cleanProse } from '../model/prose.ts';
import { redactData } from '../redaction/redact-data.ts';
import { createRedactor } from '../redaction/redactor.ts';
import type { ToolSources, UsedTool } from '../model/tools/tool.ts';
import { Toolbox } from '../model/tools/toolbox.ts';
import { endOf } from '../report/new-report.ts';
import type { Report } from '../report/report.ts';
import { shownText } from '../report/shown-text.ts';
import type { Grant, NarrationJob, WorkerModel } from './threads/worker-messages.ts';

/** Outlives the narrations that share it, and belongs to one access to a model. */
export interface ModelMemory {
  learned: Partial<Quirks>;
}

export interface NarratingContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly model: WorkerModel;
  /** What narrations of the same model have learned of its server, and this one adds to. */
  readonly memory: ModelMemory;
  readonly sources: ToolSources;
  readonly permits: Permits;
  readonly signal: AbortSignal;
  readonly onAsked: (asked: Asked) => void;
  readonly onToolUsed: (used: UsedTool) => void;
  readonly onStep: (step: string) => void;
}

/**
 * The stored report with a narrative, or with the reason why there is none. Rejects only when the
 * signal is aborted.
 */
export async function narrateReport(job: NarrationJob, context: NarratingContext): Promise<Report> {
  const { clock, random, onAsked, memory, model: { access, secrets } } = context;
  const model = openModel(access, {
    clock, random, onAsked, learned: memory.learned,
    onLearned(learned) {
      memory.learned = { ...memory.learned, ...learned };
    },
  });
  return narrateWith(model, job, { ...context, secrets });
}

/** Of the name of a model. */
const nameMax = 80;

async function narrateWith(
  model: Model,
  { caseFile, report: json, grant }: NarrationJob,
  context: NarratingContext & { readonly secrets: readonly string[] },
): Promise<Report> {
  const { clock, permits, sources, signal, onStep } = context;
  const report = JSON.parse(json) as Report;
  const startedAt = clock.monotonic();
  const redactor = createRedactor({ secrets: context.secrets });
  const fence = createFence(randomBytes(9).toString('base64url'));
  const meter = new Meter({ model, permits, tokens: grant.tokens });
  const ledger = new Ledger(report.evidence, evidenceItemsMax + callsMax);
  const mask = (data: unknown): unknown => redactData(data, redactor);
  const toolbox = new Toolbox({
    sources, report, caseFile, clock, now: endOf(caseFile) ?? clock.now(),
    onUsed: context.onToolUsed, mask,
  }, ledger);
  const candidate = await investigateWithModel(report, {
    meter, toolbox, ledger, clock, rounds: grant.rounds, deadlineMs: grant.deadlineMs,
    mask, shield: (text) => fence.wrap(redactor.redact(text)), signal, onStep,
  });
  const now = clock.now();
  if (candidate.kind === 'none') {
    const { reason, detail } = candidate;
    const shown = reason === 'failed' ? ledger.items : null;
    return withoutNarrative(report, { reason, detail, now, shown });
  }
  return narrate(report, {
    answer: candidate.answer, doubts: candidate.doubts, evidence: ledger.items,
    // A server may call itself anything: a name without an end, signs of a terminal, the key.
    model: shownText(redactor.redact(meter.model ?? ''), nameMax) || context.model.access.name,
    tokens: meter.used, cost: costOf(meter, grant), durationMs: clock.monotonic() - startedAt,
    now, redactions: redactor.total, course: courseOf(candidate, meter.requests),
  }, {
    checkClaim,
    cleanProse: (text, of) => cleanProse(redactor.redact(text), knownTexts(of)),
  });
}

/**
 * What the report says already may be said again, addresses, commands and names included, but for
 * what the model put there itself, and for lines of logs: many a stranger can have one written.
 */
function knownTexts({ evidence, next_steps: steps, hypotheses }: Report): string[] {
  return [
    ...evidence.filter(({ kind }) => kind !== 'logs').map(withoutOwnWords)
      .flatMap(({ title, summary, query }) => [title, summary, query ?? '']),
    ...steps.flatMap(({ action, command }) => [action, command ?? '']),
    ...hypotheses.filter((hypothesis) => !quotesLogs(hypothesis, evidence))
      .flatMap(({ cause, mechanism, test }) => [cause, mechanism ?? '', test ?? '']),
  ];
}

function costOf({ input, output }: Meter, { prices }: Grant): number | null {
  if (prices === null) return null;
  return (input * prices.input + output * prices.output) / 1_000_000;
}

const stopWords: Readonly<Record<StoppedBecause, string>> = {
  done: 'until it had enough',
  rounds: 'until its rounds were used up',
  tokens: 'until its tokens were used up',
  time: 'until its time was used up',
  calls: 'until its calls were used up',
  nothing_new: 'until nothing new came back',
  malformed: 'until its calls could not be made',
  empty: 'until it answered nothing',
  refused: 'until it refused to go on',
  context: 'until it could read no more',
  no_tools: 'without tools, which its server does not take',
};

function courseOf(
  { explored, doubts }: Extract<Candidate, { kind: 'answered' }>,
  requests: number,
): string {
  if (explored === null) return 'It was asked for a conclusion from the evidence that was there.';
  const { calls, rounds, stoppedBecause } = explored;
  return `It asked for evidence ${calls} times in ${rounds} rounds, ` +
    `${stopWords[stoppedBecause]}; ${requests} requests.` +
    (doubts === null ? '' : ' It was asked to doubt its conclusion.');
}
