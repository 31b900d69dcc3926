/** The values all styles use: colours of the themes, scales of sizes and spaces. */

/** Greys, one accent, and the colours of states; `fill` and `ink` are those of a badge. */
export interface Theme {
  readonly page: string;
  readonly raised: string;
  readonly line: string;
  readonly text: string;
  readonly quiet: string;
  readonly accent: string;
  readonly critical: string;
  readonly warning: string;
  readonly info: string;
  readonly resolved: string;
  readonly unknown: string;
  /** Amber must be light to look like amber, so its badge has colours of its own. */
  readonly 'warning-fill': string;
  readonly 'warning-ink': string;
}

type ThemeName = 'light' | 'dark' | 'paper';

/**
 * Every text colour has a contrast of at least 4.5:1 with `page` and `raised` (WCAG 2.2 AA). State
 * colours differ in lightness as well as hue, and a state also has a shape and a word.
 */
export const themes: Readonly<Record<ThemeName, Theme>> = {
  light: {
    page: '#fcfcfa', raised: '#f3f3ef', line: '#d4d5cf', text: '#1a1c1f', quiet: '#575b62',
    accent: '#0a55a3', critical: '#b3140d', warning: '#7f4f00', info: '#0a55a3',
    resolved: '#146237', unknown: '#575b62', 'warning-fill': '#f6b73c', 'warning-ink': '#1a1c1f',
  },
  dark: {
    page: '#14171a', raised: '#1d2125', line: '#383e45', text: '#e7e7e3', quiet: '#a5aab1',
    accent: '#8dbdf4', critical: '#ff8f84', warning: '#f2bb52', info: '#8dbdf4',
    resolved: '#7fd49c', unknown: '#a5aab1', 'warning-fill': '#f2bb52', 'warning-ink': '#14171a',
  },
  paper: {
    page: '#fff', raised: '#fff', line: '#999', text: '#000', quiet: '#333', accent: '#000',
    critical: '#000', warning: '#000', info: '#000', resolved: '#000', unknown: '#333',
    'warning-fill': '#fff', 'warning-ink': '#000',
  },
};

/** Sizes are 16 px times powers of 1.2, spaces are multiples of 4 px; a finger needs `touch`. */
const scales = `--small:.8333rem;--large:1.2rem;--larger:1.44rem;--largest:1.728rem;
--s1:4px;--s2:8px;--s3:12px;--s4:16px;--s6:24px;--s8:32px;--s12:48px;
--measure:36rem;--touch:44px;
--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;
--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;`;

export const tokenStyle: string = `
:root{color-scheme:light dark;${scales}
${declared('light')}}
@media screen and (prefers-color-scheme:dark){:root{${declared('dark')}}}
@media print{:root{color-scheme:light;${declared('paper')}}}
`;

function declared(name: ThemeName): string {
  return Object.entries(themes[name]).map(([role, colour]) => `--${role}:${colour}`).join(';');
}
