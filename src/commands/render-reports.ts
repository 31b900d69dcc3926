import type { AnalyzeFormat } from '../config/command-line.ts';
import { visibleJson } from '../report/plain-text.ts';
import type { Report } from '../report/report.ts';
import { renderMarkdown } from '../report/text/render-markdown.ts';
import { renderText } from '../report/text/render-text.ts';

export interface RenderOptions {
  readonly format: AnalyzeFormat;
  /** Only for the text format: whether to use colours, and the terminal's width in columns. */
  readonly color: boolean;
  readonly width: number;
}

export function renderReports(
  reports: readonly Report[], { format, color, width }: RenderOptions,
): string {
  if (format === 'json') return `${visibleJson(reports)}\n`;
  if (format === 'markdown') return reports.map(renderMarkdown).join('\n\n---\n\n');
  return reports.map((report) => renderText(report, { color, width })).join('\n\n');
}
