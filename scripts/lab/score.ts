/** Judges what was reported on an incident by the truth that was written down before. */
import type { Report } from '../../src/report/report.ts';
import type { ReportList, ReportListRow } from '../../src/report/report-list.ts';
import type { Truth } from './incident.ts';
import type { Course, Moment, Snapshot } from './run.ts';

/** What the report that is read first says at one moment; null where it is not judged. */
export interface Score {
  readonly moment: Moment;
  /** Name of the alert whose report was judged. */
  readonly alert: string;
  readonly classification: boolean;
  readonly cause: boolean;
  readonly culprit: boolean | null;
  /** What any report calls likely, confirmed or ruled out, and is false. */
  readonly falsehoods: readonly string[];
  /** What any report calls likely or confirmed, and the truth does not mention. */
  readonly unjudged: readonly string[];
  /** Seconds by which the onset of the cause is late, or early if negative; null if not given. */
  readonly onsetSeconds: number | null;
  readonly isOnsetJudged: boolean;
  readonly step: boolean;
  /** Rows of the list for the alerts of this incident. */
  readonly rows: number;
  readonly rowsWanted: number;
  /** A source did not answer in time, as on a busy machine. */
  readonly isIncomplete: boolean;
  /** What the first screen said, for whoever mends it. */
  readonly said: string;
}

export const onsetWithinSeconds = 30;
/** Alerts of one evaluation arrive together, though in a notification for each group. */
const sameNotificationMs = 3000;

export function scoreOf(course: Course, moment: Moment): Score | null {
  const snapshots = course.snapshots.get(moment) ?? [];
  const { truth } = course.incident;
  const judged = leading(snapshots);
  if (judged === null) return null;
  const { name, report } = judged;
  const { verdict } = report;
  const { claims, all } = screenOf(report);
  const allowed = truth.classifications ?? ['actionable'];
  const statements = snapshots.map(({ report: each }) => judgedStatements(each, truth));
  return {
    moment, alert: name, said: all,
    isIncomplete: report.provenance.checks.some(({ state }) => state === 'failed'),
    classification: moment === 'end' || allowed.includes(verdict.classification),
    cause: matches(truth.cause, claims),
    culprit: truth.culprit === null ? null : matches(truth.culprit, claims),
    falsehoods: statements.flatMap(({ falsehoods }) => falsehoods),
    unjudged: statements.flatMap(({ unjudged }) => unjudged),
    onsetSeconds: onsetOf(report, course.causedAt),
    isOnsetJudged: truth.hasNoOnset !== true,
    step: moment === 'end' || isUseful(report, truth),
    rows: rowsOf(course.lists.get(moment), snapshots),
    rowsWanted: truth.rows ?? 1,
  };
}

/** The first report that people open: of the first notification, the worst alert. */
function leading(snapshots: readonly Snapshot[]): Snapshot | null {
  const from = snapshots[0]?.notifiedAt ?? 0;
  const first = snapshots.filter(({ notifiedAt }) => notifiedAt < from + sameNotificationMs);
  return first.find(({ report }) => report.alert.severity === 'critical') ?? first[0] ?? null;
}

/** The first screen, and what it claims: headline and cause without the alert's own name. */
function screenOf({ alert, verdict, hypotheses }: Report): { claims: string; all: string } {
  const { headline, most_likely: cause, certainty, classification } = verdict;
  const first = hypotheses[0];
  const mechanism = first !== undefined && first.cause === cause ? first.mechanism : null;
  const said = [
    `${classification}: ${headline}`, `Most likely: ${cause ?? 'not established'} (${certainty})`,
    ...(mechanism === null ? [] : [mechanism]),
  ].join('\n');
  const all = `${said}\nFirst: ${verdict.do_first ?? 'nothing'}`;
  return { claims: said.replaceAll(alert.name, ''), all };
}

function matches(pattern: RegExp, text: string): boolean {
  return new RegExp(pattern.source, 'is').test(text);
}

function judgedStatements(
  { hypotheses, ruled_out: ruledOut, alert }: Report,
  truth: Truth,
): { falsehoods: string[]; unjudged: string[] } {
  const falsehoods: string[] = [];
  const unjudged: string[] = [];
  const { cause, culprit, holds = [], isFalse = [], mayNotBeRuledOut } = truth;
  const isTrue = (text: string): boolean =>
    [cause, ...(culprit === null ? [] : [culprit]), ...holds].some((each) => matches(each, text));
  for (const each of hypotheses) {
    if (each.certainty !== 'likely' && each.certainty !== 'confirmed') continue;
    const text = `${alert.name}, ${each.certainty}: ${each.cause}`;
    if (isFalse.some((pattern) => matches(pattern, each.cause))) falsehoods.push(text);
    else if (!isTrue(each.cause)) unjudged.push(text);
  }
  for (const each of ruledOut) {
    if (mayNotBeRuledOut === undefined || !matches(mayNotBeRuledOut, each.cause)) continue;
    falsehoods.push(`${alert.name}, ruled out: ${each.cause}`);
  }
  return { falsehoods, unjudged };
}

/** Steps that need what this lab does not have. */
const notHere = /\bkubectl\b|\bdocker\b|\bhelm\b|journalctl -u kubelet/;

function isUseful({ verdict, next_steps: steps }: Report, { step }: Truth): boolean {
  const first = steps.find(({ action }) => action === verdict.do_first) ?? steps[0];
  const text = `${verdict.do_first ?? ''}\n${first?.command ?? ''}`;
  return matches(step, text) && !notHere.test(text);
}

/**
 * When the leading cause began, as the report has it: the earliest of the changes that speak for
 * it; without any, where the problem is said to begin.
 */
function onsetOf({ hypotheses, timeline, alert }: Report, causedAt: number): number | null {
  const first = hypotheses[0];
  const cited = new Set(first?.for.flatMap(({ evidence }) => evidence) ?? []);
  const started = Date.parse(alert.startsAt ?? '');
  const near = timeline.filter(({ at }) => Date.parse(at) > started - 600_000);
  const changes = near.filter(({ kind, evidence }) =>
    kind === 'change' && evidence.some((each) => cited.has(each)));
  const problem = near.find(({ text }) => /problem begins|began|crosse[sd]/i.test(text));
  const at = changes[0]?.at ?? problem?.at;
  return at === undefined ? null : Math.round((Date.parse(at) - causedAt) / 1000);
}

function rowsOf(list: ReportList | undefined, snapshots: readonly Snapshot[]): number {
  const those = new Set(snapshots.map(({ report }) => report.fingerprint));
  const isOurs = (row: ReportListRow): boolean => row.kind === 'alert'
    ? those.has(row.fingerprint)
    : row.alerts.some(({ fingerprint }) => those.has(fingerprint));
  return [...list?.open ?? [], ...list?.ended ?? []].filter(isOurs).length;
}
