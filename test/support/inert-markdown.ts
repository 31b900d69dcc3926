import assert from 'node:assert/strict';

/** Fails if text from outside the service could act as Markdown. */
export function assertInertMarkdown(markdown: string, message: string): void {
  const prose = proseOf(markdown).replace(/^\*\*(Firing, .*)\*\*$/m, '$1');
  assert.doesNotMatch(prose, /(?<!\\)(?:\\\\)*[`*_[\]<>!|~&$]/, message);
  assert.doesNotMatch(prose, /:\/\/|www\.|@|script:|[^\n#]#/i, message);
  assert.doesNotMatch(markdown, /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]|\p{Surrogate}/u, message);
  assert.doesNotMatch(prose, /^(-{3,}|={3,}| {4,}\S.*)$/m, message);
}

export function headings(markdown: string): string[] {
  return proseOf(markdown).split('\n').filter((line) => /^ {0,3}#/.test(line));
}

/** The Markdown without fenced blocks, code spans and autolinks. */
function proseOf(markdown: string): string {
  const lines: string[] = [];
  let fence: string | null = null;
  for (const line of markdown.split('\n')) {
    const [, mark] = /^ *(`{3,})[^`]*$/.exec(line) ?? [];
    if (fence === null && mark !== undefined) fence = mark;
    else if (fence !== null && line.trim() === fence) fence = null;
    else if (fence === null) lines.push(line);
  }
  assert.equal(fence, null, 'every fence is closed');
  return lines.map(withoutSpans).join('\n').replace(/<https?:\/\/[!-;=?-~]*>/g, '');
}

/** Removes code spans as CommonMark defines them: from a run of backticks to the next as long. */
function withoutSpans(line: string): string {
  let text = '';
  let at = 0;
  while (at < line.length) {
    if (line[at] === '\\') {
      text += line.slice(at, at + 2);
      at += 2;
      continue;
    }
    const length = line[at] === '`' ? runAt(line, at) : 0;
    const end = length === 0 ? -1 : endOfSpan(line, at + length, length);
    text += end < 0 ? line[at] : '';
    at = end < 0 ? at + 1 : end;
  }
  return text;
}

function runAt(line: string, at: number): number {
  return /^`+/.exec(line.slice(at))?.[0].length ?? 0;
}

function endOfSpan(line: string, from: number, length: number): number {
  for (const { 0: run, index } of line.slice(from).matchAll(/`+/g)) {
    if (run.length === length) return from + index + length;
  }
  return -1;
}
