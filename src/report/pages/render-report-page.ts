import { areaOf } from '../alert-place.ts';
import { html, link, markupText, type Html } from '../html.ts';
import { shorten } from '../plain-text.ts';
import type { Report } from '../report.ts';
import { reportSections, type SectionId } from '../text/outline.ts';
import { severityOfReport, stateWord } from '../words.ts';
import { renderedLine, section } from './elements.ts';
import { firingMood, renderPage, type PageOptions } from './page.ts';
import { alertContent } from './report/alert-section.ts';
import { changesContent, firstCurve } from './report/curves-section.ts';
import { evidenceContent } from './report/evidence-section.ts';
import { hypothesesContent, nextStepsContent } from './report/explanation-sections.ts';
import { feedbackContent } from './report/feedback-section.ts';
import { headerSection } from './report/header-section.ts';
import { historyContent, relatedContent } from './report/history-sections.ts';
import { linkBar } from './report/link-bar.ts';
import { pointList } from './report/linked-text.ts';
import {
  narrativeContent, resolutionContent, unknownsContent,
} from './report/outcome-sections.ts';
import { pathContent } from './report/path-section.ts';
import { provenanceContent } from './report/provenance-section.ts';
import { questionsContent } from './report/questions-section.ts';
import { numbersContent } from './report/reality-sections.ts';
import { stackOf, type Stack } from './report/stack.ts';
import { timelineContent } from './report/timeline-section.ts';
import { verdictSection } from './report/verdict-section.ts';
import {
  createView, isUnderWay, listAddressOf, type View, type ViewOptions,
} from './report/view.ts';

/** Seconds after which a page whose analysis is under way reloads. */
const refreshSeconds = 3;

type Render = (view: View, stack: Stack | null) => Html;

const none: Render = () => html``;

/** Sections with more on a page than the points of their outline; empty ones are left out. */
const contents: Readonly<Partial<Record<SectionId, Render>>> = {
  resolution: resolutionContent,
  reality: firstCurve,
  impact: numbersContent,
  path: pathContent,
  changes: changesContent,
  hypotheses: hypothesesContent,
  // Told among the causes.
  'ruled-out': none,
  next: nextStepsContent,
  timeline: timelineContent,
  alert: alertContent,
  evidence: evidenceContent,
  related: relatedContent,
  history: historyContent,
  unknowns: unknownsContent,
  narrative: narrativeContent,
  questions: questionsContent,
  feedback: feedbackContent,
  provenance: provenanceContent,
};

/**
 * The columns of a wide window, in reading order: what happened and what to do; the curves, over
 * one time; what is around it; what all of that rests on. In a narrow window they follow each
 * other, except that the first curve comes before the cause.
 */
const columns: readonly { readonly id: string; readonly sections: readonly SectionId[] }[] = [
  {
    id: 'story',
    sections: [
      'resolution', 'hypotheses', 'next', 'narrative', 'questions', 'findings', 'feedback',
    ],
  },
  { id: 'curves', sections: ['reality', 'changes'] },
  { id: 'around', sections: ['path', 'impact', 'timeline', 'related', 'history', 'alert'] },
  { id: 'base', sections: ['evidence', 'unknowns', 'provenance'] },
];

/** Titles where the page puts together what the outline has apart. */
const titles: Readonly<Partial<Record<SectionId, string>>> = {
  reality: 'Course', impact: 'Numbers', changes: 'What moved with it',
};

export function renderReportPage(report: Report, options: PageOptions & ViewOptions): string {
  const { now, script, revision } = options;
  const view = createView(report, options);
  const stack = stackOf(view);
  const shown = new Map(reportSections.map(({ id, title, points }) => [id, {
    id, title: titles[id] ?? title,
    content: contents[id]?.(view, stack) ?? pointList(points(report), view),
  }] as const).filter(([, { content }]) => markupText(content) !== ''));
  const parts = columns.map(({ id, sections }) =>
    ({ id, sections: sections.flatMap((each) => shown.get(each) ?? []) }));
  const listed = parts.flatMap(({ sections }) => sections);
  return renderPage({
    title: titleOf(report),
    mood: report.episode.state === 'resolved' ? 'resolved' : firingMood(severityOfReport(report)),
    refreshSeconds: isUnderWay(view) ? refreshSeconds : null,
    script,
    live: { revision, episode: report.episode.number, now },
    style: 'report',
    isWide: true,
    main: html`${parts.map(({ id, sections }) => html`<div class="column" id="${id}">${
      id === 'story' && html`${headerSection(view)}${verdictSection(view)}${linkBar(view)}${
        jumpTo(listed)}`}${
      sections.map((each) => section(each.id, each.title, each.content))}</div>
`)}`,
    foot: footOf(view),
  });
}

interface Listed {
  readonly id: string;
  readonly title: string;
}

/** Links to the sections, in a row. */
function jumpTo(shown: readonly Listed[]): Html {
  return html`<nav class="jump small" aria-label="On this page"><ul>${
    shown.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>\n`)}</ul></nav>
`;
}

function titleOf({ episode, alert }: Report): string {
  const state = stateWord(episode);
  const area = areaOf(alert);
  return `${state}: ${shorten(alert.name, 120)}${area && ` · ${area}`}`;
}

function footOf({ report, now }: View): Html {
  const { report_url: url } = report;
  return html`<p>${link(listAddressOf(report), 'All alerts', 'own')} ${
    link(`${url}.json`, 'JSON')} ${link(`${url}.md`, 'Markdown')}</p>
${renderedLine(now)}`;
}
