import type { ChangeAtEnd, RankingFacts, RecoveryFacts } from '../../evidence/metric-facts.ts';
import { shownText } from '../../report/shown-text.ts';
import type { Situation } from '../situation.ts';
import { ofComponent } from './change-words.ts';
import { metricPhrase } from './metric-phrase.ts';
import { movedSeries, type MovedSeries } from './moved-series.ts';

/** A change that stood out, and what became of it by the end. */
export interface ChangeOutcome {
  /** A series, with the ledger's item of it alone, or null; or a component that was gone. */
  readonly of:
    | { readonly kind: 'series'; readonly series: MovedSeries; readonly item: string | null }
    | { readonly kind: 'gone'; readonly component: string };
  /** `orders-db connections`; a component that was gone is named alone. */
  readonly name: string;
  readonly atEnd: ChangeAtEnd;
  readonly evidence: readonly string[];
}

/** What became of the changes that stood out, best first; empty while the alert fires. */
export function outcomesOf({ evidence }: Situation): ChangeOutcome[] {
  const { ranking = null, recovery = null } = evidence.metrics ?? {};
  if (ranking === null || recovery === null) return [];
  const ofSeries = movedSeries(evidence)
    .filter(({ strength }) => strength !== 'weak')
    .sort((a, b) => b.score - a.score)
    .flatMap((series): ChangeOutcome[] => {
      const { id, component } = series.candidate;
      const atEnd = recovery.states.get(id);
      return atEnd === undefined ? [] : [{
        of: { kind: 'series', series, item: ranking.evidenceOf.get(id) ?? null },
        name: ofComponent(component, metricPhrase(series.candidate)), atEnd,
        evidence: [...new Set([series.evidence, recovery.evidence])],
      }];
    });
  return [...goneOutcomes(ranking, recovery), ...ofSeries];
}

/** Components whose series had ended; back as soon as one of them has values again. */
function goneOutcomes(found: RankingFacts, recovery: RecoveryFacts): ChangeOutcome[] {
  return found.ranking.components.filter(({ isGone }) => isGone).flatMap(({ component }) => {
    const states = found.ranking.vanished
      .filter(({ candidate }) => candidate.component === component)
      .flatMap(({ candidate }) => recovery.states.get(candidate.id) ?? []);
    const atEnd = states.find(({ state }) => state === 'back') ?? states[0];
    return atEnd === undefined ? [] : [{
      of: { kind: 'gone', component }, name: shownText(component, 80), atEnd,
      evidence: [found.evidence, recovery.evidence],
    }];
  });
}
