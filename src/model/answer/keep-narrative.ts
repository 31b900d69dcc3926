import { severityOf, severityRank } from '../../alert/severity.ts';
import type { Report, WrittenNarrative } from '../../report/report.ts';
import { isAsked } from '../assertions/whose-words.ts';
import { adoptEvidence } from './adopt-evidence.ts';
import { lowerOf, withOwnHypothesis } from './apply-verdict.ts';
import { narrativeCheck } from './narrate.ts';

/** How long a narrative is kept while the evidence stays the same. */
const sameMsMax = 6 * 60 * 60_000;

/**
 * The new report with the narrative of the one it replaces, if that is still valid: the alert has
 * ended, the evidence is the same, or the narrative is younger than `freshMs` and the severity has
 * not risen. The evidence that its claims cite is copied along. Null when the model is to be asked
 * again.
 */
export function keepNarrative(
  report: Report,
  previous: Report,
  { now, freshMs }: { readonly now: number; readonly freshMs: number },
): Report | null {
  const { narrative } = previous;
  if (narrative.state === 'absent') return null;
  const ageMs = now - Date.parse(narrative.written_at);
  const isGraver = severityRank(severityOf(report.alert.labels))
    < severityRank(severityOf(previous.alert.labels));
  const isSame = ageMs < sameMsMax && assertionsOf(report) === assertionsOf(previous);
  const isFresh = ageMs < freshMs && !isGraver;
  if (report.episode.state !== 'resolved' && !isSame && !isFresh) return null;
  return withNarrativeOf(report, previous, narrative);
}

/** What a model is given of the report, before it asks for more evidence. */
function assertionsOf({ alert, evidence, hypotheses }: Report): string {
  return JSON.stringify({
    labels: alert.labels, annotations: alert.annotations,
    evidence: evidence.filter((item) => !isAsked(item)).map(({ title, state, summary }) =>
      [title, state, summary]),
    hypotheses: hypotheses.map(({ cause }) => cause).sort(),
  });
}

function withNarrativeOf(report: Report, previous: Report, narrative: WrittenNarrative): Report {
  const { reasons, certainty } = previous.verdict;
  const doubts = reasons.filter(({ by, effect }) => by === 'model' && effect === 'lowers');
  const own = previous.hypotheses.find(({ proposed_by: by }) => by === 'model') ?? null;
  const { evidence, moved, reworded } = adoptEvidence(report.evidence, previous.evidence, [
    ...narrative.claims, ...doubts, ...own?.for ?? [], { text: narrative.text, evidence: [] },
  ]);
  const checks = previous.provenance.checks.filter(({ name }) => name === narrativeCheck);
  const doubted = {
    ...report.verdict,
    certainty: doubts.length === 0 ? report.verdict.certainty
      : lowerOf(report.verdict.certainty, certainty),
    reasons: [...report.verdict.reasons, ...doubts.map(moved)],
  };
  const concluded = { hypotheses: report.hypotheses, verdict: doubted };
  return {
    ...report,
    ...own === null ? concluded
      : withOwnHypothesis(concluded, { ...own, for: own.for.map(moved) }),
    evidence,
    narrative: {
      ...narrative, claims: narrative.claims.map(moved),
      text: reworded(narrative.text),
    },
    provenance: { ...report.provenance, checks: [...report.provenance.checks, ...checks] },
  };
}
