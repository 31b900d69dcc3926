import { narrateReport, type NarratingContext } from '../analysis/narrate-report.ts';
import type { SourcesFor } from '../analysis/open-sources.ts';
import type { Grant } from '../analysis/threads/worker-messages.ts';
import { withoutNarrative } from '../model/answer/narrate.ts';
import type { ModelMemory } from '../model/client/model-client.ts';
import type { CaseFile } from '../report/case-file.ts';
import type { Report } from '../report/report.ts';
import { Breaker } from './breaker.ts';
import { narrationsAtOnce } from './narrations.ts';
import { narrativePlan } from './narrative-plan.ts';
import { NarrationPermits } from './permits.ts';
import { TokenBudget } from './token-budget.ts';

export interface NarrateReportsOptions
  extends Pick<NarratingContext, 'clock' | 'random' | 'model'> {
  readonly sourcesFor: SourcesFor;
  readonly grant: Omit<Grant, 'rounds'>;
  readonly tokensPerDay: number;
  /** Called with what the model is about to do for a report. */
  readonly onStep: (report: Report, step: string) => void;
}

interface Made {
  readonly report: Report;
  readonly caseFile: CaseFile;
}

/**
 * Adds narratives, or the reason for their absence, to reports that no service stores. The rules
 * are those of the service, except that the day's tokens are counted from zero.
 */
export async function narrateReports(
  made: readonly Made[],
  options: NarrateReportsOptions,
): Promise<readonly Report[]> {
  const { clock, tokensPerDay } = options;
  const shared: Shared = {
    budget: TokenBudget.ofRun({ clock, tokensPerDay }), breaker: new Breaker(clock),
    memory: { learned: {} },
  };
  const narrated: Report[] = [];
  const waiting = made.entries();
  const work = async (): Promise<void> => {
    for (const [index, each] of waiting) narrated[index] = await narrateOne(each, shared, options);
  };
  await Promise.all(Array.from({ length: narrationsAtOnce }, work));
  return narrated;
}

interface Shared {
  readonly budget: TokenBudget;
  readonly breaker: Breaker;
  readonly memory: ModelMemory;
}

async function narrateOne(
  { report, caseFile }: Made,
  { budget, breaker, memory }: Shared,
  { clock, random, model, grant, sourcesFor, onStep }: NarrateReportsOptions,
): Promise<Report> {
  const plan = narrativePlan(caseFile, {
    isPassable: breaker.isPassable, whenOpen: breaker.hint, shareUsed: budget.shareUsed,
    isCounted: true, waiting: 0,
  });
  if (plan.kind === 'skip') {
    return withoutNarrative(report, { ...plan.narrative, now: clock.now() });
  }
  const permits = new NarrationPermits(budget, breaker);
  const job = {
    caseFile, question: null, report: JSON.stringify(report),
    grant: { ...grant, rounds: plan.rounds },
  };
  try {
    return await narrateReport(job, {
      clock, random, model, memory, permits, signal: new AbortController().signal,
      sources: await sourcesFor(caseFile.alert.labels),
      onAsked: () => {}, onToolUsed: () => {},
      onStep: (step) => onStep(report, step),
    });
  } finally {
    permits.end();
  }
}
