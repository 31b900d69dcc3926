import type { Report } from '../report/report.ts';
import { hypothesesOf } from './causes/hypotheses.ts';
import { ruledOutOf } from './causes/tested-causes.ts';
import { changesOf } from './changes/changes.ts';
import { findingsOf } from './findings/findings.ts';
import { historyOf } from './history.ts';
import { impactOf } from './impact.ts';
import { nextStepsOf } from './next-steps.ts';
import { realityOf } from './reality.ts';
import { resolutionOf } from './resolution.ts';
import type { Situation } from './situation.ts';
import { timelineOf } from './timeline/timeline.ts';
import { unknownsOf } from './unknowns.ts';
import { verdictOf } from './verdict/verdict.ts';

/** The members of a report that follow from the evidence. */
export type Conclusions = Pick<
  Report,
  | 'verdict' | 'reality' | 'impact' | 'changes' | 'findings' | 'hypotheses' | 'ruled_out'
  | 'next_steps' | 'timeline' | 'related' | 'history' | 'unknowns' | 'resolution'
>;

/** Draws every conclusion from the evidence, as the members of the report that hold them. */
export function concludeFrom(situation: Situation): Conclusions {
  const hypotheses = hypothesesOf(situation);
  const nextSteps = nextStepsOf(situation, hypotheses);
  const verdict = verdictOf(situation, hypotheses, nextSteps);
  return {
    verdict,
    reality: realityOf(situation),
    impact: impactOf(situation),
    changes: changesOf(situation),
    findings: findingsOf(situation),
    hypotheses,
    ruled_out: ruledOutOf(situation),
    next_steps: nextSteps,
    timeline: timelineOf(situation),
    related: situation.related,
    history: historyOf(situation, verdict.classification),
    unknowns: unknownsOf(situation),
    resolution: resolutionOf(situation, hypotheses),
  };
}
