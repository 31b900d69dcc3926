import { formatQuantity } from '../../../lib/quantity.ts';
import { html, isolated, sentence, unbroken, type Html } from '../../html.ts';
import { counted } from '../../plain-text.ts';
import type { WrittenNarrative } from '../../report.ts';
import { foundText, heldWords, steeredText, uncheckedText } from '../../words.ts';
import { glyph, joined, listItems, momentAndAge, quantity, rowList } from '../elements.ts';
import { statement } from './linked-text.ts';
import { isUnderWay, type View } from './view.ts';

/** What a model wrote, set apart from what was measured; empty unless it did or is at it. */
export function narrativeContent(view: View): Html {
  const { narrative } = view.report;
  if (narrative.state === 'absent') {
    const isAwaited = narrative.reason === 'pending' && !isUnderWay(view);
    return isAwaited ? html`<p class="quiet">${sentence(narrative.detail)}</p>` : html``;
  }
  const isOfEarlierVersion = narrative.asserted === undefined;
  return html`<div class="written">
<p class="quiet small">Written by a model from the evidence above, ${
    momentAndAge(narrative.written_at, view.now)}. It can be wrong.</p>
${narrative.suspicious_content && html`<p><strong>${steeredText}</strong></p>`}
${!isOfEarlierVersion && findingList(narrative, view)}
${narrative.text !== '' && html`${
    !isOfEarlierVersion && html`<p class="quiet small">${uncheckedText}:</p>`}
<p class="long">${linked(narrative.text, view)}</p>`}
${isOfEarlierVersion ? claimList(narrative, view) : missingLine(narrative)}
<p class="quiet small">${modelLine(narrative)}</p></div>`;
}

/** How the episode ended, except for what the header says. */
export function resolutionContent(view: View): Html {
  const { resolution, reality } = view.report;
  if (resolution === null) return html``;
  const { value_at_end: value, hypothesis_held: held, changes } = resolution;
  const rows = rowList([
    ['Value at the end', value !== null && quantity(value, reality.unit)],
    ['Leading explanation', held !== null && heldWords(held)],
  ]);
  const items = listItems(changes, (change) => statement(change, view));
  return html`${rows}${
    changes.length > 0 && html`<p class="quiet">What the changes did:</p>
<ul class="points">${items}</ul>`}`;
}

/** What the model points at, in words of code, each with what the model makes of it. */
export function claimsFound(claims: WrittenNarrative['claims'], view: View): Html {
  if (claims.length === 0) return html``;
  const items = listItems(claims, (claim) => html`<span class="mark">${glyph('✓')}</span>${
    statement(claim, view)}${isPresent(claim.reading) && html` <span class="quiet">Model: ${
    linked(claim.reading, view)}</span>`}`);
  return html`<p class="quiet small">${foundText}:</p><ul class="sides">${items}</ul>`;
}

function findingList({ claims, culprits = [] }: WrittenNarrative, view: View): Html {
  const blamed = joined(culprits.map(({ component }) => isolated(component)), ', ');
  return html`${culprits.length > 0 && html`<p>The model holds responsible: ${blamed}</p>`}
${claimsFound(claims, view)}`;
}

function isPresent(text: string | null | undefined): text is string {
  return text !== undefined && text !== null && text !== '';
}

export function missingLine({ missing = [] }: { readonly missing?: readonly string[] }): Html {
  return missing.length === 0 ? html``
    : html`<p class="quiet">Still to be found out: ${missing.join(' ')}</p>`;
}

/** Each claim, and whether the evidence it cites supports it. */
function claimList({ claims }: WrittenNarrative, view: View): Html {
  if (claims.length === 0) return html``;
  const unproven = claims.filter(({ verified }) => !verified).length;
  const items = listItems(claims, (claim) => {
    const [sign, word] = claim.verified ? ['✓', ''] : ['?', 'Not found in the evidence: '];
    return html`<span class="mark">${glyph(sign)}</span>${
      word !== '' && html`<strong>${word}</strong>`}${statement(claim, view)}`;
  });
  return html`<p class="quiet small">${claims.length - unproven} of ${
    counted(claims.length, 'claim')} found in the evidence:</p><ul class="sides">${items}</ul>`;
}

function modelLine({ model, tokens, cost, duration_ms: ms }: WrittenNarrative): Html {
  return joined([
    isolated(model), `${formatQuantity(tokens, null)} tokens`,
    cost !== null && `cost ${formatQuantity(cost, null)}`,
    unbroken(formatQuantity(ms, 'milliseconds')),
  ], ' · ');
}

/** Text whose `[E1]` marks link to the evidence; `[E1, E2]` is two of them. */
export function linked(text: string, { anchors }: View): Html {
  const parts = text.slice(0, 20_000)
    .replace(/\[E\d{1,6}(?:, ?E\d{1,6})+\]/g, (ids) => ids.replace(/, ?/g, '] ['))
    .split(/(\[E\d{1,6}\])/);
  return html`${parts.slice(0, 500).map((part) => {
    const id = part.slice(1, -1);
    return anchors.has(id) ? html`<a href="#${id}">${part}</a>` : html`${part}`;
  })}`;
}

/** What could not be found out and how to, each in a line; last why no model wrote. */
export function unknownsContent(view: View): Html {
  const { unknowns, narrative } = view.report;
  const isAbsent = narrative.state === 'absent' && narrative.reason !== 'pending';
  const lines = [
    ...unknowns.map(({ what, why, how_to_get: how }) =>
      html`${sentence(what)} <span class="quiet">${sentence(`${why} ${how}`)}</span>`),
    ...(isAbsent && !isUnderWay(view) ? [html`${sentence(narrative.detail)}`] : []),
  ];
  if (lines.length === 0) return html``;
  return html`<ul class="points small">${listItems(lines, (line) => line)}</ul>`;
}
