import type { Severity } from '../../alert/severity.ts';
import { html, isolated, type Content, type Html } from '../html.ts';
import { shorten } from '../plain-text.ts';
import { formatSpan } from '../time-text.ts';
import { endWords } from '../words.ts';
import { glyph, severityGlyph } from './elements.ts';

interface BadgedState {
  /** When it began and ended, RFC 3339; null while it fires. */
  readonly from: string;
  readonly to: string | null;
  /** No end was notified. */
  readonly isEndUnknown?: boolean;
  /** It has ended, and what it is about goes on. */
  readonly goesOn?: boolean;
  readonly severity: Severity;
  /** The severity in words. */
  readonly word: string;
}

/**
 * `● Firing for 12 min`, which the script keeps counting, or `✓ Resolved after 9 s`, and beside it
 * `◆ critical`: each with a shape, a word and a colour.
 */
export function stateBadges(
  { from, to, isEndUnknown = false, goesOn = false, severity, word }: BadgedState,
  now: number,
  before: Content = null,
): Html {
  const span = formatSpan(from, to, now);
  const ended = `${endWords(isEndUnknown).state}${isEndUnknown ? '' : ` after ${span}`}`;
  const state = to === null
    ? html`<strong class="badge filled ${severity}">${
      glyph('●')} Firing for <time data-age="span" datetime="${from}">${span}</time></strong>`
    : goesOn ? html`<strong class="badge filled ${severity}">${
      glyph('●')} Alert ended, trouble goes on</strong>`
    : html`<strong class="badge filled resolved">${glyph('✓')} ${ended}</strong>`;
  return html`<p class="badges">${before}${state}
<span class="badge ${severity}">${severityGlyph(severity)} ${
  isolated(shorten(word, 32))}</span></p>`;
}
