/** The words of a report's closed sets, the same on the page, in Markdown and in a terminal. */
import { severityOf, type Severity } from '../alert/severity.ts';
import { formatQuantity } from '../lib/quantity.ts';
import { formatExactMoment } from './moment.ts';
import { counted } from './plain-text.ts';
import type {
  Certainty, Change, Classification, EvidenceItem, Feedback, History, Impact, Narrative, Reality,
  Report, ReportStatus, SourceState,
} from './report.ts';
import { shownText } from './shown-text.ts';

export const classificationWords: Readonly<Record<Classification, string>> = {
  actionable: 'Needs action',
  informational: 'For information',
  noisy: 'Probably noise',
  recovered: 'Recovered',
  data_problem: 'Data problem',
  inconclusive: 'Not settled',
};

/** What each certainty means, in the same words everywhere. */
export const certaintyMeanings: Readonly<Record<Certainty, string>> = {
  confirmed: 'a check of the mechanism succeeded and nothing contradicts it',
  likely: 'one explanation is clearly ahead of the others',
  possible: 'it fits in time; nothing more is shown',
  inconclusive: 'the evidence does not decide',
};

export const statusWords: Readonly<Record<ReportStatus, string>> = {
  queued: 'Waiting to be analysed',
  analysing: 'Being analysed',
  ready: 'Analysed',
  final: 'Final',
  failed: 'Analysis failed',
};

const scopeWords: Readonly<Record<NonNullable<Impact['scope']>, string>> = {
  single: 'A single target',
  few: 'A few targets',
  many: 'Many targets',
  broad: 'Broad: 20 targets or more, or most of what this alert watches',
};

export const sourceStateWords: Readonly<Record<SourceState, string>> = {
  ok: 'ok', empty: 'nothing found', failed: 'failed', not_configured: 'not configured',
};

export const feedbackWords: Readonly<Record<Feedback['verdict'], string>> = {
  right: 'Right', partly: 'Partly right', wrong: 'Wrong',
};

/** The same as a list says it. */
export const saidWords: Readonly<Record<Feedback['verdict'], string>> = {
  right: 'called right', partly: 'called partly right', wrong: 'called wrong',
};

const absenceWords: Readonly<Record<AbsentNarrative['reason'], string>> = {
  not_configured: 'No model is configured.',
  budget: 'The budget for the model is used up.',
  storm: 'Too many alerts at once to ask the model about each.',
  breaker: 'The model is not asked while its endpoint keeps failing.',
  failed: 'The model gave no usable answer.',
  pending: 'The model has not answered yet.',
  severity: 'The model is not asked for alerts of this severity.',
};

type AbsentNarrative = Extract<Narrative, { state: 'absent' }>;

/** Said above a narrative whose model was shown something that reads like an order to it. */
export const steeredText =
  'Something in what the model was shown reads as if it were meant to steer it.';

/** Why there is no narrative, in the words of the one who left it out where there are any. */
export function narrativeAbsence({ reason, detail }: AbsentNarrative): string {
  return detail === '' ? absenceWords[reason] : detail;
}

/** Shapes of severities, as different as their colours. */
export const severitySigns: Readonly<Record<Severity, string>> = {
  critical: '◆', warning: '▲', info: '■', unknown: '▬', none: '○',
};

/** The severity in the alert's own word; `no severity` where it has none. */
export function severityWord(report: Report): string {
  if (report.alert.severity) return report.alert.severity;
  const severity = severityOf(report.alert.labels);
  return severity === 'unknown' ? 'no severity' : severity;
}

export function severityOfReport(report: Report): Severity {
  return severityOf(report.alert.labels);
}

/** `Ranking 412 series, 3 of 7`; null when nothing is under way. */
export function progressSentence(report: Report): string | null {
  if (report.status === 'queued') return 'Waiting to be analysed';
  if (report.status !== 'analysing') return null;
  const { progress } = report;
  if (progress === null) return 'Being analysed';
  return `${progress.step}, ${progress.done} of ${progress.of}`;
}

/** A name, what is said of it, and the exact number behind that; null where there is none. */
export type RealityRow = readonly [name: string, said: string, exact: number | null];

/** What was measured about the alert itself. */
export function realityRows(reality: Reality): readonly RealityRow[] {
  const { threshold, operator, unit, flaps } = reality;
  const plain = (number: number | null): string | null =>
    number === null ? null : formatQuantity(number, unit);
  const value = (number: number | null, then: number | null): string | null =>
    number === null ? null : formatQuantity(number, unit) + againstThreshold(number, then, reality);
  const series = reality.threshold_series ?? null;
  const saidSeries = series && shownText(series.expression, 120) +
    (series.now === null ? '' : ` (${plain(series.now)} now)`);
  const bound = saidSeries ?? plain(threshold);
  const rows = [
    ['When it fired', value(reality.value_at_fire, series === null ? threshold : series.at_fire),
      reality.value_at_fire],
    ['Now', value(reality.value_now, series === null ? threshold : series.now), reality.value_now],
    ['Fires when', bound && `${operator ?? 'beyond'} ${bound}`, series === null ? threshold : null],
    ['Same time yesterday', plain(reality.yesterday), reality.yesterday],
    ['Same time last week', plain(reality.last_week), reality.last_week],
    ['Began, last 24 h', flaps === null ? null : counted(flaps, 'time'), null],
    ['Its data', reality.scrape_ok === null ? null : scrapeWord(reality.scrape_ok), null],
  ] as const;
  return rows.flatMap(([name, said, exact]) => (said === null ? [] : [[name, said, exact]]));
}

export function impactRows(impact: Impact): readonly (readonly [string, string])[] {
  const { scope, firing_same: same, targets_up: up, targets_total: total } = impact;
  return present([
    ['Scope', scope && scopeWords[scope]],
    ['Firing with this name', same === null ? null : String(same)],
    ['Targets up', up === null || total === null ? null : `${up} of ${total}`],
  ]);
}

/** `40 -> 198` with the given arrow; null when nothing was measured. */
export function beforeAndAfter(change: Change, arrow: string): string | null {
  const { before, after, unit } = change;
  if (before === null && after === null) return null;
  const side = (value: number | null): string =>
    value === null ? 'nothing' : formatQuantity(value, unit);
  return `${side(before)} ${arrow} ${side(after)}`;
}

/** `prometheus · from 02:00 to 02:30 · every 15 s`: where and when an item was found. */
export function evidenceOrigin(item: EvidenceItem): string {
  const { from, to, step_seconds: step, fetched_at: fetchedAt } = item;
  const parts = [item.source];
  if (from !== null && to !== null) {
    parts.push(`from ${formatExactMoment(from)} to ${formatExactMoment(to)}`);
  }
  if (step !== null) parts.push(`every ${formatQuantity(step, 'seconds')}`);
  if (fetchedAt !== null) parts.push(`fetched ${formatExactMoment(fetchedAt)}`);
  if (item.truncated) parts.push('cut short');
  if (item.redactions > 0) parts.push(`${item.redactions} redacted`);
  return parts.join(' · ');
}

/** How many episodes began lately. */
export function occurrenceCounts(history: History): string {
  return `${history.last_24h} in 24 h, ${history.last_7d} in 7 d, ${history.last_30d} in 30 d`;
}

/** `82 %` of a share between 0 and 1. */
export function shareWord(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function scrapeWord(isFine: boolean): string {
  return isFine ? 'arrives as it should' : 'does not arrive as it should';
}

function againstThreshold(
  value: number,
  threshold: number | null,
  { unit, operator, threshold_series: series }: Reality,
): string {
  if (threshold === null) return '';
  if (series) return ` (threshold ${formatQuantity(threshold, unit)})`;
  // How often a state or a number of leaders is another one says nothing.
  if (operator === '==' || operator === '!=') return '';
  // Twice as many degrees are not twice as hot.
  if (threshold <= 0 || value < 0 || unit === 'celsius') return '';
  return ` (${Number((value / threshold).toPrecision(2))}× the threshold)`;
}

function present(
  rows: readonly (readonly [string, string | null])[],
): readonly (readonly [string, string])[] {
  return rows.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}
