import { severities } from '../alert/severity.ts';
import { placeOf, shownNameOf } from '../report/alert-place.ts';
import { authorWordsOf } from '../report/author-words.ts';
import { firstStepOf } from '../report/first-step.ts';
import { lastFeedbackText, lastFeedbackTime } from '../report/last-feedback.ts';
import { counted, oneLine, shorten } from '../report/plain-text.ts';
import type { Report } from '../report/report.ts';
import { formatSpan } from '../report/time-text.ts';
import { unlinked } from '../report/unlinked.ts';
import {
  causeWords, severityOfReport, severitySigns, severityWord, uncheckedText,
} from '../report/words.ts';
import type { Chat, Digest } from './chat.ts';
import type { NewsKind } from './chat-news.ts';

const textLengthMax = 300;

/**
 * A webhook of Slack. Its posts are in Slack's markup, which Mattermost reads as well:
 * https://docs.slack.dev/messaging/formatting-message-text
 */
export const slack: Chat = {
  to: 'slack',
  title: 'Slack',
  /** It takes one message a second (https://docs.slack.dev/apis/web-api/rate-limits). */
  pauseMs: 1_000,
  message,
  digest,
  test: (url) =>
    posted([`This is a test by the drill of <${url}|alert-analyst>: nothing is wrong.`]),
};

/**
 * Name with a link to the report, severity, place; what the rule's author says and what the report
 * says; what to do first; what a language model found, if it did.
 */
function message(report: Report, { news, url }: { news: NewsKind; url: string }): string {
  if (news === 'narrative') {
    return posted([`${linked(report, url)}: a language model has looked at it${placeIn(report)}`,
      ...causeLine(report), ...narrativeLines(report)]);
  }
  return posted(news === 'end'
    ? [`✓ ${linked(report, url)} ${endedText(report)}${placeIn(report)}`,
      ...verdictLines(report), ...incidentOver(report)]
    : [`${severitySigns[severityOfReport(report)]} ${linked(report, url)} ${
      escaped(severityWord(report))}${news === 'flaps' ? ', flapping' : ''}${placeIn(report)}`,
      ...verdictLines(report), ...lastFeedbackLine(report, url), ...firstStep(report),
      ...narrativeLines(report),
      ...incidentLine(report, news),
      ...(news === 'flaps' ? ['Nothing more is posted about it until it is steady.'] : [])]);
}

/** How many incidents there are of each severity. */
function digest({ firing, ended, url }: Digest): string {
  const counts = severities.flatMap((severity) => {
    const count = firing.filter((each) => each === severity).length;
    const word = severity === 'unknown' ? 'without a known severity' : severity;
    return count === 0 ? [] : [`${severitySigns[severity]} ${count} ${word}`];
  });
  return posted([
    `News of ${counted(firing.length + ended, 'more incident')}: ` +
      [...counts, ...(ended === 0 ? [] : [`✓ ${ended} ended`])].join(', '),
    `<${url}|All reports>`,
  ]);
}

function posted(lines: readonly string[]): string {
  // Otherwise Slack would fetch links in text from outside.
  return JSON.stringify({ text: lines.join('\n'), unfurl_links: false, unfurl_media: false });
}

/** A bar would end the link's address. */
function linked({ alert }: Report, url: string): string {
  return `*<${url}|${escaped(shownNameOf(alert.labels)).replaceAll('|', '¦')}>*`;
}

function endedText({ episode }: Report): string {
  const { starts_at: from, ends_at: to, end_unknown: isEndUnknown } = episode;
  return isEndUnknown ? 'is not in Alertmanager any more'
    : `ended after ${formatSpan(from, to, Date.parse(from))}`;
}

function placeIn({ alert }: Report): string {
  const place = placeOf(alert.labels);
  return place === '' ? '' : ` · ${escaped(place)}`;
}

function verdictLines(report: Report): string[] {
  const { verdict } = report;
  const { headline, gist = headline } = verdict;
  const words = authorWordsOf(report);
  return [
    ...(words === null ? [] : [escaped(words.quoted)]),
    ...(gist === '' ? [] : [escaped(gist)]),
    ...causeLine(report),
  ];
}

function causeLine({ verdict }: Report): string[] {
  const { most_likely: cause, certainty } = verdict;
  return cause === null ? [] : [`${causeWords(verdict)}: ${escaped(cause)} (${certainty})`];
}

const findingsShown = 3;

/** What holds of what a model asserted, in code's words, and the first sentence of its own. */
function narrativeLines({ narrative }: Report): string[] {
  if (narrative.state === 'absent' || narrative.asserted === undefined) return [];
  const found = narrative.claims.slice(0, findingsShown).map(({ text }) => `✓ ${escaped(text)}`);
  const [first = ''] = narrative.text.split(/(?<=[.!?])\s+/u);
  return [...found, ...(first === '' ? [] : [`${uncheckedText}: ${escaped(first)}`])];
}

function lastFeedbackLine(report: Report, url: string): string[] {
  const { last_said: given = null } = report.history;
  if (given === null) return [];
  const earlier = new URL(String(given.number), url).href;
  const time = escaped(lastFeedbackTime(given, report));
  return [`<${earlier}|Last time> (${time}): ${escaped(lastFeedbackText(given))}`];
}

function firstStep(report: Report): string[] {
  const first = firstStepOf(report);
  return first === null ? [] : [`First: ${escaped(first.text)}`];
}

function incidentLine({ incident }: Report, news: NewsKind): string[] {
  if (incident === null) return [];
  const role = news === 'origin' ? 'The likely origin' : 'Part';
  const size = counted(incident.members.length, 'alert');
  return [`${role} of <${incident.url}|an incident> of ${size}`];
}

function incidentOver({ incident }: Report): string[] {
  if (incident === null) return [];
  const { url, members } = incident;
  return [`<${url}|Its incident of ${counted(members.length, 'alert')}> is over`];
}

/** Invisible; breaks up sequences that would be read as markup. */
const wordJoiner = '\u2060';

/**
 * Slack's mentions and links need `&`, `<` or `>`; a backtick could turn the rest into code.
 * Mattermost also reads Markdown links and images, and `@` before any word as a mention, unless a
 * letter or digit precedes it, as in an e-mail address. Both make links of addresses, also of those
 * that begin with `www.`.
 */
function escaped(text: string): string {
  return unlinked(oneLine(shorten(text, textLengthMax)))
    .replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    .replaceAll('`', '\'').replaceAll('](', `]${wordJoiner}(`)
    .replace(/(?<![a-z\d])@/gi, `@${wordJoiner}`)
    .replace(/\bwww(?=\.)/gi, `$&${wordJoiner}`);
}
