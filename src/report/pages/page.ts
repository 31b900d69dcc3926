import { createHash } from 'node:crypto';

import type { Severity } from '../../alert/severity.ts';
import { html, markupText, trusted, type Html } from '../html.ts';
import { pageStyle } from './page-style.ts';

/**
 * The `Content-Security-Policy` of every page: nothing is loaded or embedded; only the one style
 * sheet applies and the one script runs, both known by their hashes, and the tab's icon is in the
 * page. The script, where there is one, and forms ask this service and nobody else. There is no
 * `sandbox`, since it would stop pages that wait from loading themselves again.
 */
export function pageSecurityPolicy(script = ''): string {
  return [
    "default-src 'none'",
    `style-src ${hashSource(pageStyle)}`,
    ...(script === '' ? [] : [`script-src ${hashSource(script)}`, "connect-src 'self'"]),
    'img-src data:',
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

export type PageMood = Exclude<Severity, 'none'> | 'resolved';

/** Of a page about firing alerts, of which this is the worst severity. */
export function firingMood(severity: Severity): PageMood {
  return severity === 'none' ? 'unknown' : severity;
}

export interface PageFrame {
  readonly title: string;
  /** Colour of the tab's icon. */
  readonly mood: PageMood;
  /** Seconds until the page loads itself again; null for a page that stays. */
  readonly refreshSeconds: number | null;
  /** What runs in the browser, a constant of this program; empty or absent for none. */
  readonly script?: string | undefined;
  /** Absent for a page of which nothing new is awaited. */
  readonly live?: LivePage;
  readonly main: Html;
  /** Links to the parts of the page, beside it where there is room. */
  readonly contents?: Html;
  readonly foot: Html;
}

/** What the script has to know of a page that it keeps up to date. */
export interface LivePage {
  /** Of what it shows, as in `LiveState`; undefined for a page that does not follow it. */
  readonly revision: string | undefined;
  /** Of a report: its episode, so that a later one is not shown in its place. */
  readonly episode: number | null;
  /** Ms; the moment to which its ages are counted. Null where it shows none. */
  readonly now: number | null;
}

/** What the pages of reports and incidents are given beside their subject. */
export interface PageOptions {
  /** Ms; what "ago" counts from. */
  readonly now: number;
  /** As in {@linkcode PageFrame}. */
  readonly script?: string | undefined;
  /** As in {@linkcode LivePage}. */
  readonly revision?: string | undefined;
}

/** A whole document, readable without script and without anything else being loaded. */
export function renderPage(frame: PageFrame): string {
  const { title, mood, refreshSeconds, script = '', live, main, contents, foot } = frame;
  const meta = html`<meta http-equiv="refresh" content="${refreshSeconds}">`;
  const followed = script !== '' && live?.revision !== undefined && liveAttributes(live);
  const refresh = followed ? html`<noscript>${meta}</noscript>` : meta;
  return markupText(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${refreshSeconds !== null && refresh}
<title>${title}</title>
<link rel="icon" href="${trusted(icons[mood])}">
<style>${trusted(pageStyle)}</style>
</head>
<body class="tone-${mood}${contents !== undefined && ' with-contents'}"${followed}>
<a class="skip" href="#content">Skip to the content</a>
${contents ?? null}
<main id="content" tabindex="-1">
${main}
</main>
<footer class="foot">${foot}</footer>
${script !== '' && html`<script>${trusted(script)}</script>
`}</body>
</html>
`);
}

function liveAttributes({ revision = '', episode, now }: LivePage): Html {
  return html` data-live="${revision}"${episode !== null && html` data-episode="${episode}"`}${
    now !== null && html` data-now="${now}"`}`;
}

const icons: Readonly<Record<PageMood, string>> = {
  critical: icon('d0342c', 'M8 1l7 7-7 7-7-7z'),
  warning: icon('d99000', 'M8 1l7 13H1z'),
  info: icon('2f7ed8', 'M2 2h12v12H2z'),
  resolved: icon('2c9a52', 'M1 8l3-3 3 3 6-6 2 3-8 8z'),
  unknown: icon('808590', 'M3 6h10v4H3z'),
};

function icon(colour: string, path: string): string {
  const svg =
    `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>` +
    `<path fill='#${colour}' d='${path}'/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
