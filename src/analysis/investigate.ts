import type { Clock } from '../lib/clock.ts';
import { expressionIn } from '../evidence/rule-expression.ts';
import { collectEvidence } from '../evidence/collect-evidence.ts';
import { findingsOf } from '../diagnosis/findings.ts';
import { hypothesesOf } from '../diagnosis/hypotheses.ts';
import { knowledgeFor } from '../diagnosis/knowledge/knowledge-for.ts';
import { nextStepsOf } from '../diagnosis/next-steps.ts';
import { realityOf } from '../diagnosis/reality.ts';
import { relatedAlerts } from '../diagnosis/related.ts';
import { resolutionOf } from '../diagnosis/resolution.ts';
import { impactOf } from '../diagnosis/scope.ts';
import { isResolved, type Situation } from '../diagnosis/situation.ts';
import { timelineOf } from '../diagnosis/timeline.ts';
import { unknownsOf } from '../diagnosis/unknowns.ts';
import { verdictOf } from '../diagnosis/verdict.ts';
import type { CaseFile } from '../report/case-file.ts';
import { listedHistory, newReport } from '../report/new-report.ts';
import type { Classification, History, Progress, Report } from '../report/report.ts';
import { provenanceOf } from './provenance.ts';

export interface InvestigationContext {
  readonly clock: Clock;
  /** The service's own version. */
  readonly version: string;
  /** Aborting it makes the investigation throw its reason. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/**
 * One run over one alert: evidence, then what follows from it. The same case file at the same
 * moment gives the same report.
 */
export async function investigate(
  caseFile: CaseFile,
  context: InvestigationContext,
): Promise<Report> {
  const { clock } = context;
  const startedAt = clock.now();

  await step(context, 'Reading the alert, its rule and its history', 0);
  const knowledge = knowledgeFor(caseFile.alert, expressionIn(caseFile.alert.generatorURL));
  const familyUnit = knowledge?.family.unit ?? null;
  const evidence = collectEvidence(caseFile, { now: startedAt, familyUnit });

  await step(context, 'Comparing with the other open alerts', 1);
  const related = relatedAlerts(caseFile);
  const situation: Situation = { caseFile, now: startedAt, evidence, related, knowledge };

  await step(context, 'Weighing the possible causes', 2);
  const conclusions = concludeFrom(situation);

  await step(context, 'Writing the report', 3);
  const finishedAt = clock.now();
  return {
    ...newReport(caseFile, {
      status: isResolved(situation) ? 'final' : 'ready',
      now: finishedAt,
      version: context.version,
    }),
    ...conclusions,
    evidence: evidence.ledger.items,
    history: historyOf(situation, conclusions.verdict.classification),
    provenance: provenanceOf(situation, {
      version: context.version,
      startedAt,
      finishedAt,
    }),
  };
}

const stepsInAll = 4;

async function step(context: InvestigationContext, name: string, done: number): Promise<void> {
  context.signal.throwIfAborted();
  context.onProgress({ step: name, done, of: stepsInAll });
  // Lets an abort that is already on its way be seen before the next step.
  await new Promise(setImmediate);
  context.signal.throwIfAborted();
}

type Conclusions = Pick<
  Report,
  | 'verdict' | 'reality' | 'impact' | 'findings' | 'hypotheses' | 'next_steps' | 'timeline'
  | 'related' | 'unknowns' | 'resolution'
>;

function concludeFrom(situation: Situation): Conclusions {
  const hypotheses = hypothesesOf(situation);
  const nextSteps = nextStepsOf(situation, hypotheses);
  return {
    verdict: verdictOf(situation, { hypotheses, nextSteps }),
    reality: realityOf(situation),
    impact: impactOf(situation),
    findings: findingsOf(situation),
    hypotheses,
    next_steps: nextSteps,
    timeline: timelineOf(situation),
    related: situation.related,
    unknowns: unknownsOf(situation),
    resolution: resolutionOf(situation),
  };
}

function historyOf({ caseFile, evidence, now }: Situation, current: Classification): History {
  const { recurrence, flapping } = evidence.history;
  const listed = listedHistory(caseFile, now);
  return {
    episodes: listed.episodes.map((episode, index) => {
      return index === 0 ? { ...episode, classification: current } : episode;
    }),
    last_24h: recurrence.last24h,
    last_7d: recurrence.last7d,
    last_30d: recurrence.last30d,
    median_duration_seconds: recurrence.medianSeconds,
    self_resolved_share: recurrence.selfResolvedShare,
    flapping: flapping.isFlapping,
    rhythm: recurrence.rhythm,
  };
}
