import { code, html, link, type Html } from '../html.ts';
import { absent } from '../live-state.ts';
import { renderPage } from './page.ts';

/** Seconds after which a page whose alert has not come yet looks again. */
const refreshSeconds = 5;

interface Home {
  /** Address reports are reached under, without a trailing slash; empty while it is not known. */
  readonly reportBase: string;
}

export interface WaitingPageOptions extends Home {
  readonly fingerprint: string;
  readonly script?: string | undefined;
}

/** For a fingerprint nothing is known of: the link may be ahead of the alert itself. */
export function renderWaitingPage({ fingerprint, script, reportBase }: WaitingPageOptions): string {
  return renderPage({
    title: 'Waiting for the alert',
    mood: 'unknown',
    refreshSeconds,
    script,
    live: { revision: absent.revision, episode: null, now: null },
    main: html`<header class="top"><h1>Waiting for the alert</h1>
<p class="quiet">${code(fingerprint.slice(0, 256))}</p></header>
<div class="notice" role="status"><p>No alert with this fingerprint has arrived yet.
This page updates itself as soon as one does.</p></div>
<section aria-labelledby="why-title"><h2 id="why-title">Why</h2>
<ul class="points"><li>A chat may show the link before the alert itself has been delivered here,
which takes a few seconds.</li>
<li>If it stays like this, the alert was not sent here: check the receiver in Alertmanager's
configuration, and its log.</li>
<li>Reports older than RETENTION_DAYS are removed.</li></ul></section>`,
    foot: homeLink(reportBase),
  });
}

export interface RefusalPageOptions extends Home {
  readonly status: number;
  readonly detail: string;
  /** As sent, without the query. */
  readonly path: string;
  /** Whether a form was sent. */
  readonly isForm: boolean;
}

/** For a browser whose request was refused: what became of it, and the way back. */
export function renderRefusalPage(options: RefusalPageOptions): string {
  const { status, detail, path, isForm, reportBase } = options;
  if (status === 404 && !isForm) return renderNotFoundPage({ reportBase });
  // `/report/abc/3/feedback` and `/report/abc/analyse` both stand below the page they come from.
  const [, report] = /^\/report\/(?:[^/]+\/)?([^/]+)\/(?:feedback|analyse)$/.exec(path) ?? [];
  const back = report !== undefined && html`
<p><a href="../${report}">To the report</a></p>`;
  return renderPage({
    title: detail,
    mood: 'unknown',
    refreshSeconds: null,
    main: html`<header class="top"><h1>${detail}</h1></header>
<p>${isForm ? 'Nothing was changed. Go back in the browser: what you typed is still there.'
    : adviceOn(status)}</p>${back}`,
    foot: homeLink(reportBase),
  });
}

function adviceOn(status: number): Html {
  if (status === 401) {
    return html`Reading needs a login here. Open the page again to be asked for user and password.
A browser that does not ask cannot read here: with <code>READ_AUTH=token</code> only programs can,
by <code>Authorization: Bearer …</code>; <code>READ_AUTH=basic</code> is for people.`;
  }
  const what = html`The service answers with status ${status}.`;
  return status === 429 || status === 503 ? html`${what} Open the page again in a minute.` : what;
}

/** For every other address that leads nowhere. */
export function renderNotFoundPage({ reportBase }: Home): string {
  return renderPage({
    title: 'Not found',
    mood: 'unknown',
    refreshSeconds: null,
    main: html`<header class="top"><h1>Not found</h1></header>
<p>There is nothing at this address, or no longer: what is older than RETENTION_DAYS is removed.
Reports are at <code>/report/</code> followed by the fingerprint of an alert.</p>`,
    foot: homeLink(reportBase),
  });
}

function homeLink(reportBase: string): Html {
  return reportBase === '' ? html`` : html`<p>${link(`${reportBase}/`, 'All alerts', 'own')}</p>`;
}
