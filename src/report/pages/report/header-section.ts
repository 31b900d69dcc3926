import { clusterLabels, labelOf } from '../../../alert/labels.ts';
import { objectLabels } from '../../alert-place.ts';
import { authorWordsOf } from '../../author-words.ts';
import { html, isolated, link, sentence, type Content, type Html } from '../../html.ts';
import { counted, shorten } from '../../plain-text.ts';
import type { Report } from '../../report.ts';
import {
  endWords, progressSentence, severityOfReport, severityWord, statusWords,
} from '../../words.ts';
import { ageOf, breakable, moment, momentAndAge } from '../elements.ts';
import { stateBadges } from '../state-badges.ts';
import type { View } from './view.ts';

/** Labels that locate an alert, from the widest place to the narrowest. */
const placeLabels = [
  ...clusterLabels, 'namespace', 'service', 'deployment', 'statefulset', 'daemonset', 'job', 'pod',
  'container', 'node', 'instance',
];

const placesMax = 5;
const placeLengthMax = 64;

/** Longest name in the heading; the labels below show it in full. */
const nameLengthMax = 200;

/** State, severity, name, place, what the rule's author says, and since when. */
export function headerSection(view: View): Html {
  const { report, now } = view;
  const { starts_at: from, ends_at: to, end_unknown: isEndUnknown } = report.episode;
  const severity = severityOfReport(report);
  return html`<header class="top">
${stateBadges({ from, to, isEndUnknown, severity, word: severityWord(report) }, now)}
<h1><bdi>${breakable(shorten(report.alert.name, nameLengthMax))}</bdi></h1>
${placeLine(view)}${authorLine(view)}
<p class="small">${sinceLine(view)}</p>
</header>
${progressSection(view)}${failureNotice(view)}`;
}

function placeLine({ report }: View): Html {
  const values = [...placeLabels, ...objectLabels]
    .flatMap((name) => labelOf(report.alert.labels, name) || []);
  const places = [...new Set(values)].slice(0, placesMax);
  if (places.length === 0) return html`<p class="quiet">No label says where it is.</p>`;
  // The separators follow the page's text direction, not that of a value.
  const names = places.map((place) =>
    html`<span>${isolated(shorten(place, placeLengthMax))}</span>`);
  return html`<p class="place">${names}</p>`;
}

function authorLine({ report }: View): Html | null {
  const words = authorWordsOf(report);
  if (words === null) return null;
  return html`<p><span class="quiet">The alert says:</span> ${isolated(words.quoted)}</p>`;
}

function sinceLine({ report, now }: View): Html {
  const { number, of, notifications, suppressed } = report.episode;
  const { starts_at: startsAt, ends_at: endsAt } = report.episode;
  const until = endsAt === null ? null
    : html`${endWords(report.episode.end_unknown).until} ${momentAndAge(endsAt, now)}`;
  const { finished_at: madeAt } = report.provenance;
  const facts = [
    of > 1 ? `episode ${number} of ${of}` : null,
    notifications > 1 ? counted(notifications, 'notification') : null,
    suppressed === null ? null : `${suppressed} in Alertmanager`,
    partOf(report),
  ].filter((fact) => fact !== null);
  // What the report says of a firing alert may be hours old.
  const age = endsAt === null && madeAt !== null && html`, analysed ${ageOf(madeAt, now)}`;
  return html`${endsAt === null ? 'Since' : 'From'} ${moment(startsAt, now)}${
    until}<span class="quiet">${facts.map((fact) => html` · ${fact}`)}${age}</span>`;
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
