/** The wording that the page, Markdown and terminal text of a report have in common. */
import { severityOf, type Severity } from '../alert/severity.ts';
import { parseTime } from '../alert/timestamp.ts';
import { memberOf } from '../lib/parse.ts';
import { formatDuration, formatQuantity } from '../lib/quantity.ts';
import { extentText } from './extent-text.ts';
import type { ChangeVerb } from './kinds.ts';
import { times } from './plain-text.ts';
import type {
  Certainty, Change, Classification, EvidenceItem, Feedback, History, Impact, Reality,
  Report, ReportStatus, SourceState,
} from './report.ts';
import { shownText } from './shown-text.ts';
import { formatExactMoment, utcText } from './time-text.ts';

export const classificationWords: Readonly<Record<Classification, string>> = {
  actionable: 'Needs action',
  informational: 'For information',
  noisy: 'Probably noise',
  recovered: 'Recovered',
  data_problem: 'Data problem',
  inconclusive: 'Inconclusive',
};

export const certaintyMeanings: Readonly<Record<Certainty, string>> = {
  confirmed: 'a check of the mechanism succeeded and nothing contradicts it',
  likely: 'one explanation is clearly ahead of the others',
  possible: 'some evidence speaks for it, but nothing has confirmed it',
  inconclusive: 'the evidence does not settle the cause',
};

/** What the verdict's cause is called: one that is confirmed is the cause. */
export function causeWords({ certainty }: Report['verdict']): string {
  return certainty === 'confirmed' ? 'Cause' : 'Most likely';
}

interface EndWords {
  readonly state: string;
  /** The time of the end follows; `until` comes after that of the start. */
  readonly ended: string;
  readonly until: string;
}

/** How an alert ended: its end was notified, or Alertmanager was found not to have it any more. */
export function endWords(isEndUnknown: boolean): EndWords {
  const ended = 'not in Alertmanager since';
  if (!isEndUnknown) return { state: 'Resolved', ended: 'ended', until: ' until' };
  return { state: 'Not in Alertmanager any more', ended, until: `, end unknown, ${ended}` };
}

/** Whether it fires, in words. */
export function stateWord({ state, end_unknown: isEndUnknown }: Report['episode']): string {
  return state === 'firing' ? 'Firing' : endWords(isEndUnknown).state;
}

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

/** `rated partly right`. */
export function ratedWords(verdict: Feedback['verdict']): string {
  return `rated ${feedbackWords[verdict].toLowerCase()}`;
}

/** Shown above a narrative whose model was shown something that reads like an order to it. */
export const steeredText = 'Some of what the model was shown reads like an attempt to steer it.';

/** Above what a model points at, and above its own words. */
export const foundText = 'What it points at, computed and worded by code';
export const uncheckedText = "The model's reading, not checked";

/** A shape for each severity, so that they differ without colours. */
export const severitySigns: Readonly<Record<Severity, string>> = {
  critical: '◆', warning: '▲', info: '■', unknown: '▬', none: '○',
};

/** None, or one of the house's own words, is neither a severity nor the label `none`. */
export function severityName(severity: Severity): string {
  if (severity === 'none') return 'severity “none”';
  return severity === 'unknown' ? 'no known severity' : severity;
}

/** The severity in the alert's own word, if it has one. */
export function severityWord(report: Report): string {
  return report.alert.severity || severityName(severityOfReport(report));
}

export function severityOfReport(report: Report): Severity {
  return severityOf(report.alert.labels);
}

/** `Ranking 412 series, 3 of 7`; null if no analysis is under way. */
export function progressSentence(report: Report): string | null {
  const { status, progress } = report;
  if (status !== 'queued' && status !== 'analysing') return null;
  if (status === 'queued' || progress === null) return statusWords[status];
  return `${progress.step}, ${progress.done} of ${progress.of}`;
}

/** A name, the text shown for it, and the exact number behind that; null if there is none. */
type RealityRow = readonly [name: string, shown: string, exact: number | null];

/** What was measured about the alert itself. */
export function realityRows(reality: Reality): readonly RealityRow[] {
  const { value_at_fire: atFire, value_now: now, threshold, operator, unit, flaps } = reality;
  const series = reality.threshold_series ?? null;
  const quantity = (value: number | null): string | null =>
    value === null ? null : formatQuantity(value, unit);
  const compared = (value: number | null, limit: number | null): string | null =>
    value === null ? null : formatQuantity(value, unit) + againstThreshold(value, limit, reality);
  const shalertSeries = series && shownText(series.expression, 120) +
    (series.now === null ? '' : ` (${quantity(series.now)} when last checked)`);
  const limit = shalertSeries ?? quantity(threshold);
  const rows = [
    ['When it fired', compared(atFire, series === null ? threshold : series.at_fire), atFire],
    ['When last checked', compared(now, series === null ? threshold : series.now), now],
    ['Fires when', limit && `${operator ?? 'beyond'} ${limit}`, series === null ? threshold : null],
    ['A day before it fired', quantity(reality.yesterday), reality.yesterday],
    ['A week before it fired', quantity(reality.last_week), reality.last_week],
    ['Started firing in 24 h', flaps === null ? null : times(flaps), null],
    ['Scraping', reality.scrape_ok === null ? null : scrapeWord(reality.scrape_ok), null],
  ] as const;
  return rows.flatMap(([name, shown, exact]) => (shown === null ? [] : [[name, shown, exact]]));
}

/** How far it reaches, without what an alert alone says by itself. */
export function impactRows(impact: Impact): readonly (readonly [string, string])[] {
  const { scope, firing_same: same, targets_up: up, targets_total: total } = impact;
  const isOnlyTarget = up === 1 && total === 1;
  return present([
    ['Scope', scope && scopeWords[scope]],
    ['How much', impact.extent === undefined ? null : extentText(impact.extent)],
    ['Firing with this name', same === null || same <= 1 ? null : String(same)],
    ['Targets up', up === null || total === null || isOnlyTarget ? null : `${up} of ${total}`],
  ]);
}

/** The affected objects, unless the only one is named by the alert's own labels. */
export function affectedIn({ impact: { affected }, alert }: Report): readonly string[] {
  const [first, ...others] = affected;
  if (first === undefined || others.length > 0) return affected;
  const isOwn = Object.entries(alert.labels)
    .some(([name, value]) => first.startsWith(`${name}=${value}`));
  return isOwn ? [] : affected;
}

/** Affected objects that are shown; the JSON has all. */
export const affectedShown = 20;

/** `40 → 198`, with the given arrow; null if neither is known or the title has both. */
export function beforeAndAfter(change: Change, arrow: string): string | null {
  const { before, after, unit } = change;
  if ((before === null && after === null) || titleHasValues(change)) return null;
  const side = (value: number | null): string =>
    value === null ? 'nothing' : formatQuantity(value, unit);
  return `${side(before)} ${arrow} ${side(after)}`;
}

/** For the best changes, up to this number, readers see why they come first. */
const firstChanges = 3;

/**
 * Why a change is among the first: how unusual and how large it is, and how closely it moves with
 * the alert's own series. Empty for the others and the weak, and where nothing was measured.
 */
export function whyWords({ rank, strength, z, effect = null, agreement }: Change): string[] {
  if (rank > firstChanges || strength === 'weak' || z === null) return [];
  return [
    deviationsText(z),
    ...(effect === null ? [] : [effectText(effect)]),
    ...(agreement === null ? [] : [`agreement with the alert ${agreement.toFixed(2)}`]),
  ];
}

const deviationsMax = 100;

/** A huge number of deviations means nothing for a series that hardly ever moved. */
export function deviationsText(z: number): string {
  const many = Math.abs(z) > deviationsMax ? `more than ${deviationsMax}`
    : formatQuantity(Math.abs(z), null);
  return `${many} deviations`;
}

function effectText(effect: number): string {
  return effect < 1 ? `by ${formatQuantity(effect, 'ratio')} of what is usual`
    : `by ${Number(effect.toPrecision(2))}× what is usual`;
}

/** Whether a change's title says its values, as in `CPU rose from 0.2 cores to 0.9 cores`. */
function titleHasValues({ verb, before, after }: Change): boolean {
  return before !== null && after !== null && verb !== undefined && movements.has(verb);
}

const movements: ReadonlySet<ChangeVerb> = new Set(['rose', 'fell', 'went', 'hardly_moved']);

/** `prometheus · from 02:00 to 02:30 · every 15 s`: where an item comes from and its time. */
export function evidenceOrigin(item: EvidenceItem): string {
  const { from, to, step_seconds: step, fetched_at: fetchedAt } = item;
  const parts = [item.source];
  if (from !== null && to !== null) {
    parts.push(`from ${formatExactMoment(from)} to ${formatExactMoment(to)}`);
  }
  if (step !== null) parts.push(`every ${formatQuantity(step, 'seconds')}`);
  if (fetchedAt !== null) parts.push(`fetched ${formatExactMoment(fetchedAt)}`);
  if (item.truncated) parts.push('truncated');
  if (item.redactions > 0) parts.push(`${item.redactions} redacted`);
  return parts.join(' · ');
}

/** The episodes' counts and their statistics, as far as they are known. */
export function historyRows(history: History): readonly (readonly [string, string])[] {
  const { median_duration_seconds: median, self_resolved_share: share } = history;
  return present([
    ['Episodes begun',
      `${history.last_24h} in 24 h, ${history.last_7d} in 7 d, ${history.last_30d} in 30 d`],
    ['Usually lasts', median === null ? null : formatDuration(median)],
    ['Ended within 5 min', share === null ? null : `${shareWord(share)} of ended episodes`],
    ['Rhythm', history.rhythm],
    ['Flapping', history.flapping ? 'yes, it keeps firing and resolving' : null],
  ]);
}

/** Whether the leading explanation held, as the end of the episode showed. */
export function heldWords(held: boolean): string {
  return held ? 'held: what it rests on recovered with the alert'
    : 'did not hold: what it rests on has not recovered';
}

/** `82 %` for 0.82. */
function shareWord(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function scrapeWord(isFine: boolean): string {
  return isFine ? 'healthy' : 'targets down, gaps or stale data';
}

/** A multiple nearer to 1 says less than the two numbers. */
const factorMin = 1.5;

function againstThreshold(
  value: number,
  threshold: number | null,
  { unit, operator, threshold_series: series }: Reality,
): string {
  if (threshold === null) return '';
  if (series) return ` (threshold ${formatQuantity(threshold, unit)})`;
  // A multiple of a state or of a number of leaders says nothing.
  if (operator === '==' || operator === '!=') return '';
  // Twice the degrees is not twice as hot.
  if (threshold <= 0 || value <= 0 || unit === 'celsius') return '';
  const factor = value / threshold;
  if (factor > 1 / factorMin && factor < factorMin) return '';
  // Nor does one of a value that is back within its threshold.
  if (operator !== null && operator.startsWith('>') !== factor > 1) return '';
  return ` (${formatQuantity(Number(factor.toPrecision(2)), null)}× the threshold)`;
}

function present(
  rows: readonly (readonly [string, string | null])[],
): readonly (readonly [string, string])[] {
  return rows.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

/** `Nothing notable in 239 series.`, of a report whose changes are all weak. */
export function nothingMovedText({ changes, evidence }: Report): string {
  const searched = evidence.map(({ data }) => memberOf(data, 'compared'))
    .filter((compared) => typeof compared === 'number');
  return `Nothing notable in ${Math.max(changes.length, ...searched)} series.`;
}

/** A report that is made again within this time of the start is an early one. */
const earlyMs = 5 * 60_000;

/** The text where nothing explains an alert: that nothing does, or that it is too early. */
export function unexplainedText({ episode, provenance }: Report): string {
  const again = parseTime(provenance.looks_again_at ?? '');
  const startsAt = parseTime(episode.starts_at) ?? -Infinity;
  if (episode.ends_at !== null || again === null || again > startsAt + earlyMs) {
    return 'Cause not established.';
  }
  return `Too early to tell: looks again at ${utcText(again, again, true)}.`;
}
