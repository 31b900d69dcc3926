import { styleText } from 'node:util';
import type { Severity } from '../../alert/severity.ts';
import { clip, commandLengthMax, oneLine, visible } from '../plain-text.ts';
import type { Report } from '../report.ts';
import { severityOfReport } from '../words.ts';
import { outlineOf, type OutlineSection } from './outline.ts';
import { citesText, pieceLengthMax, type Piece, type OutlinePoint } from './outline-point.ts';
import { wrap } from './wrap.ts';

interface TextOptions {
  /** Whether to use ANSI colours. */
  readonly color: boolean;
  /** Columns. */
  readonly width: number;
}

/** Least width used: on narrower terminals most words would be cut. */
const widthMin = 20;

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

const severityStyles: Readonly<Record<Severity, Style>> = {
  critical: 'red', warning: 'yellow', info: 'cyan', unknown: 'bold', none: 'bold',
};

type Paint = (style: Style, text: string) => string;

/** A report for a terminal, without any control character from untrusted text. */
export function renderText(report: Report, { color, width }: TextOptions): string {
  const columns = Math.max(widthMin, Math.floor(width) || widthMin);
  const paint: Paint = (style, text) =>
    color ? styleText(style, text, { validateStream: false }) : text;
  const { title, state, authorText, headline, sections } = outlineOf(report);
  const tone = report.episode.state === 'resolved' ? 'green'
    : severityStyles[severityOfReport(report)];
  const head = [
    ...wrap(shown(title), columns).map((line) => paint('bold', line)),
    ...wrap(shown(state), columns).map((line) => paint(tone, line)),
    ...(authorText === null ? [] : wrap(shown(authorText), columns)),
    '',
    ...wrap(shown(headline), columns).map((line) => paint('bold', line)),
  ];
  const body = sections.flatMap((section) => ['', ...sectionLines(section, columns, paint)]);
  return `${[...head, ...body].join('\n')}\n`;
}

function sectionLines(section: OutlineSection, columns: number, paint: Paint): string[] {
  const { title, points, isOrdered } = section;
  const body = points.flatMap((point, index) => {
    const marker = isOrdered ? `${index + 1}. ` : '- ';
    return pointLines(point, { marker, columns, paint });
  });
  return [paint('bold', title.toUpperCase()), ...body];
}

interface Layout {
  readonly marker: string;
  readonly columns: number;
  readonly paint: Paint;
}

function pointLines(
  { line, more, command }: OutlinePoint,
  { marker, columns, paint }: Layout,
): string[] {
  const indent = ' '.repeat(marker.length);
  const withDimIds = (text: string): string =>
    text.replace(/\[E\d+(, E\d+)*\]/g, (ids) => paint('dim', ids));
  return [
    ...hanging(textOf(line), marker, columns).map(withDimIds),
    ...more.flatMap((pieces) => {
      const lines = hanging(textOf(pieces), indent, columns);
      const [first] = pieces;
      const isDrawing = typeof first === 'object' && 'drawing' in first;
      return lines.map(isDrawing ? (drawn) => paint('cyan', drawn) : withDimIds);
    }),
    // Commands are not wrapped, so that they can be copied.
    ...(command === null ? []
      : visible(clip(command, commandLengthMax)).replaceAll('\t', '  ').split('\n')
        .map((text) => `${indent}  ${paint('cyan', text)}`)),
  ];
}

function hanging(text: string, marker: string, columns: number): string[] {
  const indent = ' '.repeat(marker.length);
  const lines = wrap(text, columns - indent.length);
  return lines.map((line, index) => (index === 0 ? marker : indent) + line);
}

function textOf(pieces: readonly Piece[]): string {
  const texts = pieces.map((piece) => {
    if (typeof piece === 'string') return piece;
    if ('drawing' in piece) return piece.drawing;
    if ('cites' in piece) return citesText(piece.cites);
    return 'code' in piece ? piece.code : piece.url;
  });
  return texts.map((text) => clip(text, pieceLengthMax)).map(visible).join('').replace(/\s+/g, ' ');
}

function shown(text: string): string {
  return oneLine(clip(text, pieceLengthMax));
}
