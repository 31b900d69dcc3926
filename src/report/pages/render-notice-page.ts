import { code, html, link, type Html } from '../html.ts';
import { absent } from '../live-state.ts';
import { counted } from '../plain-text.ts';
import { section } from './elements.ts';
import { renderPage } from './page.ts';

/** Seconds after which a page that waits for its alert reloads. */
const refreshSeconds = 5;

interface Home {
  /** Public base address of reports, without a trailing slash; empty while it is unknown. */
  readonly reportBase: string;
  /** For how long reports are kept after the end of their alert, in ms: whole days. */
  readonly keptMs: number;
}

interface WaitingPageOptions extends Home {
  readonly fingerprint: string;
  readonly script?: string | undefined;
}

/** For an unknown fingerprint: the link may have arrived before the alert, or be an old one. */
export function renderWaitingPage(options: WaitingPageOptions): string {
  const { fingerprint, script, reportBase } = options;
  return renderPage({
    title: 'Waiting for the alert',
    mood: 'unknown',
    refreshSeconds,
    script,
    live: { revision: absent.revision, episode: null, now: null },
    main: html`<header class="top"><h1>Waiting for the alert</h1>
<p class="quiet">${code(fingerprint.slice(0, 256))}</p></header>
<div class="notice" role="status"><p>There is no report on this alert.
This page updates itself as soon as the alert arrives.</p></div>
${section('why', 'Why', html`<ul class="points">
<li>A chat may show the link before the alert itself has been delivered here, which takes a few
seconds.</li>
<li>The link may be old: ${keptText(options)}.</li>
<li>If the alert is firing and this page does not change, it was not sent here: check the receiver
in Alertmanager's configuration, and Alertmanager's log.</li></ul>`)}`,
    foot: homeLink(reportBase),
  });
}

interface RefusalPageOptions extends Home {
  readonly status: number;
  readonly detail: string;
  /** As sent, without the query. */
  readonly path: string;
  /** Whether a form was sent. */
  readonly isForm: boolean;
}

/** For a browser whose request was refused: what happened, and the way back. */
export function renderRefusalPage(options: RefusalPageOptions): string {
  const { status, detail, path, isForm, reportBase } = options;
  if (status === 404 && !isForm) return renderNotFoundPage({ ...options, newest: null });
  // `/report/abc/3/feedback` and `/report/abc/analyse` are below the page they come from.
  const [, report, form] =
    /^\/report\/(?:[^/]+\/)?([^/]+)\/(feedback|ask|analyse)$/.exec(path) ?? [];
  const back = report !== undefined && html`
<p><a href="../${report}">To the report</a></p>`;
  return renderNotice(detail, reportBase,
    html`${isForm ? html`<p>${unchanged(form)}</p>` : adviceOn(status)}${back}`);
}

/** The form that starts an analysis has no fields. */
function unchanged(form: string | undefined): string {
  return form === 'analyse' ? 'Nothing was changed.'
    : 'Nothing was changed. Go back in the browser: what you typed is still there.';
}

function adviceOn(status: number): Html {
  if (status === 401) {
    return html`<p>Reading reports requires a login. Reload this page to be asked for it.
If the browser does not ask, the service runs with <code>READ_AUTH=token</code>: then only programs
can read, by <code>Authorization: Bearer …</code>. For people, set
<code>READ_AUTH=basic</code>.</p>`;
  }
  // The title says when to try again.
  if (status === 429) return html``;
  return status === 503 ? html`<p>Reload this page in a minute.</p>`
    : html`<p>The service answered with status ${status}.</p>`;
}

interface NotFoundPageOptions extends Home {
  /** For an unknown episode of a known alert: the address of its newest report; otherwise null. */
  readonly newest: string | null;
}

/** For any other unknown address. */
export function renderNotFoundPage({ newest, ...home }: NotFoundPageOptions): string {
  const gone = `or no longer: ${keptText(home)}.`;
  return renderNotice('Not found', home.reportBase, newest === null
    ? html`<p>There is nothing at this address, ${gone}
Reports are at <code>/report/</code> followed by the fingerprint of an alert.</p>`
    : html`<p>This episode of the alert has no report, ${gone}</p>
<p>${link(newest, 'The newest report on this alert', 'own')}</p>`);
}

/** A page that never changes. */
function renderNotice(title: string, reportBase: string, text: Html): string {
  return renderPage({
    title,
    mood: 'unknown',
    refreshSeconds: null,
    main: html`<header class="top"><h1>${title}</h1></header>
${text}`,
    foot: homeLink(reportBase),
  });
}

function keptText({ keptMs }: Home): string {
  const days = counted(keptMs / 86_400_000, 'day');
  return `reports are kept for at most ${days} after their alert has ended`;
}

function homeLink(reportBase: string): Html {
  return reportBase === '' ? html`` : html`<p>${link(`${reportBase}/`, 'All alerts', 'own')}</p>`;
}
