import { parseTime } from '../../../alert/timestamp.ts';
import { formatDuration, formatQuantity } from '../../../lib/quantity.ts';
import { chart } from '../../charts/chart.ts';
import { levelAt } from '../../charts/line.ts';
import type { SeriesRead } from '../../charts/read-series.ts';
import { mediansAround, movementText, seriesDescription } from '../../charts/series-words.ts';
import { html, link, markupText, sentence, unbroken, type Html } from '../../html.ts';
import type { Change } from '../../report.ts';
import { formatOnset } from '../../time-text.ts';
import { beforeAndAfter, nothingMovedText } from '../../words.ts';
import { fold, joined, listLengthMax, momentAt } from '../elements.ts';
import { changeSeries, drawnChanges, alertSeries } from './drawn-series.ts';
import { citations } from './linked-text.ts';
import type { Stack } from './stack.ts';
import { evidenceFor, type View } from './view.ts';

/** Events and changes that are not drawn and stand below the charts; the others are folded. */
const listedMax = 6;

/** The first chart, large: that of the alert's own series or else of what moved most. */
export function firstCurve(view: View, stack: Stack | null): Html {
  if (stack === null) return html``;
  const own = alertCurve(view, stack);
  const [first] = drawnChanges(view);
  const drawn = markupText(own) !== '' || first === undefined ? own
    : changeCurve(first, { view, stack, size: 'large' });
  return html`${drawn}${zoomSwitch(stack)}${eventKey(view, stack)}`;
}

/**
 * Shows all that is known instead of the minutes around the start. It works without a script, as
 * the style sheet shows one of two pictures. The spans are for the script.
 */
function zoomSwitch({ span: { fromMs, toMs, near } }: Stack): Html {
  const spans = [fromMs, toMs, ...(near === null ? [] : [near.fromMs, near.toMs])].join(' ');
  const box = near !== null && html`<label><input type="checkbox" id="far"> All ${
    formatDuration((toMs - fromMs) / 1000)}</label>`;
  return html`<p class="zoom small" data-spans="${spans}">${box}</p>`;
}

/** What the letters stand for. */
function eventKey(view: View, { events }: Stack): Html {
  if (events.length === 0) return html``;
  const items = events.map(({ letter, atMs, change }) => html`<li><b>${letter}</b> ${
    momentAt(atMs, view.now)} ${sentence(change.title)}${citations(change.evidence, view)}</li>
`);
  return html`<ul class="key small">${items}</ul>`;
}

/** What moved beside the alert, drawn below it; then what is not drawn; weak changes are folded. */
export function changesContent(view: View, stack: Stack | null): Html {
  const changes = view.report.changes.slice(0, listLengthMax);
  if (changes.length === 0) return html``;
  const standing = changes.filter(({ strength }) => strength !== 'weak');
  const weak = changes.filter(({ strength }) => strength === 'weak');
  if (standing.length === 0) {
    return html`<p class="quiet">${nothingMovedText(view.report)}</p>${
      fold(`${weak.length} of them`, changeList(weak, view))}`;
  }
  const isFirst = alertSeries(view) === null ? drawnChanges(view)[0] : undefined;
  const curves = stack === null ? [] : drawnChanges(view)
    .map((change) => ({ change, curve: changeCurve(change, { view, stack, size: 'small' }) }))
    .filter(({ curve }) => markupText(curve) !== '');
  const shown = new Set([
    ...curves.map(({ change }) => change), ...(stack?.events ?? []).map(({ change }) => change),
  ]);
  const others = standing.filter((change) => !shown.has(change));
  const [listed, rest] = [others.slice(0, listedMax), others.slice(listedMax)];
  return html`${curves.filter(({ change }) => change !== isFirst).map(({ curve }) => curve)}${
    listed.length > 0 && changeList(listed, view)}${
    rest.length > 0 && fold(`${rest.length} more changes`, changeList(rest, view))}${
    weak.length > 0 && fold(`${weak.length} more checked, no notable change`,
      changeList(weak, view))}`;
}

function changeList(changes: readonly Change[], view: View): Html {
  const items = changes.map((change) => html`<li>${changeLine(change, view)}</li>\n`);
  return html`<ul class="points small">${items}</ul>`;
}

/** `Memory of cart rose from 40 to 198 · 5 min before the problem`. */
function changeLine(change: Change, view: View): Html {
  const { title, onset_seconds: onset, evidence } = change;
  const values = beforeAndAfter(change, '→');
  const facts = joined([
    onset !== null && unbroken(formatOnset(onset)), values !== null && unbroken(values),
  ], ' · ');
  return html`${sentence(title)} <span class="quiet">${facts}</span>${citations(evidence, view)}`;
}

interface DrawnChange {
  readonly view: View;
  readonly stack: Stack;
  readonly size: 'large' | 'small';
}

/** The curve of a change, captioned with its title; empty for a change that is not drawn. */
function changeCurve(change: Change, { view, stack, size }: DrawnChange): Html {
  const drawn = changeSeries(change, view);
  if (drawn === null) return html``;
  const { chartId, item, series } = drawn;
  const { points, onsetMs, splitMs, stepMs, isRate } = series;
  const { span: { fromMs, toMs }, markers, shaded } = stack;
  const unit = series.unit ?? change.unit;
  const graph = evidenceFor(view, change.evidence[0])?.link ?? null;
  return chart({
    id: chartId, size, unit, span: stack.span, points, markers, shaded, movedMs: onsetMs,
    title: html`${changeLine({ ...change, before: null, after: null }, view)}${
      isRate && html` <span class="quiet">· rate</span>`}${
      graph !== null && html` ${link(graph, 'graph')}`}`,
    description: `${item.title}. ${seriesDescription(points, { splitMs, unit, stepMs })}`,
    ghosts: [],
    threshold: series.threshold === null ? null : {
      points: levelAt(series.threshold, fromMs, toMs),
      name: formatQuantity(series.threshold, unit),
    },
    notes: [],
  });
}

/** The alert's own series with its threshold, the day before and all moments. */
function alertCurve(view: View, { span, markers, shaded }: Stack): Html {
  const drawn = alertSeries(view);
  if (drawn === null) return html``;
  const { chartId, series } = drawn;
  const { points, onsetMs, stepMs } = series;
  const { reality } = view.report;
  const unit = reality.unit ?? series.unit;
  const threshold = reality.threshold_series ? null : (reality.threshold ?? series.threshold);
  const splitMs = onsetMs ?? series.splitMs;
  return chart({
    id: chartId, size: 'large', unit, span, points, markers, shaded, movedMs: null,
    title: ownTitle(series, { splitMs, unit }, view),
    description: seriesDescription(points, { splitMs, unit, stepMs }),
    ghosts: [
      { name: 'a day before', points: series.yesterday },
      { name: 'a week before', points: series.lastWeek },
    ],
    threshold: threshold === null ? { points: series.limits, name: 'threshold' } : {
      points: levelAt(threshold, span.fromMs, span.toMs),
      name: `threshold ${reality.operator ?? ''} ${formatQuantity(threshold, unit)}`,
    },
    notes: [
      series.isRate && 'A counter, shown as its rate.',
      unit === 'bytes' && points.some(({ value }) => value < 0) &&
        'Below zero it is what the rule forecasts.',
      points.slice(1).some(({ atMs, isAfterGap }) => isAfterGap && atMs >= span.fromMs) &&
        'Values are missing where the line breaks.',
    ].filter((note) => note !== false),
  });
}

/** `The value rose from 40 to 198.` */
function ownTitle(
  { points }: SeriesRead,
  { splitMs, unit }: { readonly splitMs: number | null; readonly unit: string | null },
  { report: { reality, episode } }: View,
): Html {
  const { before, after } = mediansAround(points, splitMs ?? parseTime(episode.starts_at));
  // The median after would be that of the recovery, where the alert ended soon.
  const moved = movementText({ before, after: reality.value_at_fire ?? after }, unit);
  const last = points.slice(-1).map(({ value }) => formatQuantity(value, unit)).join('');
  return unbroken(moved === null ? `The latest value is ${last}.` : `The value ${moved}.`);
}
