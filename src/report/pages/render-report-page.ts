import { areaOf } from '../alert-place.ts';
import { html, link, markupText, type Html } from '../html.ts';
import { shorten } from '../plain-text.ts';
import type { Report } from '../report.ts';
import { reportSections, type SectionId } from '../text/outline.ts';
import { severityOfReport, stateWord } from '../words.ts';
import { fold, renderedLine, section } from './elements.ts';
import { firingMood, renderPage, type PageOptions } from './page.ts';
import { alertContent } from './report/alert-section.ts';
import { changesContent } from './report/changes-section.ts';
import { evidenceContent } from './report/evidence-section.ts';
import { hypothesesContent, nextStepsContent } from './report/explanation-sections.ts';
import { feedbackContent } from './report/feedback-section.ts';
import { headerSection } from './report/header-section.ts';
import { historyContent, relatedContent } from './report/history-sections.ts';
import { linkBar } from './report/link-bar.ts';
import { pointList } from './report/linked-text.ts';
import { narrativeContent, resolutionContent } from './report/outcome-sections.ts';
import { provenanceContent } from './report/provenance-section.ts';
import { questionsContent } from './report/questions-section.ts';
import { impactContent, realityContent } from './report/reality-sections.ts';
import { timelineContent } from './report/timeline-section.ts';
import { verdictSection } from './report/verdict-section.ts';
import { createView, isUnderWay, type View, type ViewOptions } from './report/view.ts';

/** Seconds after which a page whose analysis is under way reloads. */
const refreshSeconds = 3;

/** What is visible without scrolling. */
const firstScreen: readonly ((view: View) => Html)[] = [headerSection, verdictSection, linkBar];

/** Sections with more on a page than the points of their outline; empty ones are left out. */
const contents: Readonly<Partial<Record<SectionId, (view: View) => Html>>> = {
  resolution: resolutionContent,
  reality: realityContent,
  impact: impactContent,
  changes: changesContent,
  hypotheses: hypothesesContent,
  next: nextStepsContent,
  timeline: timelineContent,
  alert: alertContent,
  evidence: evidenceContent,
  related: relatedContent,
  history: historyContent,
  narrative: narrativeContent,
  questions: questionsContent,
  feedback: feedbackContent,
  provenance: provenanceContent,
};

export function renderReportPage(report: Report, options: PageOptions & ViewOptions): string {
  const { now, script, revision } = options;
  const view = createView(report, options);
  const shown = reportSections.map(({ id, title, points }) =>
    ({ id, title, content: contents[id]?.(view) ?? pointList(points(report), view) }))
    .filter(({ content }) => markupText(content) !== '');
  return renderPage({
    title: titleOf(report),
    mood: report.episode.state === 'resolved' ? 'resolved' : firingMood(severityOfReport(report)),
    refreshSeconds: isUnderWay(view) ? refreshSeconds : null,
    script,
    live: { revision, episode: report.episode.number, now },
    main: html`${firstScreen.map((render) => render(view))}${jumpTo(shown)}${
      shown.map(({ id, title, content }) => section(id, title, content))}`,
    contents: html`<nav class="contents" aria-label="On this page"><ul>${
      linksTo([{ id: 'content', title: 'Top' }, ...shown])}</ul></nav>`,
    foot: footOf(view),
  });
}

interface Listed {
  readonly id: string;
  readonly title: string;
}

/** The contents for narrow windows, which have no room for them beside the text. */
function jumpTo(shown: readonly Listed[]): Html {
  return html`<nav class="jump" aria-label="On this page">${
    fold('On this page', html`<ul>${linksTo(shown)}</ul>`)}</nav>
`;
}

function linksTo(shown: readonly Listed[]): Html {
  return html`${shown.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>\n`)}`;
}

function titleOf({ episode, alert }: Report): string {
  const state = stateWord(episode);
  const area = areaOf(alert);
  return `${state}: ${shorten(alert.name, 120)}${area && ` · ${area}`}`;
}

function footOf({ report, now }: View): Html {
  const { report_url: url } = report;
  const list = URL.canParse('../../', url) ? new URL('../../', url).href : '';
  return html`<p>${link(list, 'All alerts', 'own')} ${link(`${url}.json`, 'JSON')} ${
    link(`${url}.md`, 'Markdown')}</p>
${renderedLine(now)}`;
}
