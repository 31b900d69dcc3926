import type { ChangeAtEnd, RankingFacts, RecoveryFacts } from '../../evidence/metric-facts.ts';
import { counted } from '../../report/plain-text.ts';
import type { Statement } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { utcText } from '../../report/time-text.ts';
import { citing } from '../citing.ts';
import type { Situation } from '../situation.ts';
import { ofComponent, saidValue } from './change-words.ts';
import { metricPhrase } from './metric-phrase.ts';
import { movedSeries, type MovedSeries } from './moved-series.ts';

const listedMax = 8;

/** A change that stood out, and what became of it by the end. */
export interface ChangeOutcome {
  readonly component: string;
  /** `orders-db connections`; a component that was gone is named alone. */
  readonly name: string;
  readonly atEnd: ChangeAtEnd;
  /** Null for a component that was gone. */
  readonly series: MovedSeries | null;
  /** The ledger's item of this series alone; null where it has none. */
  readonly item: string | null;
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
        component: shownText(component, 80),
        name: ofComponent(component, metricPhrase(series.candidate)),
        atEnd, series, item: ranking.evidenceOf.get(id) ?? null,
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
    const name = shownText(component, 80);
    return atEnd === undefined ? [] : [{
      component: name, name, atEnd, series: null, item: null,
      evidence: [found.evidence, recovery.evidence],
    }];
  });
}

/** Which of the changes came back and when, which did not, and for how many that is unknown. */
export function movedBack(situation: Situation): Statement[] {
  const outcomes = outcomesOf(situation);
  const told = outcomes.filter(({ atEnd: { state } }) =>
    state !== 'unseen' && state !== 'unsettled');
  const cited = situation.evidence.metrics?.recovery?.evidence;
  if (cited === undefined) return [];
  const statements = told.slice(0, listedMax).map((outcome) => ({
    text: outcomeText(outcome, situation), evidence: outcome.evidence,
  }));
  const more = told.slice(listedMax);
  const back = more.filter(({ atEnd }) => atEnd.state === 'back').length;
  const open = outcomes.length - told.length;
  return [...statements, ...citing([cited],
    more.length > 0 && `${back} of ${counted(more.length, 'further change')} came back.`,
    open > 0 && `Whether ${counted(open, 'change')} came back is unknown: there are too few ` +
      'values after the end.')];
}

function outcomeText({ name, atEnd, series }: ChangeOutcome, situation: Situation): string {
  const { state, backMs, isFromStart, level } = atEnd;
  if (series === null) {
    return state !== 'back' || backMs === null ? `${name} is still gone: no series came back.`
      : `${name} came back at ${utcText(backMs, situation.now)}.`;
  }
  const { candidate, before } = series;
  const said = (value: number | null): string => saidValue(candidate, value);
  if (state === 'back' && backMs !== null) {
    const at = `${isFromStart ? 'before' : 'at'} ${utcText(backMs, situation.now)}`;
    return `${name} came back to ${said(level)} ${at}.`;
  }
  const part = state === 'partly' ? 'came back only in part' : 'did not come back';
  return `${name} ${part}: ${said(level)} at the end, ${said(before)} before.`;
}
