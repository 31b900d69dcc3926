import { formatDuration } from '../../lib/quantity.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import { counted } from '../../report/plain-text.ts';
import { shownText } from '../../report/shown-text.ts';
import { isoTime } from '../../report/time-text.ts';
import type { PatternChange } from '../../statistics/logs/compare-logs.ts';
import { isFailing } from '../../statistics/logs/log-words.ts';
import type { AddItem } from '../ledger.ts';
import type { Reading } from './ask-logs.ts';
import type { LogWindow } from './log-comparison.ts';
import { quotedPattern, type LogNews, type TroubleFacts } from './log-facts.ts';
import { redactedMessage } from './redacted-message.ts';

const newsMax = 8;
const unseenMin = 3;
const quotedMax = 200;
const exampleMax = 300;

/** Adds the lines that report trouble, and which of their patterns are new. */
export function addTrouble(
  add: AddItem,
  { streams, trouble, query, window }: Reading,
  redact: Redactor['redact'],
): TroubleFacts | null {
  if (trouble === null) return null;
  const { before, after, comparison } = trouble;
  const { fromMs, splitMs, toMs } = window;
  const { changes } = comparison;
  const news = newsOf(changes, before.isCut).slice(0, newsMax)
    .map((change) => withoutSecrets(change, redact));
  const facts = {
    owner: streams.owner, news, patterns: changes.length,
    before: comparison.before.lines.length, after: comparison.after.lines.length,
    beforeFromMs: comparison.before.fromMs, afterFromMs: comparison.after.fromMs,
  };
  const evidence = add({
    kind: 'logs', title: `Trouble in the log of ${streams.owner}`,
    query, from: isoTime(fromMs), to: isoTime(toMs),
    state: facts.before + facts.after === 0 ? 'empty' : 'ok',
    summary: troubleSummary(facts, window),
    data: {
      split: isoTime(splitMs), before: facts.before, after: facts.after,
      before_from: isoTime(facts.beforeFromMs), after_from: isoTime(facts.afterFromMs),
      patterns: news.map(dataOf),
    },
    truncated: before.isCut || after.isCut, warnings: after.notes.warnings,
  });
  return { ...facts, evidence };
}

function newsOf(changes: readonly PatternChange[], isBeforeCut: boolean): PatternChange[] {
  const changed = changes.filter(({ kind }) => kind === 'new' || kind === 'more');
  if (isBeforeCut || changed.some(({ kind }) => kind === 'new')) return changed;
  // Beside what became more frequent, a line or two are noise.
  const least = changed.length > 0 ? unseenMin : 1;
  const unseen = changes.filter(({ kind, before, after, level, pattern }) => {
    if (kind !== 'alike' || before > 0 || after < least) return false;
    return level === null ? isFailing(pattern) : level === 'error' || level === 'fatal';
  });
  return [...changed, ...unseen];
}

/** Where the message of its line held a secret, that replaces the pattern, which may hide it. */
function withoutSecrets({ line, ...change }: PatternChange, redact: Redactor['redact']): LogNews {
  const example = redactedMessage(line, redact);
  const pattern = example === change.example ? redact(change.pattern) : example;
  return {
    ...change, pattern: shownText(pattern, quotedMax), example: shownText(example, exampleMax),
  };
}

function troubleSummary(
  facts: Omit<TroubleFacts, 'evidence'>,
  { toMs, splitMs }: LogWindow,
): string {
  const { before, after, news, patterns } = facts;
  const [first] = news;
  if (before + after === 0) return 'No line reports trouble.';
  const long = (ms: number): string => formatDuration(Math.max(0, ms) / 1000);
  const fresh = first === undefined ? 'None of it is clearly new.'
    : `${first.kind === 'alike' ? 'Not seen before' : 'New or more frequent'}: ${news.length} of ` +
      `${counted(patterns, 'pattern')}, above all ${quotedPattern(first.pattern)}.`;
  const beforeMs = splitMs - facts.beforeFromMs;
  const earlier = beforeMs > 0 ? `${before} in the ${long(beforeMs)} before` : 'no log before that';
  return `${counted(after, 'line')} of trouble in the last ${long(toMs - facts.afterFromMs)} of ` +
    `the window, ${earlier}. ${fresh}`;
}

function dataOf(change: LogNews): unknown {
  const { pattern, kind, before, after, level, firstAtMs, example } = change;
  const first = firstAtMs === null ? null : isoTime(firstAtMs);
  return { text: pattern, kind, before, after, level, first, example };
}
