import { clip, commandLengthMax, oneLine, visible } from '../plain-text.ts';
import type { Report } from '../report.ts';
import { webAddress } from '../web-address.ts';
import { outlineOf, type OutlineSection } from './outline.ts';
import { citesText, pieceLengthMax, type Piece, type OutlinePoint } from './outline-point.ts';
import { postMortemOf } from './post-mortem.ts';

/**
 * A report as Markdown for tickets and chats: CommonMark, safe with the extensions of GitHub and
 * GitLab. Untrusted text cannot become a link, image, mention, heading or other markup. After the
 * episode is resolved it ends with the skeleton of a post-mortem.
 */
export function renderMarkdown(report: Report): string {
  const { title, state, authorText, headline, sections } = outlineOf(report);
  const author = authorText === null ? [] : [proseOf(authorText)];
  const head = [`# ${proseOf(title)}`, `**${proseOf(state)}**`, ...author, proseOf(headline)];
  const lookbehind = postMortemOf(report);
  const end = lookbehind.length === 0 ? []
    : ['## Post-mortem', ...lookbehind.map((section) => sectionText(section, '###'))];
  const body = sections.map((section) => sectionText(section, '##'));
  return `${[...head, ...body, ...end].join('\n\n')}\n`;
}

function sectionText({ title, points, isOrdered }: OutlineSection, heading: '##' | '###'): string {
  const items = points.map((point, index) => {
    const marker = isOrdered ? `${index + 1}. ` : '- ';
    return `${marker}${pointText(point, ' '.repeat(marker.length))}`;
  });
  return `${heading} ${title}\n\n${items.join('\n')}`;
}

function pointText({ line, more, command }: OutlinePoint, indent: string): string {
  const rest = more.map((pieces) => `\n${indent}- ${lineOf(pieces)}`).join('');
  return lineOf(line) + rest + (command === null ? '' : codeBlock(command, indent));
}

function lineOf(pieces: readonly Piece[]): string {
  const [first] = pieces;
  const text = pieces.map(pieceText).join('');
  // A leading space would change the indentation, and so the block that the line belongs to.
  return typeof first === 'string' ? text.trimStart() : text;
}

function pieceText(piece: Piece): string {
  if (typeof piece === 'string') return proseOf(piece);
  if ('code' in piece) return codeSpan(piece.code);
  if ('drawing' in piece) return codeSpan(piece.drawing);
  if ('cites' in piece) return proseOf(citesText(piece.cites));
  const address = webAddress(piece.url);
  return address === null ? codeSpan(piece.url) : `<${address}>`;
}

/** Words that sites turn into links or mentions, unless they are in a code span. */
const selfLinking = /:\/\/|www\.|mailto:|xmpp:|script:|[@#]/i;

/** Text on one line, escaped so that none of it is markup. */
function proseOf(text: string): string {
  const [before, after] = [/^\s/.test(text) ? ' ' : '', /\s$/.test(text) ? ' ' : ''];
  const words = oneLine(clip(text, pieceLengthMax)).split(' ');
  if (words.length === 1 && words[0] === '') return before;
  const escaped = words.map((word) => (selfLinking.test(word) ? fenced(word) : escapeWord(word)));
  return `${before}${escapeStart(escaped.join(' '))}${after}`;
}

/** A code span of the word, without the brackets, quotes and stops of the sentence around it. */
function fenced(word: string): string {
  const closing = word.includes('(', 1) ? '.,;:!?"\'' : '.,;:!?"\')]';
  const from = word.length - word.replace(/^[("'[]+/, '').length;
  let to = word.length;
  while (to > from && closing.includes(word.charAt(to - 1))) to -= 1;
  const core = word.slice(from, to);
  return selfLinking.test(core)
    ? escapeWord(word.slice(0, from)) + codeSpan(core) + escapeWord(word.slice(to))
    : codeSpan(word);
}

function escapeWord(word: string): string {
  return word.replace(/[\\`*_{}[\]<>!|~&$^]/g, '\\$&');
}

/** Escapes marks that only matter at the start of a line. */
function escapeStart(line: string): string {
  return line.replace(/^([-+=:])/, '\\$1').replace(/^(\d+)([.)])/, '$1\\$2');
}

/** A code span, fenced with more backticks than the longest run in the text. */
function codeSpan(value: string): string {
  const text = oneLine(clip(value, pieceLengthMax));
  if (text === '') return '';
  const fence = '`'.repeat(longestRun(text) + 1);
  const room = /^`|`$/.test(text) ? ' ' : '';
  return `${fence}${room}${text}${room}${fence}`;
}

function codeBlock(command: string, indent: string): string {
  const text = visible(clip(command, commandLengthMax));
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return [fence, ...text.split('\n'), fence].map((line) => `\n${indent}${line}`).join('');
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
