import { html, link, markupText, type Html } from '../html.ts';
import { shorten } from '../plain-text.ts';
import type { Report } from '../report.ts';
import { severityOfReport, stateWord } from '../words.ts';
import { fold, renderedLine } from './elements.ts';
import { firingMood, renderPage, type PageOptions } from './page.ts';
import { alertSection } from './report/alert-section.ts';
import { changesSection } from './report/changes-section.ts';
import { evidenceSection } from './report/evidence-section.ts';
import {
  findingsSection, hypothesesSection, nextStepsSection, ruledOutSection,
} from './report/explanation-sections.ts';
import { feedbackSection } from './report/feedback-section.ts';
import { headerSection } from './report/header-section.ts';
import { historySection, relatedSection } from './report/history-sections.ts';
import { linkBar } from './report/link-bar.ts';
import { narrativeSection, resolutionSection, unknownsSection } from './report/outcome-sections.ts';
import { provenanceSection } from './report/provenance-section.ts';
import { impactSection, realitySection } from './report/reality-sections.ts';
import { timelineSection } from './report/timeline-section.ts';
import { verdictSection } from './report/verdict-section.ts';
import { createView, isUnderWay, type View } from './report/view.ts';

/** Seconds after which a page whose analysis is under way reloads. */
const refreshSeconds = 3;

/** What is visible without scrolling. */
const firstScreen: readonly ((view: View) => Html)[] = [headerSection, verdictSection, linkBar];

interface Part {
  readonly id: string;
  /** Name in the table of contents. */
  readonly name: string;
  readonly render: (view: View) => Html;
}

/** In reading order: conclusions before evidence, evidence before raw data. */
const parts: readonly Part[] = [
  { id: 'resolution', name: 'Resolution', render: resolutionSection },
  { id: 'reality', name: 'Is it real?', render: realitySection },
  { id: 'impact', name: 'Impact', render: impactSection },
  { id: 'changes', name: 'What changed', render: changesSection },
  { id: 'findings', name: 'Findings', render: findingsSection },
  { id: 'hypotheses', name: 'Explanations', render: hypothesesSection },
  { id: 'ruled-out', name: 'Ruled out', render: ruledOutSection },
  { id: 'next', name: 'Next steps', render: nextStepsSection },
  { id: 'timeline', name: 'Timeline', render: timelineSection },
  { id: 'alert', name: 'The alert', render: alertSection },
  { id: 'evidence', name: 'Evidence', render: evidenceSection },
  { id: 'related', name: 'Related alerts', render: relatedSection },
  { id: 'history', name: 'History', render: historySection },
  { id: 'unknowns', name: 'Not known', render: unknownsSection },
  { id: 'narrative', name: 'Narrative', render: narrativeSection },
  { id: 'feedback', name: 'Feedback', render: feedbackSection },
  { id: 'provenance', name: 'About this report', render: provenanceSection },
];

interface ReportPageOptions extends PageOptions {
  /** `command` if feedback requires a token, which a page cannot send. Default `form`. */
  readonly feedbackBy?: View['feedbackBy'];
}

export function renderReportPage(report: Report, options: ReportPageOptions): string {
  const { now, script, revision, feedbackBy } = options;
  const view = createView(report, now, feedbackBy);
  const rendered = parts.map(({ id, name, render }) => ({ id, name, markup: render(view) }));
  const shown = rendered.filter(({ markup }) => markupText(markup) !== '');
  return renderPage({
    title: titleOf(report),
    mood: report.episode.state === 'resolved' ? 'resolved' : firingMood(severityOfReport(report)),
    refreshSeconds: isUnderWay(view) ? refreshSeconds : null,
    script,
    live: { revision, episode: report.episode.number, now },
    main: html`${firstScreen.map((render) => render(view))}${jumpTo(shown)}${
      shown.map(({ markup }) => markup)}`,
    contents: html`<nav class="contents" aria-label="On this page"><ul>${
      linksTo([{ id: 'content', name: 'Top' }, ...shown])}</ul></nav>`,
    foot: footOf(view),
  });
}

type Listed = Pick<Part, 'id' | 'name'>;

/** The contents for narrow windows, which have no room for them beside the text. */
function jumpTo(shown: readonly Listed[]): Html {
  return html`<nav class="jump" aria-label="On this page">${
    fold('On this page', html`<ul>${linksTo(shown)}</ul>`)}</nav>
`;
}

function linksTo(shown: readonly Listed[]): Html {
  return html`${shown.map(({ id, name }) => html`<li><a href="#${id}">${name}</a></li>\n`)}`;
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
