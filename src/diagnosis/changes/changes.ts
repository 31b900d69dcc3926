import { labelOf, noLabels } from '../../alert/labels.ts';
import type { Evidence } from '../../evidence/collect-evidence.ts';
import type { EventFact } from '../../evidence/metric-facts.ts';
import { compareText } from '../../lib/compare-text.ts';
import { finite } from '../../lib/finite.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { Change } from '../../report/report.ts';
import { shownClause, shownText } from '../../report/shown-text.ts';
import { noComponent, type ChangeCandidate } from '../../statistics/change-candidate.ts';
import type { LifeChange } from '../../statistics/rank-changes.ts';
import { notableZ } from '../../statistics/strength.ts';
import type { Situation } from '../situation.ts';
import {
  changedValues, changeTitle, componentName, ofComponent, verbOf,
} from './change-words.ts';
import { closenessOf, eventsOf, problemStart } from './event-closeness.ts';
import { metricPhrase } from './metric-phrase.ts';
import {
  movedSeries, sinceProblem, type MovedSeries, type OutlierComponent,
} from './moved-series.ts';

const changesMax = 30;
/** How many of those may be events, and how many series that appeared or vanished. */
const eventsMax = 8;
const livesMax = 6;
const componentsShown = 5;
const titleMax = 300;

/** Scores of changes without a size: that of activity out of nothing, and half of it. */
const strongScore: number = Math.log1p(10);
const notableScore = strongScore / 2;

/** Taken off the score of what has nothing to do with the alert, as if it were half its size. */
const strangerLoss: number = Math.LN2;

interface Scored {
  readonly score: number;
  /** Listed in any case: the best series of one of the five best components. */
  readonly isBest: boolean;
  readonly change: Omit<Change, 'rank'>;
}

/**
 * What moved, appeared, vanished or was done around the beginning of the problem, best first and
 * weak changes last. At most 30, among them the best series of the five best components.
 */
export function changesOf(
  { evidence }: Situation,
  outliers: readonly OutlierComponent[],
): Change[] {
  const top = outliers[0]?.component.component ?? null;
  const others = [
    ...eventChanges(evidence, top).sort(byScore).slice(0, eventsMax),
    ...lifeChanges(evidence).sort(byScore).slice(0, livesMax),
  ];
  const series = seriesChanges(evidence);
  const kept = series.filter(({ isBest }) => isBest);
  const rest = [...others, ...series.filter(({ isBest }) => !isBest)].sort(byScore);
  return [...kept, ...rest.slice(0, changesMax - kept.length)]
    .sort(byScore)
    .map(({ change }, index) => ({ rank: index + 1, ...change }));
}

/** Weak changes sort last, whatever they score. */
function byScore(a: Scored, b: Scored): number {
  const weak = (each: Scored): number => (each.change.strength === 'weak' ? 1 : 0);
  return weak(a) - weak(b) || b.score - a.score || compareText(a.change.title, b.change.title);
}

function seriesChanges(evidence: Evidence): Scored[] {
  const components = evidence.metrics?.ranking?.ranking.components ?? [];
  const best = new Set(components.slice(0, componentsShown)
    .map((component) => component.best?.candidate.id));
  return movedSeries(evidence).map((series) => ({
    score: Math.max(0, series.score - (series.isStranger ? strangerLoss : 0)),
    isBest: best.has(series.candidate.id), change: seriesChange(series),
  }));
}

function seriesChange(series: MovedSeries): Scored['change'] {
  const { candidate, agreement } = series;
  return {
    kind: 'series',
    title: shownText(`${changeTitle(series)}${whyWeak(series)}`, titleMax),
    verb: verbOf(series),
    component: shownComponent(candidate.named),
    labels: labelsOf(candidate),
    ...changedValues(series),
    z: finite(Math.round(series.z * 100) / 100),
    strength: series.strength,
    effect: shownEffect(series),
    onset_seconds: inSeconds(series.onsetMs),
    agreement: agreement === null ? null : finite(Math.round(agreement * 100) / 100),
    evidence: [series.evidence],
  };
}

/** Null for what was flat, next to nothing, or is 0 or 1: it is only known to have moved. */
function shownEffect({ before, origin, scale, isState, grounds }: MovedSeries): number | null {
  const isMultiple = !isState && scale > 0 && Math.abs(before - origin) >= scale;
  return isMultiple ? finite(Number(grounds.effect.toPrecision(3))) : null;
}

/** Why a series that moved is listed with those that did not; empty for any other. */
function whyWeak(series: MovedSeries): string {
  const { windowZ, strength, isUsual, isUnrelated, isSlack, isSlight } = series;
  if (strength !== 'weak' || isUsual || Math.abs(windowZ) < notableZ) return '';
  if (isSlack) return ', not near a limit';
  if (isSlight) return ', by little';
  return isUnrelated ? ", but not with the alert's value" : ', but varied on other days as well';
}

function shownComponent(named: Change['component'] | undefined): Change['component'] {
  return named ? { label: named.label, value: shownText(named.value, 200) } : null;
}

/** With the metric's own name, so that the series can be found again. */
function labelsOf({ labels, metric }: ChangeCandidate): Change['labels'] {
  return { __name__: metric, ...labels };
}

function inSeconds(ms: number | null): number | null {
  return ms === null ? null : finite(Math.round(ms) / 1000);
}

/** More series of a component than this that appear at one moment are only counted. */
const listedApartMax = 2;

/**
 * Series that appeared and vanished: one change for what a component did at one moment, or one for
 * each of its series if these are few.
 */
function lifeChanges(evidence: Evidence): Scored[] {
  const found = evidence.metrics?.ranking ?? null;
  if (found === null) return [];
  const { appeared, vanished, components } = found.ranking;
  const gone = new Set(components.filter(({ isGone }) => isGone).map((each) => each.component));
  const changes = (lives: readonly LifeChange[], kind: 'appeared' | 'vanished'): Scored[] =>
    groupsOf(lives, gone).map((all) => {
      const [{ candidate, index }] = all;
      const { component } = candidate;
      const isGone = kind === 'vanished' && gone.has(component);
      const title = isGone ? `${componentName(component)} is gone: its series ended`
        : lifeTitle(candidate, all.length, kind);
      const onsetMs = sinceProblem(index, found, evidence);
      const isWitness = kind === 'appeared' && isFailureKind(candidate) &&
        onsetMs >= -nearMs && onsetMs <= nearMs;
      return {
        score: isGone || isWitness ? strongScore : notableScore,
        isBest: false,
        change: {
          ...nothingMeasured, kind, title: shownText(title, titleMax), verb: kind,
          component: shownComponent(candidate.named),
          labels: all.length === 1 ? labelsOf(candidate) : noLabels,
          strength: isGone || isWitness ? 'strong' : 'notable',
          onset_seconds: inSeconds(onsetMs),
          evidence: [found.evidenceOf.get(candidate.id) ?? found.evidence],
        },
      };
    });
  return [...changes(vanished, 'vanished'), ...changes(appeared, 'appeared')];
}

/** Since the problem began, and what was counted for the first time in the hours before it. */
const nearMs = 5 * 60_000;

/** A kind of failure that had never happened before is the best witness of what began with it. */
function isFailureKind({ signal, labels }: ChangeCandidate): boolean {
  return signal === 'errors' || ['error', 'error_type', 'exception', 'reason'].some((name) =>
    (labelOf(labels, name) ?? '') !== '') || /^5/u.test(labelOf(labels, 'code') ?? '');
}

function groupsOf(
  lives: readonly LifeChange[],
  gone: ReadonlySet<string>,
): [LifeChange, ...LifeChange[]][] {
  const groups = groupBy(lives, ({ candidate: { component }, index }) =>
    gone.has(component) ? component : `${component}\u0000${index}`);
  const isListedApart = ({ candidate }: LifeChange): boolean =>
    isFailureKind(candidate) && !gone.has(candidate.component);
  return [...groups.values()].flatMap((all) => {
    const apart = all.filter(isListedApart).slice(0, listedApartMax);
    const [first, ...rest] = all.filter((each) => !apart.includes(each));
    const others: [LifeChange, ...LifeChange[]][] = first === undefined ? []
      : rest.length >= listedApartMax ? [[first, ...rest]]
        : [first, ...rest].map((each) => [each]);
    return [...apart.map((each): [LifeChange] => [each]), ...others];
  });
}

/** `orders-db connections appeared`, `12 series of orders-db disappeared`. */
function lifeTitle(
  candidate: ChangeCandidate,
  count: number,
  kind: 'appeared' | 'vanished',
): string {
  const { component } = candidate;
  const did = kind === 'vanished' ? 'disappeared' : 'appeared';
  if (count === 1) return ofComponent(component, `${metricPhrase(candidate)} ${did}`);
  if (component === noComponent) return `${count} series ${did}`;
  return `${count} series of ${componentName(component)} ${did}`;
}

const nothingMeasured = {
  before: null, after: null, unit: null, z: null, effect: null, agreement: null,
} as const;

/** Restarts, OOM kills, releases and so on, scored by how close in time and place they are. */
function eventChanges(evidence: Evidence, top: string | null): Scored[] {
  return eventsOf(evidence).map((event) => eventChange(event, evidence, top));
}

function eventChange(event: EventFact, evidence: Evidence, top: string | null): Scored {
  const closeness = closenessOf(event, evidence, top);
  const title = shownClause(event.text, titleMax);
  return {
    score: closeness === 'strong' ? strongScore : closeness === 'notable' ? notableScore : 0,
    isBest: false,
    change: {
      ...nothingMeasured, kind: event.kind, title, verb: event.verb,
      component: shownComponent(event.component),
      labels: event.labels, strength: closeness,
      onset_seconds: inSeconds(event.atMs - problemStart(evidence)),
      evidence: [event.evidence],
    },
  };
}
