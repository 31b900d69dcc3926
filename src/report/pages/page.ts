import { createHash } from 'node:crypto';

import type { Severity } from '../../alert/severity.ts';
import { html, markupText, trusted, type Html } from '../html.ts';
import { pageStyles } from './page-style.ts';

/**
 * The `Content-Security-Policy` of every page: nothing is loaded or embedded. Only the inlined
 * style sheets and scripts are allowed, by their hashes, and the icon as a data URL. Script and
 * forms can only contact this service. There is no `sandbox`, since that would stop pages from
 * refreshing themselves.
 */
export function pageSecurityPolicy(scripts: readonly string[] = []): string {
  const hashes = [...new Set(scripts)].filter((script) => script !== '').map(hashSource);
  return [
    "default-src 'none'",
    `style-src ${Object.values(pageStyles).map(hashSource).join(' ')}`,
    ...(hashes.length === 0 ? [] : [`script-src ${hashes.join(' ')}`, "connect-src 'self'"]),
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

/** The mood of a page about firing alerts whose worst severity is this. */
export function firingMood(severity: Severity): PageMood {
  return severity === 'none' ? 'unknown' : severity;
}

interface PageFrame {
  readonly title: string;
  /** Determines the page's border and the tab's icon. */
  readonly mood: PageMood;
  /** Seconds until the page reloads itself; null for a static page. */
  readonly refreshSeconds: number | null;
  /** The page's script, a constant of this program; empty or absent for none. */
  readonly script?: string | undefined;
  /** Absent for a page that never changes. */
  readonly live?: LivePage;
  readonly main: Html;
  /** Default `other`. */
  readonly style?: keyof typeof pageStyles;
  /** Whether its content is in columns that fill a wide window. */
  readonly isWide?: boolean;
  readonly foot: Html;
}

/** What the script needs to keep a page up to date. */
interface LivePage {
  /** Revision of what it shows, as in `LiveState`; undefined for a page that is not followed. */
  readonly revision: string | undefined;
  /** The episode of a report, so that a later one does not replace it. */
  readonly episode: number | null;
  /** Ms; what ages on the page are relative to. Null if it shows none. */
  readonly now: number | null;
}

/** Options of the pages of reports and incidents. */
export interface PageOptions {
  /** Ms; what ages are relative to. */
  readonly now: number;
  /** As in {@linkcode PageFrame}. */
  readonly script?: string | undefined;
  /** As in {@linkcode LivePage}. */
  readonly revision?: string | undefined;
}

/** A complete document that is readable without its script and loads nothing. */
export function renderPage(frame: PageFrame): string {
  const {
    title, mood, refreshSeconds, script = '', live, main, style = 'other', isWide = false, foot,
  } = frame;
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
<style>${trusted(pageStyles[style])}</style>
</head>
<body class="tone-${mood}${isWide && ' wide'}"${followed}>
<a class="skip" href="#content">Skip to the content</a>
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
