import { clip, visible } from './plain-text.ts';
import { webAddress } from './web-address.ts';

declare const safe: unique symbol;

/** Markup that may go into a page unescaped, made by {@linkcode html} and {@linkcode trusted}. */
export interface Html {
  readonly [safe]: true;
}

/** Values a template accepts: text is escaped, lists are joined, null and false render nothing. */
export type Content = Html | string | number | null | false | readonly Html[];

/** Longest text shown in one place, which bounds the page whatever an alert holds. */
const textLengthMax = 2000;

/** A class, so that nothing parsed from JSON can pass for markup. */
class Markup implements Html {
  declare readonly [safe]: true;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Builds markup from a template. Every value that is not markup already is escaped, which makes it
 * safe as text and inside a quoted attribute.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  let text = strings[0] ?? '';
  values.forEach((value, index) => {
    text += contentText(value) + (strings[index + 1] ?? '');
  });
  return new Markup(text);
}

/** Marks a constant of this program as markup. Never pass anything that came from outside. */
export function trusted(constant: string): Html {
  return new Markup(constant);
}

/** Text with a limit of its own instead of the usual one. */
export function longText(text: string, lengthMax: number): Html {
  return new Markup(escape(visible(clip(text, lengthMax))));
}

/** A short value from outside, kept from reordering or mirroring the text around it. */
export function isolated(value: string): Html {
  return html`<bdi>${value}</bdi>`;
}

/** A sentence of the report, which reads from left to right whatever values are in it. */
export function sentence(text: string): Html {
  return html`<span dir="ltr">${unbroken(text)}</span>`;
}

/** A number and its unit, as `lib/quantity.ts` writes them. */
const measure = new RegExp(
  '(?<![^\\s(])([-−]?\\d\\S* (?:%|°C|[mnµ]?s|min|h|d|[kMGTPE]|(?:[KMGTPE]i)?B|[kMGTPE]?bit'
  + '|cores|V|A|W|J|Hz)(?:/s|/min)?)(?![\\p{L}\\d])',
  'u',
);

/** Text in which numbers stay on one line with their units: `from 29.9 ms to 1 h`. */
export function unbroken(text: string): Html {
  const parts = clip(text, textLengthMax).split(measure);
  return html`${parts.map((part, index) =>
    index % 2 === 0 ? html`${part}` : html`<span class="whole">${part}</span>`)}`;
}

/** A short value in monospace: label values, queries and commands. */
export function code(value: string): Html {
  return html`<code dir="auto">${value}</code>`;
}

/**
 * A link, or only its text if the address is not http or https. An `own` link leads to this service
 * and may send a referrer.
 */
export function link(
  address: string,
  content: Content,
  appearance: 'text' | 'button' | 'own' = 'text',
): Html {
  const href = webAddress(address);
  if (href === null) return html`${content}`;
  return html`<a${appearance === 'button' && html` class="button"`} href="${
    trusted(escape(href))}"${appearance !== 'own' && trusted(' rel="noreferrer noopener"')}>${
    content}</a>`;
}

/** The page as text. */
export function markupText(markup: Html): string {
  return contentText(markup);
}

function contentText(value: Content): string {
  if (value === null || value === false) return '';
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(contentText).join('');
  return escape(visible(clip(String(value), textLengthMax)));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '`': '&#96;',
};

function escape(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => entities[character] ?? character);
}
