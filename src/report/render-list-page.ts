import { html, isolated, link, sentence, type Html } from './html.ts';
import { formatExactMoment, formatSpan } from './moment.ts';
import { renderPage, type PageOptions } from './page.ts';
import { severitySigns } from './pages/header-section.ts';
import { glyph, momentAndAge, section } from './pages/view.ts';
import { counted, shorten } from './plain-text.ts';
import type { ReportList, ReportListEntry } from './report-list.ts';
import { reportUrl } from './report-url.ts';
import { classificationWords, saidWords, statusWords } from './words.ts';

export interface ListPageOptions extends PageOptions {
  /** Address reports are reached under, without a trailing slash. */
  readonly reportBase: string;
}

/** Seconds after which the list looks again; sooner while the first alert is awaited. */
const refreshSeconds = 30;
const firstRefreshSeconds = 5;

/** What is open, worst first, then what ended; how to send alerts while there are none. */
export function renderListPage(list: ReportList, options: ListPageOptions): string {
  const { open, openTotal, closed, closedTotal } = list;
  const isEmpty = openTotal + closedTotal === 0;
  const worst = open[0]?.severity ?? 'none';
  const alerts = html`${section('open', `Open (${openTotal})`, entryList(open, openTotal, options))}
${closedTotal > 0 && section(
  'closed', `Recently closed (${closedTotal})`, entryList(closed, closedTotal, options))}`;
  return renderPage({
    title: openTotal === 0 ? 'Alerts' : `${counted(openTotal, 'open alert')}`,
    mood: openTotal === 0 ? 'resolved' : worst === 'none' ? 'unknown' : worst,
    refreshSeconds: isEmpty ? firstRefreshSeconds : refreshSeconds,
    script: options.script,
    live: { revision: options.revision, episode: null },
    main: html`<header class="top"><h1>Alerts</h1></header>
${isEmpty ? firstStepsSection(options.reportBase) : alerts}`,
    foot: html`<p class="small">Page of ${
      formatExactMoment(new Date(options.now).toISOString())}. It looks again by itself.</p>`,
  });
}

function entryList(
  entries: readonly ReportListEntry[],
  total: number,
  options: ListPageOptions,
): Html {
  if (total === 0) return html`<p class="quiet">No alert is open.</p>`;
  const items = entries.map((entry) => html`<li>${entryItem(entry, options)}</li>\n`);
  const missing = total - entries.length;
  return html`<ul class="alerts">${items}</ul>${
    missing > 0 && html`<p class="quiet">and ${missing} more that are not listed</p>`}`;
}

function entryItem(entry: ReportListEntry, { now, reportBase }: ListPageOptions): Html {
  const { fingerprint, number, name, severity, namespace, headline } = entry;
  // A lone surrogate has no percent-encoding.
  const wellFormed = fingerprint.replace(/\p{Surrogate}/gu, '\ufffd');
  const url = reportUrl(reportBase, wellFormed, number);
  return html`${link(url, isolated(shorten(name, 120)))}
<p class="small"><strong class="${severity}">${glyph(severitySigns[severity])} ${
  severity}</strong>${namespace !== null && html` · ${isolated(shorten(namespace, 64))}`} · ${
  timesOf(entry, now)}</p>
${headline !== null && html`<p>${sentence(shorten(headline, 300))}</p>`}
<p class="small quiet">${standingOf(entry)}${
  entry.notifications > 1 && ` · ${counted(entry.notifications, 'notification')}`}</p>`;
}

function timesOf({ startsAt, endsAt }: ReportListEntry, now: number): Html {
  if (endsAt === null) return html`since ${momentAndAge(startsAt, now)}`;
  return html`ended ${momentAndAge(endsAt, now)} after ${formatSpan(startsAt, endsAt, now)}`;
}

function standingOf({ status, classification, certainty, said }: ReportListEntry): string {
  if (status !== 'ready' && status !== 'final') return statusWords[status];
  const parts = [
    classification === null ? statusWords[status] : classificationWords[classification],
    certainty,
    said && saidWords[said],
  ];
  return parts.filter((part) => part !== null).join(' · ');
}

/** Shown while nothing has ever arrived: what to paste where, and how to try it. */
function firstStepsSection(reportBase: string): Html {
  return section('start', 'No alert has arrived yet', html`
<p>Add this receiver to the configuration of Alertmanager and reload it:</p>
<pre class="command" tabindex="0">${receiverLines(reportBase)}</pre>
<p class="first">Or try it with an alert of your own:</p>
<pre class="command" tabindex="0">${trialCommand(reportBase)}</pre>
<p class="first quiet">When ACCESS_TOKEN is set, both need it.</p>`);
}

function receiverLines(reportBase: string): string {
  return `route:
  routes:
    - receiver: alert-analyst
      continue: true
      group_wait: 5s
receivers:
  - name: alert-analyst
    webhook_configs:
      - url: ${reportBase}/webhook
        send_resolved: true
        # With ACCESS_TOKEN set:
        # http_config:
        #   authorization:
        #     credentials: <ACCESS_TOKEN>`;
}

function trialCommand(reportBase: string): string {
  return `curl -H 'Content-Type: application/json' ${reportBase}/webhook \\
  -d '{"alerts":[{"labels":{"alertname":"Test","severity":"warning"}}]}'`;
}
