import { randomBytes } from 'node:crypto';
import { evidenceItemsMax, Ledger } from '../evidence/ledger.ts';
import { isOfOtherServer } from '../evidence/source-report.ts';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { narrate, withoutNarrative } from '../model/answer/narrate.ts';
import { withoutOwnWords } from '../model/claims/whose-words.ts';
import { Meter, type Permits } from '../model/client/meter.ts';
import { ModelClient, type Asked, type ModelMemory } from '../model/client/model-client.ts';
import { createFence } from '../model/fence.ts';
import { quotesLogs } from '../model/investigation/case-text.ts';
import { callsMax, type StoppedBecause } from '../model/investigation/explore.ts';
import {
  investigateWithModel, type Candidate,
} from '../model/investigation/investigate-with-model.ts';
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
  const meter = new Meter({ model, permits, tokens: grant.tokens });
  const mask = <T>(data: T): T => redactData(data, redactor);
  const toolbox = new Toolbox({
    // Its objects would be taken for those of the alert.
    sources: isOfOtherServer(report, 'prometheus') ? { ...sources, prometheus: null } : sources,
    ledger: new Ledger(report.evidence, evidenceItemsMax + callsMax),
    report, caseFile, clock, now: endOf(caseFile) ?? clock.now(),
    onUsed: context.onToolUsed, mask, secrets,
  });
  const candidate = await investigateWithModel(report, {
    meter, toolbox, clock, rounds: grant.rounds, deadlineMs: grant.deadlineMs,
    mask, shield: (text) => fence(redactor.redact(text)), signal, onStep,
  });
  const now = clock.now();
  if (candidate.kind === 'none') {
    const { reason, detail } = candidate;
    const shown = reason === 'failed' ? toolbox.evidence : null;
    return withoutNarrative(report, { reason, detail, now, shown });
  }
  const known = knownTexts({ ...report, evidence: toolbox.evidence });
  return narrate(report, {
    answer: candidate.answer, doubts: candidate.doubts, evidence: toolbox.evidence,
    made: {
      // A server may return anything as its name: endless text, control characters, the key.
      model: shownText(redactor.redact(meter.model ?? ''), nameMax) || access.name,
      tokens: meter.used, cost: costOf(meter, grant),
      duration_ms: Math.round(clock.monotonic() - startedAt),
    },
    now, redactions: redactor.total, course: courseOf(candidate, meter.requests),
    cleanText: (text) => cleanProse(redactor.redact(text), known),
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
  malformed: 'until its calls were invalid',
  empty: 'until it gave an empty answer',
  refused: 'until it refused to go on',
  context: 'until its context was full',
  no_tools: 'without tools, which its server does not accept',
};

function courseOf(
  { explored, doubts }: Extract<Candidate, { kind: 'answered' }>,
  requests: number,
): string {
  if (explored === null) return 'It was asked for a conclusion from the existing evidence.';
  const { calls, rounds, stoppedBecause } = explored;
  return `It asked for evidence ${times(calls)} in ${counted(rounds, 'round')}, ` +
    `${stopWords[stoppedBecause]}; ${counted(requests, 'request')}.` +
    (doubts === null ? '' : ' It was then asked to challenge its conclusion.');
}
