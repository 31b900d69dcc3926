import { clusterLabels, labelOf } from '../../../alert/labels.ts';
import { parseTime } from '../../../alert/timestamp.ts';
import { objectLabels } from '../../alert-place.ts';
import { html, isolated, link, sentence, type Content, type Html } from '../../html.ts';
import { impactText } from '../../impact-text.ts';
import { counted, shorten } from '../../plain-text.ts';
import type { Report } from '../../report.ts';
import { utcText } from '../../time-text.ts';
import {
  classificationWords, endWords, progressSentence, severityOfReport, severityWord, statusWords,
} from '../../words.ts';
import { ageOf, breakable, moment, momentAndAge, momentAt } from '../elements.ts';
import { stateBadges } from '../state-badges.ts';
import { alertSeries } from './drawn-series.ts';
import { linkedText } from './linked-text.ts';
import { isConcluded, listAddressOf, type View } from './view.ts';

/** Labels that locate an alert, from the widest place to the narrowest. */
const placeLabels = [
  ...clusterLabels, 'namespace', 'service', 'deployment', 'statefulset', 'daemonset', 'job', 'pod',
  'container', 'node', 'instance',
];

const placesMax = 5;
const placeLengthMax = 64;

/** Longest name in the heading; the labels below show it in full. */
const nameLengthMax = 200;

/** State, severity, name and place of the alert; what is wrong; the verdict; since when. */
export function headerSection(view: View): Html {
  const { report, now } = view;
  const { starts_at: from, ends_at: to, end_unknown: isEndUnknown } = report.episode;
  const severity = severityOfReport(report);
  const list = listAddressOf(report);
  const name = breakable(shorten(report.alert.name, nameLengthMax));
  return html`<header class="top">
${stateBadges({
    from, to, isEndUnknown, goesOn: goesOn(report), severity, word: severityWord(report),
  }, now,
    list !== '' && html`<span class="back">${link(list, 'Alerts', 'own')}</span>`)}
<p class="place"><span><bdi>${name}</bdi></span>${places(view)}</p>
<h1>${linkedText(headlineOf(view), view)}</h1>
${impactLine(view)}
<p class="small since">${sinceLine(view)}</p>
</header>
${progressSection(view)}${failureNotice(view)}`;
}

/** Whether it is still to be acted on, though its alert has ended. */
function goesOn({ episode, verdict }: Report): boolean {
  return episode.ends_at !== null && verdict.classification === 'actionable';
}

/** What is wrong, and with what, without the rule's name and times, which stand beside it. */
function headlineOf({ report: { verdict: { gist = '', subject = '', headline } } }: View): string {
  if (gist === '') return headline;
  return subject === '' ? gist : `${subject}: ${gist}`;
}

/** How bad it is, right below what is wrong. */
function impactLine({ report }: View): Html {
  const text = impactText(report);
  return text === null ? html`` : html`<p class="impact"><strong>Impact:</strong> ${
    sentence(text)}</p>`;
}

/** Labels whose values tell by themselves what they are. */
const plainLabels: ReadonlySet<string> = new Set([
  ...clusterLabels, 'namespace', 'service', 'deployment', 'statefulset', 'daemonset', 'job', 'pod',
]);

function places({ report: { alert: { labels } } }: View): Html {
  const named = [...placeLabels, ...objectLabels].flatMap((name) => {
    const value = labelOf(labels, name) ?? '';
    return value === '' ? [] : [{ name, value }];
  });
  const found = named.filter(({ value }, index) =>
    named.findIndex((each) => each.value === value) === index).slice(0, placesMax);
  // The separators follow the page's text direction, not that of a value.
  return html`${found.map(({ value, name }) => html`<span>${!plainLabels.has(name) &&
    html`<span class="quiet">${name.replaceAll('_', ' ')}</span> `}${
    isolated(shorten(value, placeLengthMax))}</span>`)}`;
}

/** Values of an alert that still fires are told with their age once they are this old. */
const oldMs = 30 * 60_000;

/** The verdict, when the problem began, the alert fired and ended, and how far it reaches. */
function sinceLine(view: View): Html {
  const { report, now } = view;
  const { number, of, suppressed, starts_at: startsAt, ends_at: endsAt } = report.episode;
  const beganMs = alertSeries(view)?.series.onsetMs ?? null;
  const startMs = parseTime(startsAt);
  const isEarlier = beganMs !== null && startMs !== null && beganMs < startMs &&
    utcText(beganMs, now) !== utcText(startMs, now);
  const until = endsAt === null ? null
    : html`${endWords(report.episode.end_unknown).until} ${momentAndAge(endsAt, now)}`;
  const facts: readonly Content[] = [
    partOf(report),
    of > 1 && `episode ${number} of ${of}`,
    suppressed !== null && `${suppressed} in Alertmanager`,
    analysedAt(view),
  ];
  const began = isEarlier && html`Began ${momentAt(beganMs, now)}, fired `;
  const verdict = isConcluded(view) ? classificationWords[report.verdict.classification]
    : 'Known so far';
  const since = began || (endsAt === null ? 'Since ' : 'From ');
  return html`<strong>${verdict}.</strong> ${since}${
    moment(startsAt, now)}${until}<span class="quiet">${facts
    .filter((fact) => fact !== false && fact !== null).map((fact) => html` · ${fact}`)}</span>`;
}

/** What the report says of a firing alert may be hours old: nobody may take it for the present. */
function analysedAt({ report: { episode, provenance }, now }: View): Content {
  const madeAt = provenance.finished_at;
  if (episode.ends_at !== null || madeAt === null) return null;
  const isOld = now - (parseTime(madeAt) ?? now) >= oldMs;
  return isOld ? html`<strong>values from ${moment(madeAt, now)}, ${ageOf(madeAt, now)}</strong>`
    : html`analysed ${ageOf(madeAt, now)}`;
}

/** The incident it belongs to; without one, the size of its group. */
function partOf({ incident, alert: { group } }: Report): Content {
  if (incident !== null) {
    const size = counted(incident.members.length, 'alert');
    return link(incident.url, `part of an incident of ${size}`, 'own');
  }
  const all = group.listed + group.truncated;
  return all > 1 ? `one of ${all} alerts in its group` : null;
}

function failureNotice({ report, now }: View): Html {
  if (report.status !== 'failed') return html``;
  const tries = counted(report.provenance.attempts, 'attempt');
  const when = moment(report.updated_at, now);
  return html`<div class="notice bad" role="status"><p><strong>${statusWords.failed}</strong> after
${tries}, ${when}. What follows comes from the alert alone.</p></div>`;
}

/**
 * The current step and progress while the analysis waits or runs. The script updates both; without
 * it the page reloads. This is no live region: screen readers announce the finished report and not
 * every step.
 */
function progressSection({ report }: View): Html {
  const progress = progressSentence(report);
  if (progress === null) return html``;
  const { done, of } = report.progress ?? { done: 0, of: 0 };
  const value = of > 0 && html` value="${done}" max="${of}"`;
  return html`<div class="notice" id="progress">
<p><span data-progress="words">${sentence(progress)}</span>.
<span class="quiet">This page updates itself.</span></p>
<progress data-progress="bar"${value} aria-label="Progress of the analysis"></progress></div>
`;
}
