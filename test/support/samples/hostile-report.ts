import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../../../src/report/report.ts';
import { seededRandom } from '../random.ts';

/** The Big List of Naughty Strings, and some strings aimed at the formats rendered here. */
export function naughtyStrings(): string[] {
  const path = join(process.cwd(), 'test/fixtures/naughty-strings.json');
  return [...(JSON.parse(readFileSync(path, 'utf8')) as string[]), ...aimed];
}

const aimed = [
  '</title><script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "' onmouseover='alert(1)",
  '`onerror=alert(1)`', 'javascript:alert(1)', 'JaVaScRiPt:alert(1)', '\u0001javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>', '\u001b[31mred\u001b[0m', '\u009b31mred',
  '\u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007', 'a\rb', 'a\bb', '\u202egnp.exe',
  '\ud800', 'a\udc00b', '\u0000', '![x](http://evil.example/x.png)', '[x](http://evil.example)',
  '<http://evil.example>', 'http://evil.example', 'www.evil.example', '@everyone', '#1', '# head',
  '- item', '1. item', '> quote', '```\ncode', '``', '`', '~~~', '| a | b |\n|---|---|', '---',
  '===', '    indented', '[E1]: http://evil.example', '&lt;b&gt;', '\\', '\\`', 'a\n\n# b', '$x$',
];

/**
 * Reports like this one in which each text is a naughty string, chosen at random: together they
 * show each string in many places, and in each place many strings. The seed is part of a failure.
 */
export function* naughtyReports(
  report: Report,
  prefix = '',
): Generator<{ readonly naughty: Report; readonly seed: number }> {
  const strings = naughtyStrings();
  for (let seed = 1; seed <= 80; seed += 1) {
    const random = seededRandom(seed);
    const text = (): string => prefix + (strings[random() % strings.length] ?? '');
    yield { naughty: withEveryText(report, text), seed };
  }
}

/** Members whose values come from the service's own closed sets. */
const closed = new Set([
  'schema', 'status', 'state', 'classification', 'certainty', 'effect', 'kind', 'strength',
  'scope', 'operator', 'reason',
]);

/** The report with every text replaced that could come from outside. */
export function withEveryText(report: Report, replace: (text: string) => string): Report {
  return replaceIn(report, replace) as Report;
}

function replaceIn(value: unknown, replace: (text: string) => string, name = ''): unknown {
  if (typeof value === 'string') return isClosed(name, value) ? value : replace(value);
  if (Array.isArray(value)) return value.map((item) => replaceIn(item, replace, name));
  if (typeof value !== 'object' || value === null) return value;
  const isLabels = ['labels', 'annotations', 'data'].includes(name);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => {
    return [isLabels ? replace(key) : key, replaceIn(member, replace, isLabels ? '' : key)];
  }));
}

function isClosed(name: string, value: string): boolean {
  return closed.has(name) || (name === 'verdict' && ['right', 'partly', 'wrong'].includes(value));
}
