import { parseTime } from '../../../alert/timestamp.ts';
import { formatQuantity } from '../../../lib/quantity.ts';
import { chart } from '../../charts/chart.ts';
import { drawnFrom } from '../../charts/drawn-from.ts';
import { levelAt, pointsWithin, type NamedLine, type Point } from '../../charts/line.ts';
import type { Marker } from '../../charts/picture.ts';
import { seriesDescription } from '../../charts/series-words.ts';
import { code, html, markupText, sentence, unbroken, type Html } from '../../html.ts';
import type { Change } from '../../report.ts';
import { formatOnset } from '../../time-text.ts';
import { beforeAndAfter, firstChanges, nothingMovedText, whyWords } from '../../words.ts';
import { fold, joined, listLengthMax, momentAt } from '../elements.ts';
import { changeSeries, alertSeries } from './drawn-series.ts';
import { citations } from './linked-text.ts';
import { isUnderWay, type View } from './view.ts';

/** What changed around the time the problem began, best first; weak changes are folded. */
export function changesContent(view: View): Html {
  const changes = view.report.changes.slice(0, listLengthMax);
  const leading = changes.filter(({ strength }) => strength !== 'weak');
  const weak = changes.filter(({ strength }) => strength === 'weak');
  if (changes.length === 0) {
    if (isUnderWay(view)) return html``;
    const reason = view.report.unknowns.length > 0 && html` <a href="#unknowns">Why</a>`;
    return html`<p class="quiet">No changes are known.${reason}</p>`;
  }
  if (leading.length === 0) {
    return html`<p class="quiet">${nothingMovedText(view.report)}</p>${
      fold(`${weak.length} of them`, rankedList(weak, view))}`;
  }
  const folded = fold(`${weak.length} more checked, no notable change`, rankedList(weak, view));
  return html`${rankedList(leading, view)}${weak.length > 0 && folded}`;
}

function rankedList(changes: readonly Change[], view: View): Html {
  const items = changes.map((change) => changeItem(change, view));
  return html`<ol class="ranked">${items}</ol>`;
}

function changeItem(change: Change, view: View): Html {
  const { component, onset_seconds: onset, evidence } = change;
  const drawn = changeChart(change, view);
  const isDrawn = markupText(drawn) !== '';
  // The chart's caption already contains them.
  const values = isDrawn ? null : beforeAndAfter(change, '→');
  return html`<li><span class="rank">${change.rank}.</span>
${isDrawn ? drawn : html`<p>${sentence(change.title)}${citations(evidence, view)}</p>`}
<p class="small quiet">${joined([
    change.strength,
    ...whyWords(change),
    onset !== null && unbroken(formatOnset(onset)),
    values !== null && unbroken(values),
    component !== null && code(`${component.label}=${component.value}`),
  ], ' · ')}</p>
</li>
`;
}

/** The chart of a change, captioned with its title; empty for a change that is not drawn. */
function changeChart(change: Change, view: View): Html {
  const drawn = changeSeries(change, view);
  if (drawn === null) return html``;
  const { chartId, item, series } = drawn;
  const { points, onsetMs, splitMs, toMs, stepMs, isRate } = series;
  const unit = series.unit ?? change.unit;
  const fromMs = drawnFrom(series, onsetMs ?? splitMs);
  const ghosts = change.rank > firstChanges ? []
    : alertLine(pointsWithin(points, fromMs, toMs), { fromMs, toMs }, view);
  const firedMs = parseTime(view.report.episode.starts_at);
  const markers: readonly Marker[] = [
    ...(onsetMs === null ? [] : [{ atMs: onsetMs, name: 'moved', kind: 'began' as const }]),
    ...(firedMs === null ? [] : [{ atMs: firedMs, name: 'fired', kind: 'fired' as const }]),
  ];
  return chart({
    id: chartId, size: 'small', unit, fromMs, toMs,
    points, markers, title: html`${titleOf(change, onsetMs, view)}${
      citations(change.evidence, view)}`,
    description: `${item.title}. ${seriesDescription(points, { splitMs, unit, stepMs })}`,
    ghosts,
    threshold: series.threshold === null ? null
      : {
        points: levelAt(series.threshold, fromMs, toMs),
        name: formatQuantity(series.threshold, unit),
      },
    shaded: onsetMs === null ? null : { fromMs: onsetMs, toMs },
    notes: [
      isRate && 'A counter, shown as its rate.',
      ghosts.length > 0 && "Dots: the alert's value, to a scale of its own.",
    ].filter((note) => note !== false),
  });
}

/** The alert's own course over the same time, as high as that of the change. */
function alertLine(
  beside: readonly Point[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  view: View,
): NamedLine[] {
  const own = pointsWithin(alertSeries(view)?.series.points ?? [], fromMs, toMs);
  const [low, high] = rangeOf(own);
  const [bottom, top] = rangeOf(beside);
  // Two that stand still would lie on each other.
  if (!(high > low && top > bottom)) return [];
  const points = own.map((point) => (
    { ...point, value: bottom + (point.value - low) / (high - low) * (top - bottom) }));
  return [{ name: 'the alert', points }];
}

function rangeOf(points: readonly Point[]): readonly [low: number, high: number] {
  const values = points.map(({ value }) => value);
  return [Math.min(...values), Math.max(...values)];
}

/** The change's title with the time of its onset. */
function titleOf({ title, verb }: Change, onsetMs: number | null, { now }: View): Html {
  if (onsetMs === null) return sentence(`${title}.`);
  const at = momentAt(onsetMs, now);
  return verb === 'rose' || verb === 'fell' ? html`${sentence(title)} at ${at}.`
    : html`${sentence(title)} (since ${at}).`;
}
