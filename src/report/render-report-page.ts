import { html, link, type Html } from './html.ts';
import { formatExactMoment } from './moment.ts';
import { renderPage, type PageMood, type PageOptions } from './page.ts';
import { changesSection } from './pages/changes-section.ts';
import { alertSection, evidenceSection } from './pages/evidence-section.ts';
import {
  findingsSection, hypothesesSection, nextStepsSection, ruledOutSection,
} from './pages/explanation-sections.ts';
import { feedbackSection } from './pages/feedback-section.ts';
import { headerSection, linkBar } from './pages/header-section.ts';
import { historySection, relatedSection } from './pages/history-sections.ts';
import { narrativeSection, resolutionSection, unknownsSection } from './pages/outcome-sections.ts';
import { provenanceSection } from './pages/provenance-section.ts';
import { impactSection, realitySection } from './pages/reality-sections.ts';
import { timelineSection } from './pages/timeline-section.ts';
import { verdictSection } from './pages/verdict-section.ts';
import { createView, isUnderWay, type View } from './pages/view.ts';
import { shorten } from './plain-text.ts';
import type { Report } from './report.ts';
import { severityOfReport } from './words.ts';

/** Seconds after which a page whose analysis is under way looks again. */
const refreshSeconds = 3;

/** In the order in which they are needed: verdict before evidence, evidence before raw data. */
const sections: readonly ((view: View) => Html)[] = [
  headerSection, verdictSection, linkBar, realitySection, impactSection, changesSection,
  findingsSection, hypothesesSection, ruledOutSection, nextStepsSection, timelineSection,
  alertSection, evidenceSection, relatedSection, historySection, unknownsSection,
  narrativeSection, resolutionSection, feedbackSection, provenanceSection,
];

export interface ReportPageOptions extends PageOptions {
  /** `command` where feedback needs a token, which a page cannot send. Default `form`. */
  readonly feedbackBy?: View['feedbackBy'];
}

/** A report as a page of its own. */
export function renderReportPage(report: Report, options: ReportPageOptions): string {
  const { now, script, revision, feedbackBy } = options;
  const view = createView(report, now, feedbackBy);
  return renderPage({
    title: titleOf(report),
    mood: moodOf(report),
    refreshSeconds: isUnderWay(view) ? refreshSeconds : null,
    script,
    live: { revision, episode: report.episode.number },
    main: html`${sections.map((render) => render(view))}`,
    foot: footOf(view),
  });
}

function titleOf({ episode, alert }: Report): string {
  const state = episode.state === 'firing' ? 'Firing' : 'Resolved';
  const place = alert.namespace === null ? '' : ` · ${shorten(alert.namespace, 60)}`;
  return `${state}: ${shorten(alert.name, 120)}${place}`;
}

function moodOf(report: Report): PageMood {
  if (report.episode.state === 'resolved') return 'resolved';
  const severity = severityOfReport(report);
  return severity === 'none' ? 'unknown' : severity;
}

function footOf({ report, now }: View): Html {
  const shown = formatExactMoment(new Date(now).toISOString());
  return html`<p>${link(`${report.report_url}.json`, 'JSON')} ${
    link(`${report.report_url}.md`, 'Markdown')}</p>
<p class="small">Page of ${shown}. Times before it are relative to that.</p>`;
}
