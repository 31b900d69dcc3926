import { placeOf, shownNameOf } from '../report/alert-place.ts';
import { firstStepOf } from '../report/first-step.ts';
import { formatSpan } from '../report/moment.ts';
import { counted, oneLine, shorten } from '../report/plain-text.ts';
import type { Report } from '../report/report.ts';
import { shortHeadline } from '../report/short-headline.ts';
import { severityOfReport, severitySigns, severityWord } from '../report/words.ts';
import type { News } from './chat-news.ts';

interface Told {
  readonly news: News;
  /** Address of the episode's report. */
  readonly url: string;
}

const textLengthMax = 300;

/**
 * The body of a post to a Slack webhook: name with link, severity, place; what the report says;
 * what to do first. In Slack's mark-up (https://docs.slack.dev/messaging/formatting-message-text),
 * which Mattermost reads as well.
 */
export function slackMessage(report: Report, { news, url }: Told): string {
  const lines = news === 'end'
    ? [`✓ ${linked(report, url)} ended after ${lengthOf(report)}${placeIn(report)}`,
      ...sayings(report), ...incidentOver(report)]
    : [`${severitySigns[severityOfReport(report)]} ${linked(report, url)} ${
      escaped(severityWord(report))}${placeIn(report)}`,
      ...sayings(report), ...firstStep(report), ...incidentLine(report)];
  // Slack would fetch what a stranger's text links to.
  return JSON.stringify({ text: lines.join('\n'), unfurl_links: false, unfurl_media: false });
}

/** Bars end the address in a link. */
function linked({ alert }: Report, url: string): string {
  return `*<${url}|${escaped(shownNameOf(alert.labels)).replaceAll('|', '¦')}>*`;
}

function lengthOf({ episode }: Report): string {
  return formatSpan(episode.starts_at, episode.ends_at, Date.parse(episode.starts_at));
}

function placeIn({ alert }: Report): string {
  const place = placeOf(alert.labels);
  return place === '' ? '' : ` · ${escaped(place)}`;
}

function sayings({ alert, verdict }: Report): string[] {
  const place = placeOf(alert.labels);
  const headline = shortHeadline(verdict.headline, { name: alert.name, place });
  const cause = verdict.most_likely;
  return [
    ...(headline === '' ? [] : [escaped(headline)]),
    ...(cause === null ? [] : [`Most likely: ${escaped(cause)} (${verdict.certainty})`]),
  ];
}

function firstStep(report: Report): string[] {
  const first = firstStepOf(report);
  return first === null ? [] : [`First: ${escaped(first.text)}`];
}

function incidentLine({ incident }: Report): string[] {
  if (incident === null) return [];
  return [`Part of <${incident.url}|an incident> of ${counted(incident.members.length, 'alert')}`];
}

function incidentOver({ incident }: Report): string[] {
  if (incident === null) return [];
  const { url, members } = incident;
  return [`<${url}|Its incident of ${counted(members.length, 'alert')}> is over`];
}

/** Keeps apart what else would be read as one, and shows nothing. */
const wordJoiner = '\u2060';

/**
 * What Slack takes for mentions and links are these three signs alone; code would run on to its
 * end. Mattermost reads Markdown's links and images besides, and an `@` before any word.
 */
function escaped(text: string): string {
  return oneLine(shorten(text, textLengthMax))
    .replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    .replaceAll('`', '\'').replaceAll('](', `]${wordJoiner}(`)
    .replace(/(?<!\w)@/g, `@${wordJoiner}`);
}
