import { createHash } from 'node:crypto';

import { html, markupText, trusted, type Html } from './html.ts';
import { pageStyle } from './page-style.ts';

/**
 * The `Content-Security-Policy` of every page: nothing is loaded, run, embedded or submitted; only
 * the one style sheet, known by its hash, applies, and the tab's icon, which is in the page. There
 * is no `sandbox`, since it would stop pages that wait from loading themselves again.
 */
export const pageSecurityPolicy: string = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export type PageMood = 'critical' | 'warning' | 'info' | 'resolved' | 'unknown';

export interface PageFrame {
  readonly title: string;
  /** Colour of the tab's icon. */
  readonly mood: PageMood;
  /** Seconds until the page loads itself again; null for a page that stays. */
  readonly refreshSeconds: number | null;
  readonly main: Html;
  readonly foot: Html;
}

/** A whole document, readable without script and without anything else being loaded. */
export function renderPage({ title, mood, refreshSeconds, main, foot }: PageFrame): string {
  const refresh = html`<meta http-equiv="refresh" content="${refreshSeconds}">`;
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
<body>
<a class="skip" href="#content">Skip to the content</a>
<main id="content">
${main}
</main>
<footer class="foot">${foot}</footer>
</body>
</html>
`);
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
