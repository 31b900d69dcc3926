import { expressionIn } from '../alert/rule-link.ts';
import { concludeFrom } from '../diagnosis/conclude.ts';
import { relatedAlerts } from '../diagnosis/related.ts';
import { isResolved, type Situation } from '../diagnosis/situation.ts';
import { collectEvidence } from '../evidence/collect-evidence.ts';
import { Ledger } from '../evidence/ledger.ts';
import { readExpression } from '../evidence/rule/rule-expression.ts';
import { knowledgeFor } from '../knowledge/knowledge-for.ts';
import type { Clock } from '../lib/clock.ts';
import type { CaseFile } from '../report/case-file.ts';
import { isEstablished } from '../report/certainty.ts';
import { stormFinding } from '../report/incident.ts';
import { newReport } from '../report/new-report.ts';
import type { Progress, Report, Verdict } from '../report/report.ts';
import { askedSources, type AskedSource, type Sources } from '../sources/asked-source.ts';
import { askSources } from './ask-sources.ts';
import { awaitedAnswers, recheckAt } from './awaited-answers.ts';
import { provenanceOf } from './provenance.ts';

interface InvestigationContext {
  readonly clock: Clock;
  /** The service's own version. */
  readonly version: string;
  readonly sources: Sources;
  /**
   * Secrets of the service, which the report must not show even if a log does. Default: none, as
   * in a replay, whose report then differs where the recorded one has a mask for one of them.
   */
  readonly secrets?: readonly string[];
  /** Aborting it makes the investigation reject with its reason. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  /** Returns why this run cannot be recorded, as a sentence; null if it can. */
  readonly unrecorded?: () => string | null;
  /** Called when a bug in this service keeps it from reading a source's answers. */
  readonly onBroken?: (source: AskedSource, error: unknown) => void;
}

export interface Investigation {
  readonly report: Report;
  /** When a recheck is due (wall time in ms); null when none is. */
  readonly recheckAt: number | null;
}

/**
 * Investigates one alert: collects evidence and draws conclusions. The same case file with the same
 * answers at the same times gives the same report.
 */
export async function investigate(
  caseFile: CaseFile,
  context: InvestigationContext,
): Promise<Investigation> {
  const { clock } = context;
  const startedAt = clock.now();
  const { step, detail } = stepsOf(context);

  await step('Reading the alert, its rule and its history');
  const expression = expressionIn(caseFile.alert.generatorURL);
  const ledger = new Ledger();

  if (hasSources(context)) await step('Asking the sources of evidence');
  const facts = await askSources(caseFile, {
    sources: context.sources, secrets: context.secrets ?? [],
    ledger, clock, now: startedAt, signal: context.signal, onStep: detail,
    onBroken: (source, error) => context.onBroken?.(source, error),
    rule: expression === null ? null : readExpression(expression),
  });
  const knowledge = knowledgeFor(caseFile.alert,
    expression ?? facts.metrics?.rule?.expression ?? null, facts.metrics?.place ?? undefined,
    { metrics: facts.metrics?.names ?? null, hasKubernetes: facts.configured.has('kubernetes') });
  const familyUnit = knowledge?.family.unit ?? null;
  const evidence = collectEvidence(caseFile, { ...facts, ledger, now: startedAt, familyUnit });

  await step('Comparing with the other open alerts');
  const related = relatedAlerts(caseFile);
  const situation: Situation = { caseFile, now: startedAt, evidence, related, knowledge };

  await step('Weighing the possible causes');
  const conclusions = concludeFrom(situation);

  await step('Writing the report');
  const finishedAt = clock.now();
  const againAt = recheckAt(caseFile, facts, {
    now: finishedAt, isExplained: isExplained(conclusions.verdict, conclusions.hypotheses),
  });
  const report: Report = {
    ...newReport(caseFile, {
      status: isResolved(situation) ? 'final' : 'ready',
      now: finishedAt,
      version: context.version,
    }),
    ...conclusions,
    unknowns: [
      ...awaitedAnswers(againAt, { ...facts, now: finishedAt }),
      ...conclusions.unknowns,
    ],
    findings: [
      ...stormFinding(caseFile).map(({ text }) => ({ text, evidence: [evidence.ids.open] })),
      ...conclusions.findings,
    ],
    evidence: ledger.items,
    provenance: provenanceOf(situation, {
      version: context.version, startedAt, finishedAt, recheckAt: againAt,
      unrecorded: context.unrecorded?.() ?? null,
    }),
  };
  return { report, recheckAt: againAt };
}

/** Its cause is established and says who it is, or it needs none. */
function isExplained(
  { certainty, classification }: Verdict,
  [cause]: Report['hypotheses'],
): boolean {
  const isNamed = cause?.detail !== undefined || (cause?.about ?? []).length > 0;
  return (isEstablished({ certainty }) && isNamed) || classification === 'noisy' ||
    classification === 'informational';
}

function hasSources({ sources }: InvestigationContext): boolean {
  return askedSources.some((source) => sources[source] !== null);
}

interface Steps {
  /** Begins the next step; rejects if the investigation was aborted. */
  readonly step: (name: string) => Promise<void>;
  readonly detail: (name: string) => void;
}

function stepsOf(context: InvestigationContext): Steps {
  const { signal, onProgress } = context;
  const of = hasSources(context) ? 5 : 4;
  let begun = 0;
  const detail = (name: string): void => {
    if (!signal.aborted) onProgress({ step: name, done: Math.max(0, begun - 1), of });
  };
  return {
    detail,
    step: async (name) => {
      signal.throwIfAborted();
      begun += 1;
      detail(name);
      // Lets a pending abort message arrive before the next step.
      await new Promise(setImmediate);
      signal.throwIfAborted();
    },
  };
}
