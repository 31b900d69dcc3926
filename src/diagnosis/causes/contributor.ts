import { labelOf, type LabelSet } from '../../alert/labels.ts';
import type { InsideFinding, OutcomeFact } from '../../evidence/inside-fact.ts';
import type { EventFact } from '../../evidence/metric-facts.ts';
import { formatQuantity } from '../../lib/quantity.ts';
import type { CauseKind } from '../../report/kinds.ts';
import { capital, enumerated } from '../../report/plain-text.ts';
import type { Statement } from '../../report/report.ts';
import { shownText } from '../../report/shown-text.ts';
import { formatOnset } from '../../report/time-text.ts';
import { isOfKind, isOfOutcome } from '../../statistics/familiar-labels.ts';
import { nameKeyOf } from '../../statistics/lone-names.ts';
import {
  isRelease, latestBefore, problemStart, secondsAfterProblem,
} from '../changes/event-closeness.ts';
import { movedSeries } from '../changes/moved-series.ts';
import { citing } from '../citing.ts';
import type { Judged } from '../judged.ts';
import { callerOf, saysMoreArrives } from './callers.ts';
import { eventClause } from './component-statements.ts';
import { explanation, type Explained } from './explanation.ts';
import { isNear, loneBeganMs, loneClause, loneName, loneNear } from './lone-thing.ts';

/** Who makes the alert's value rise or fall, measured. */
interface Contributor {
  /** The labels that name it, each with its share of the movement. */
  readonly names: readonly { readonly label: string; readonly values: readonly string[] }[];
  readonly share: number;
  readonly before: number;
  readonly after: number;
  /** The value that it is a part of, after; null where that is not known, or it is no part. */
  readonly of: number | null;
  readonly unit: string | null;
  readonly measured: Led['measured'];
  readonly outcome: OutcomeFact | null;
  readonly evidence: string;
}

/** From this share of the movement on, one accounts for it. */
const accountsMin = 0.8;
const valuesMax = 2;

type Led = Extract<InsideFinding, { kind: 'leaders' }>;

/** Null where nothing accounts for nearly all of it. */
function contributorOf({ evidence: { metrics } }: Judged): Contributor | null {
  const inside = metrics?.inside ?? null;
  if (inside === null || inside.finding.kind !== 'leaders') return null;
  const { leaders, whole, measured, outcome = null } = inside.finding as Led;
  const named = leaders.filter(({ label, share, values }) =>
    share >= accountsMin && values.length <= valuesMax && !isOfOutcome(label) && !isOfKind(label));
  const [first] = named;
  if (first === undefined) return null;
  const isPart = measured === 'amount' || measured === 'all';
  return {
    names: named.map(({ label, values }) => ({ label, values })),
    share: first.share, before: first.before, after: first.after,
    of: isPart ? whole?.after ?? null : null, unit: inside.unit, measured, outcome,
    evidence: inside.evidence,
  };
}

/**
 * `datname warehouse has 33 of 37, 1 before`; `route /search takes 980 ms, 15 ms before`;
 * `provider nord is at 28 %, 92 % before, mostly with code 96`.
 */
function contributorText(contributor: Contributor): string {
  const { names, before, after, of, unit, measured, outcome } = contributor;
  const who = enumerated(names.map(({ label, values }) =>
    `${label} ${enumerated(values.map((value) => shownText(value, 80)))}`));
  const [had, has] = [before, after].map((value) => formatQuantity(value, unit));
  if (measured === 'mean') return `${who} takes ${has} on average, ${had} before`;
  if (measured === 'share') {
    const ended = outcome === null ? ''
      : `, mostly with ${outcome.label} ${shownText(outcome.value, 80)}`;
    return `${who} is at ${has}, ${had} before${ended}`;
  }
  const whole = of === null ? null : formatQuantity(of, unit);
  const part = whole === null || whole === has ? has : `${has} of ${whole}`;
  const verb = measured === 'all' ? 'makes up' : 'has';
  return `${who} ${verb} ${whole === has ? `all ${has}` : part}, ${had} before`;
}

/** What a cause may be that does not say itself who does it. */
const unnamed: ReadonlySet<CauseKind> = new Set([
  'release', 'config', 'family', 'dependency', 'growth',
]);

/**
 * Adds who accounts for the rise or fall, and whose release came just before, to the first cause
 * for which anything speaks; one that is less likely need not be of the same.
 */
export function withContributor(ranked: readonly Explained[], judged: Judged): Explained[] {
  const contributor = contributorOf(judged);
  const first = ranked.find(({ kind, certainty }) =>
    certainty !== 'inconclusive' && kind !== undefined && unnamed.has(kind));
  const event = first?.release === undefined ? releaseOfNamed(judged, contributor) : null;
  const id = first?.tested?.cause.id;
  const caller = id !== undefined && saysMoreArrives(id) ? callerOf(judged) : null;
  const lone = contributor === null && caller === null && first?.kind === 'family'
    ? loneNear(judged).find((fact) => isNear(fact, judged)) ?? null : null;
  const named = contributor === null && caller === null && first !== undefined
    ? namedText(first, judged) : null;
  const statements = [
    ...(caller === null ? [] : [caller.text]),
    ...(contributor === null ? [] : [contributorText(contributor)]),
    ...(lone === null ? [] : [loneClause(lone)]),
    ...(named === null ? [] : [named]),
    ...(event === null ? [] : [releaseText(event, judged)]),
  ];
  return ranked.map((each) => each !== first || statements.length === 0 ? each : {
    ...each, detail: shownText(statements.join('; '), 300),
    ...event !== null && { releasedBy: event },
    ...contributor !== null && { contributor: contributor.names },
    ...lone !== null && { lone },
    ...caller !== null && { caller: caller.component, about: [caller.component] },
    for: [
      ...each.for, ...beganStatement(contributor, judged),
      ...citing([lone?.evidence ?? ''], lone !== null && `${capital(loneClause(lone))}.`),
      ...citing([caller?.evidence ?? ''], caller !== null && `${caller.text}.`),
      ...supportOf(contributor, event, judged),
    ],
  });
}

/** When the one that accounts for the rise left its usual level. */
function beganStatement(contributor: Contributor | null, judged: Judged): Statement[] {
  const named = new Set(contributor?.names.flatMap(({ label, values }) =>
    values.map((value) => nameKeyOf(label, value))));
  const fact = loneNear(judged).find(({ labels }) =>
    labels.some(({ label, value }) => named.has(nameKeyOf(label, value))));
  if (fact === undefined) return [];
  const seconds = (loneBeganMs(fact) - problemStart(judged.evidence)) / 1000;
  return citing([fact.evidence], `${capital(loneName(fact))} began to move ` +
    `${formatOnset(seconds)}.`);
}

const labelsMax = 4;

/** `master_host 10.0.0.7, master_port 6379`: the one series that decided the test of a cause. */
function namedText({ tested }: Explained, { evidence: { metrics } }: Judged): string | null {
  const labels = metrics?.answers.get(tested?.cause.id ?? '')?.named ?? {};
  const place = metrics?.place?.labels ?? {};
  const distinctive = Object.entries(labels)
    .filter(([name, value]) => value !== '' && labelOf(place, name) !== value)
    .slice(0, labelsMax)
    .map(([name, value]) => `${name} ${shownText(value, 80)}`);
  return distinctive.length === 0 ? null : distinctive.join(', ');
}

/** Who makes the value rise, where nothing says why. */
export function contributorHypothesis(judged: Judged, found: readonly Explained[]): Explained[] {
  if (found.some(({ certainty }) => certainty !== 'inconclusive')) return [];
  const contributor = contributorOf(judged);
  if (contributor === null) return [];
  const event = releaseOfNamed(judged, contributor);
  const text = capital([
    contributorText(contributor), ...(event === null ? [] : [releaseText(event, judged)]),
  ].join('; '));
  const about = contributor.names.flatMap(({ values }) => values);
  return [{
    ...explanation({ kind: 'contributor', about, cause: text }, 'possible',
      supportOf(contributor, event, judged)),
    contributor: contributor.names,
  }];
}

function supportOf(
  contributor: Contributor | null,
  event: EventFact | null,
  judged: Judged,
): Statement[] {
  const share = contributor === null || contributor.share > 0.995 ? 'All'
    : `${Math.floor(contributor.share * 100)} %`;
  return [
    ...citing([contributor?.evidence ?? ''], contributor !== null &&
      `${share} of what moved is of ${enumerated(contributor.names.map(({ label, values }) =>
        `${label} ${enumerated(values)}`))}.`),
    ...citing([event?.evidence ?? ''], event !== null && `${capital(releaseText(event, judged))}.`),
  ];
}

/** `reporting went from 0.9.0 to 0.9.1 49 s before the problem`. */
function releaseText(event: EventFact, { evidence }: Judged): string {
  const { kind, component, before, after } = event;
  const when = formatOnset(secondsAfterProblem(event, evidence));
  if (kind !== 'version' || component === null || before === null || after === null) {
    return `${eventClause(event).replace(/^The (?=\w+ of )/u, 'the ')}, ${when}`;
  }
  const [who, from, to] = [component.value, before, after].map((text) => shownText(text, 80));
  return `${who} went from ${from} to ${to} ${when}`;
}

/**
 * The release, just before the problem, of another component that is named by what makes the value
 * rise, or by a series of the alert's own target that moved as well: a database knows its clients
 * by the names that they have themselves.
 */
function releaseOfNamed(judged: Judged, contributor: Contributor | null): EventFact | null {
  const { evidence } = judged;
  const place = evidence.metrics?.place?.labels ?? {};
  const names = new Set([
    ...contributor?.names.flatMap(({ values }) => values) ?? [],
    ...movedAt(place, judged),
  ]);
  const own = evidence.metrics?.ranking?.ownComponent ?? null;
  return latestBefore(evidence, (event) => isRelease(event) && event.isOfExporter !== true &&
    event.component !== null && event.component.value !== own &&
    names.has(event.component.value));
}

/** What the series of the alert's target that moved name, apart from the target. */
function movedAt(place: LabelSet, { evidence }: Judged): string[] {
  const target = labelOf(place, 'instance');
  if (target === null) return [];
  const ranking = evidence.metrics?.ranking?.ranking;
  const candidates = [
    ...movedSeries(evidence).filter(({ strength }) => strength !== 'weak'),
    ...ranking?.appeared ?? [],
  ].map(({ candidate }) => candidate);
  return candidates
    .filter(({ labels }) => labelOf(labels, 'instance') === target)
    .flatMap(({ labels }) => Object.entries(labels))
    .filter(([name, value]) => labelOf(place, name) !== value)
    .map(([, value]) => value);
}
