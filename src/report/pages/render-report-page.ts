import { html, link, markupText, type Html } from '../html.ts';
import { shorten } from '../plain-text.ts';
import type { Report } from '../report.ts';
import { severityOfReport, stateWord } from '../words.ts';
import { fold, renderedLine, section } from './elements.ts';
import { firingMood, renderPage, type PageOptions } from './page.ts';
import { alertContent } from './report/alert-section.ts';
import { changesContent } from './report/changes-section.ts';
import { evidenceContent } from './report/evidence-section.ts';
import {
  findingsContent, hypothesesContent, nextStepsContent, ruledOutContent,
} from './report/explanation-sections.ts';
import { feedbackContent } from './report/feedback-section.ts';
import { headerSection } from './report/header-section.ts';
import { historyContent, relatedContent } from './report/history-sections.ts';
import { linkBar } from './report/link-bar.ts';
import { narrativeContent, resolutionContent, unknownsContent } from './report/outcome-sections.ts';
import { provenanceContent } from './report/provenance-section.ts';
import { impactContent, realityContent } from './report/reality-sections.ts';
import { timelineContent } from './report/timeline-section.ts';
import { verdictSection } from './report/verdict-section.ts';
import { createView, isUnderWay, type View } from './report/view.ts';

/** Seconds after which a page whose analysis is under way reloads. */
const refreshSeconds = 3;

/** What is visible without scrolling. */
const firstScreen: readonly ((view: View) => Html)[] = [headerSection, verdictSection, linkBar];

interface Part {
  readonly id: string;
  readonly title: string;
  /** Empty if there is nothing to show: then the page has no such section. */
  readonly content: (view: View) => Html;
}

/** In reading order: conclusions before evidence, evidence before raw data. */
const parts: readonly Part[] = [
  { id: 'resolution', title: 'Resolution', content: resolutionContent },
  { id: 'reality', title: 'Is it real?', content: realityContent },
  { id: 'impact', title: 'Impact', content: impactContent },
  { id: 'changes', title: 'What changed', content: changesContent },
  { id: 'findings', title: 'Findings', content: findingsContent },
  { id: 'hypotheses', title: 'Possible explanations', content: hypothesesContent },
  { id: 'ruled-out', title: 'Ruled out', content: ruledOutContent },
  { id: 'next', title: 'Next steps', content: nextStepsContent },
  { id: 'timeline', title: 'Timeline', content: timelineContent },
  { id: 'alert', title: 'What the alert says', content: alertContent },
  { id: 'evidence', title: 'Evidence', content: evidenceContent },
  { id: 'related', title: 'Related alerts', content: relatedContent },
  { id: 'history', title: 'History', content: historyContent },
  { id: 'unknowns', title: 'Not known', content: unknownsContent },
  { id: 'narrative', title: 'Narrative', content: narrativeContent },
  { id: 'feedback', title: 'Feedback', content: feedbackContent },
  { id: 'provenance', title: 'About this report', content: provenanceContent },
];

interface ReportPageOptions extends PageOptions {
  /** `command` if feedback requires a token, which a page cannot send. Default `form`. */
  readonly feedbackBy?: View['feedbackBy'];
}

export function renderReportPage(report: Report, options: ReportPageOptions): string {
  const { now, script, revision, feedbackBy } = options;
  const view = createView(report, now, feedbackBy);
  const shown = parts.map(({ id, title, content }) => ({ id, title, content: content(view) }))
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

type Listed = Pick<Part, 'id' | 'title'>;

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
  const place = alert.namespace === null ? '' : ` · ${shorten(alert.namespace, 60)}`;
  return `${state}: ${shorten(alert.name, 120)}${place}`;
}

function footOf({ report, now }: View): Html {
  const { report_url: url } = report;
  const list = URL.canParse('../../', url) ? new URL('../../', url).href : '';
  return html`<p>${link(list, 'All alerts', 'own')} ${link(`${url}.json`, 'JSON')} ${
    link(`${url}.md`, 'Markdown')}</p>
${renderedLine(now)}`;
}
