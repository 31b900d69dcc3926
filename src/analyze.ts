/** The command `analyze`: a notification in, a report on each of its alerts out, nothing stored. */
import { parseNotification, type Notification } from './alert/notification.ts';
import { investigate } from './analysis/investigate.ts';
import { openSources, type SourceAccesses } from './analysis/thread-sources.ts';
import type { AnalyzeFormat } from './config/command-line.ts';
import { caseFileOf } from './episodes/case-file-of.ts';
import { decide } from './episodes/decide.ts';
import { EpisodeBook } from './episodes/episode-book.ts';
import type { Clock } from './lib/clock.ts';
import { FormatError } from './lib/parse.ts';
import { systemRandom } from './lib/random.ts';
import { renderMarkdown } from './report/render-markdown.ts';
import { renderText } from './report/render-text.ts';
import type { Report } from './report/report.ts';

export interface AnalyzeOptions {
  readonly format: AnalyzeFormat;
  readonly version: string;
  readonly clock: Clock;
  /** Where evidence beyond the notification is asked for. */
  readonly accesses: SourceAccesses;
  /** For text: whether the terminal shows colours, and how wide it is. */
  readonly color: boolean;
  readonly width: number;
}

export type AnalyzeResult =
  | { readonly kind: 'done'; readonly text: string }
  | { readonly kind: 'refused'; readonly problem: string };

/** Links in reports made here lead nowhere, as no service keeps them; they say so by their name. */
const reportBase = 'http://not-stored.invalid';
const questionsAtOnce = 4;

export async function analyze(body: Buffer, options: AnalyzeOptions): Promise<AnalyzeResult> {
  const { clock, version } = options;
  const text = body.toString('utf8');
  const receivedAt = clock.now();
  let notification: Notification;
  try {
    notification = parseNotification(JSON.parse(text), receivedAt);
  } catch (error) {
    if (error instanceof FormatError) return refused(error.message);
    if (error instanceof SyntaxError) return refused('it is not JSON');
    throw error;
  }
  const [first] = notification.rejected;
  if (notification.alerts.length === 0) return refused(first?.reason ?? 'it has no alerts');
  const sources = openSources(options.accesses, {
    clock, random: systemRandom, atOnce: questionsAtOnce, onAsked: () => {},
  });
  const reports: Report[] = [];
  for (const caseFile of caseFilesOf(notification, text, receivedAt)) {
    const signal = new AbortController().signal;
    const context = { clock, version, sources, signal, onProgress: () => {} };
    const { report } = await investigate(caseFile, context);
    reports.push(report);
  }
  return { kind: 'done', text: render(reports, options) };
}

function* caseFilesOf(
  { alerts }: Notification,
  text: string,
  receivedAt: number,
): Iterable<ReturnType<typeof caseFileOf>> {
  const book = new EpisodeBook();
  const accepted = alerts.map((alert, index) => {
    const { fingerprint, status } = alert;
    const seen = { status, startsAt: null, endsAt: null, receivedAt };
    return { fingerprint, index, alert, ...decide(null, seen) };
  });
  for (const episode of book.applyNotification(1, { receivedAt, text, accepted })) {
    yield caseFileOf(book, episode, reportBase);
  }
}

function render(reports: readonly Report[], { format, color, width }: AnalyzeOptions): string {
  if (format === 'json') return `${JSON.stringify(reports, null, 2)}\n`;
  if (format === 'markdown') return reports.map(renderMarkdown).join('\n\n---\n\n');
  return reports.map((report) => renderText(report, { color, width })).join('\n\n');
}

function refused(problem: string): AnalyzeResult {
  return { kind: 'refused', problem: `Cannot analyse the notification: ${problem}` };
}
