import { noLabels } from '../../alert/labels.ts';
import type { Evidence } from '../../evidence/collect-evidence.ts';
import type { EventFact, MetricFacts, RankingFacts } from '../../evidence/metric-facts.ts';
import { compareText } from '../../lib/compare-text.ts';
import { finite } from '../../lib/finite.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { Change } from '../../report/report.ts';
import { shownClause, shownText } from '../../report/shown-text.ts';
import { noComponent, type ChangeCandidate } from '../../statistics/change-candidate.ts';
import type { LifeChange } from '../../statistics/rank-changes.ts';
import { notableZ, type Strength } from '../../statistics/strength.ts';
import type { Situation } from '../situation.ts';
import { changedValues, changeTitle, componentName, ofComponent } from './change-words.ts';
import { closenessOf, isAround } from './event-closeness.ts';
import { metricPhrase } from './metric-phrase.ts';
import { checkedLine, sinceProblem, standingComponents, type CheckedLine } from './ranked-line.ts';

const changesMax = 30;
/** How many of those may be events, and how many series that appeared or vanished. */
const eventsMax = 8;
const livesMax = 6;
const componentsShown = 5;
const titleMax = 300;

/** Scores of changes without a size: that of activity out of nothing, and half of it. */
const strongScore: number = Math.log1p(10);
const notableScore = strongScore / 2;

interface Scored {
  readonly score: number;
  /** Listed in any case: the best series of one of the five best components. */
  readonly isKept: boolean;
  readonly change: Omit<Change, 'rank'>;
}

/**
 * What moved, appeared, vanished or was done around the beginning of the problem, best first and
 * weak changes last. At most 30, among them the best series of the five best components.
 */
export function changesOf({ evidence }: Situation): Change[] {
  const { metrics } = evidence;
  return (metrics === null ? rolloutChanges(evidence) : measuredChanges(metrics))
    .sort(byScore)
    .map(({ change }, index) => ({ rank: index + 1, ...change }));
}

function measuredChanges(facts: MetricFacts): Scored[] {
  const found = facts.ranking;
  const others = [
    ...eventChanges(facts).sort(byScore).slice(0, eventsMax),
    ...(found === null ? [] : lifeChanges(facts, found).sort(byScore).slice(0, livesMax)),
  ];
  const series = found === null ? [] : seriesChanges(facts, found);
  const kept = series.filter(({ isKept }) => isKept);
  const rest = [...others, ...series.filter(({ isKept }) => !isKept)].sort(byScore);
  return [...kept, ...rest.slice(0, changesMax - kept.length)];
}

/** Weak changes sort last, whatever they score. */
function byScore(a: Scored, b: Scored): number {
  const weak = (each: Scored): number => (each.change.strength === 'weak' ? 1 : 0);
  return weak(a) - weak(b) || b.score - a.score || compareText(a.change.title, b.change.title);
}

function seriesChanges(facts: MetricFacts, found: RankingFacts): Scored[] {
  const best = new Set(found.ranking.components.slice(0, componentsShown).map((each) => each.best));
  return found.ranking.series.map((line) => {
    const checked = checkedLine(line, facts, found);
    return { score: checked.score, isKept: best.has(line), change: seriesChange(checked) };
  });
}

function seriesChange(checked: CheckedLine): Scored['change'] {
  const { candidate, agreement } = checked.line;
  return {
    kind: 'series',
    title: shownText(`${changeTitle(checked)}${whyWeak(checked)}`, titleMax),
    component: shownComponent(candidate.named),
    labels: labelsOf(candidate),
    ...changedValues(checked),
    z: finite(Math.round(checked.z * 100) / 100),
    strength: checked.strength,
    onset_seconds: inSeconds(checked.onsetMs),
    agreement: agreement === null ? null : finite(Math.round(agreement * 100) / 100),
    evidence: [checked.evidence],
  };
}

/** Why a series that moved is listed with those that did not; empty for any other. */
function whyWeak({ line, strength, isUsual, isUnrelated }: CheckedLine): string {
  if (strength !== 'weak' || isUsual || Math.abs(line.z) < notableZ) return '';
  return isUnrelated ? ", but not with the alert's value" : ', but varied on other days as well';
}

function shownComponent(named: Change['component'] | undefined): Change['component'] {
  return named ? { label: named.label, value: shownText(named.value, 200) } : null;
}

/** With the metric's own name, so that the series can be found again. */
function labelsOf({ labels = {}, metric }: ChangeCandidate): Change['labels'] {
  return { __name__: metric, ...labels };
}

function inSeconds(ms: number | null): number | null {
  return ms === null ? null : finite(Math.round(ms) / 1000);
}

/** More series of a component than this that appear at one moment are only counted. */
const toldApartMax = 2;

/**
 * Series that appeared and vanished: one change for what a component did at one moment, or one for
 * each of its series if these are few.
 */
function lifeChanges(facts: MetricFacts, found: RankingFacts): Scored[] {
  const { appeared, vanished, components } = found.ranking;
  const gone = new Set(components.filter(({ isGone }) => isGone).map((each) => each.component));
  const changes = (lives: readonly LifeChange[], kind: 'appeared' | 'vanished'): Scored[] =>
    groupsOf(lives, gone).map((all) => {
      const [{ candidate, index }] = all;
      const { component } = candidate;
      const isGone = kind === 'vanished' && gone.has(component);
      const title = isGone ? `${componentName(component)} is gone: its series ended`
        : lifeTitle(candidate, all.length, kind);
      return {
        score: isGone ? strongScore : notableScore,
        isKept: false,
        change: {
          ...nothingMeasured, kind, title: shownText(title, titleMax),
          component: shownComponent(candidate.named),
          labels: all.length === 1 ? labelsOf(candidate) : noLabels,
          strength: isGone ? 'strong' : 'notable',
          onset_seconds: inSeconds(sinceProblem(index, facts, found)),
          evidence: [found.evidenceOf.get(candidate.id) ?? found.evidence],
        },
      };
    });
  return [...changes(vanished, 'vanished'), ...changes(appeared, 'appeared')];
}

function groupsOf(
  lives: readonly LifeChange[],
  gone: ReadonlySet<string>,
): [LifeChange, ...LifeChange[]][] {
  const groups = groupBy(lives, ({ candidate: { component }, index }) =>
    gone.has(component) ? component : `${component}\u0000${index}`);
  return [...groups.values()].flatMap((all) => {
    const told: (typeof all)[] = all.length > toldApartMax ? [all] : all.map((each) => [each]);
    return told;
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
  before: null, after: null, unit: null, z: null, agreement: null,
} as const;

/** Restarts, OOM kills, releases and so on, scored by how close in time and place they are. */
function eventChanges(facts: MetricFacts): Scored[] {
  const standing = facts.ranking === null ? [] : standingComponents(facts, facts.ranking);
  const top = standing[0]?.component.component ?? null;
  return facts.events.map((event) =>
    eventChange(event, facts.window.onMs, closenessOf(event, facts, top)));
}

/** Rollouts, which Kubernetes reports without metrics as well. */
function rolloutChanges({ kubernetes, history }: Evidence): Scored[] {
  const { start } = history.current;
  return (kubernetes?.rollouts ?? []).map((rollout) => {
    const strength = isAround((rollout.atMs - start) / 1000) ? 'strong' : 'notable';
    return eventChange(rollout, start, strength);
  });
}

function eventChange(event: EventFact, onMs: number, closeness: Strength): Scored {
  const title = shownClause(event.text, titleMax);
  return {
    score: closeness === 'strong' ? strongScore : closeness === 'notable' ? notableScore : 0,
    isKept: false,
    change: {
      ...nothingMeasured, kind: event.kind, title,
      component: shownComponent(event.component),
      labels: event.labels, strength: closeness,
      onset_seconds: inSeconds(event.atMs - onMs),
      evidence: [event.evidence],
    },
  };
}
