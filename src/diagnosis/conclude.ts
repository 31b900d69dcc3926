import type { Hypothesis, Report } from '../report/report.ts';
import type { Explained } from './causes/explanation.ts';
import { hypothesesOf } from './causes/hypotheses.ts';
import { findingsOf } from './findings/findings.ts';
import { historyOf } from './history.ts';
import { impactOf } from './impact.ts';
import { judge } from './judged.ts';
import { nextStepsOf } from './next-steps.ts';
import { realityOf } from './reality.ts';
import { relatedEverywhere } from './related.ts';
import { resolutionOf } from './resolution.ts';
import type { Situation } from './situation.ts';
import { timelineOf } from './timeline/timeline.ts';
import { unknownsOf } from './unknowns.ts';
import { verdictOf } from './verdict/verdict.ts';

/** The members of a report that follow from the evidence. */
export type Conclusions = Pick<
  Report,
  | 'verdict' | 'reality' | 'impact' | 'changes' | 'findings' | 'hypotheses' | 'ruled_out'
  | 'next_steps' | 'timeline' | 'related' | 'path' | 'history' | 'unknowns' | 'resolution'
>;

/** Draws every conclusion from the evidence, as the members of the report that hold them. */
export function concludeFrom(situation: Situation): Conclusions {
  const judged = judge(situation);
  const explained = hypothesesOf(judged);
  const nextSteps = nextStepsOf(judged, explained);
  const verdict = verdictOf(judged, explained, nextSteps);
  return {
    verdict,
    reality: realityOf(judged),
    impact: impactOf(judged),
    changes: [...judged.changes],
    findings: findingsOf(judged),
    hypotheses: explained.map(hypothesisOf),
    ruled_out: [...judged.ruledOut],
    next_steps: nextSteps,
    timeline: timelineOf(judged),
    related: relatedEverywhere(judged),
    path: judged.evidence.metrics?.path ?? null,
    history: historyOf(judged, verdict.classification),
    unknowns: unknownsOf(judged),
    resolution: resolutionOf(judged, explained),
  };
}

function hypothesisOf(
  { tested, suspect, tie, release, releasedBy, origin, contributor, lone, clockOf, caller, lookAt,
    ...hypothesis }: Explained,
): Hypothesis {
  return hypothesis;
}
