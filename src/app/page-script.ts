import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The scripts of pages: each page has one, inlined. Empty where none is compiled. */
export interface PageScripts {
  readonly all: string;
  /** Without what only lists need: reports are the largest pages. */
  readonly report: string;
}

/**
 * The compiled scripts of `directory`, in the order of their names. There are none when the service
 * runs from source; pages work without.
 *
 * @throws {Error} When a script holds text that would end its element early or begin a comment.
 */
export function readPageScripts(directory: URL): PageScripts {
  const names = !existsSync(directory) ? []
    : readdirSync(directory).filter((name) => name.endsWith('.js')).sort();
  const joined = (all: readonly string[]): string =>
    all.map((name) => readFileSync(new URL(name, directory), 'utf8').trim()).join('\n')
      // Indentation would be a fifth of it.
      .replace(/^ +/gm, '');
  const all = joined(names);
  if (/<\/script|<script|<!--/i.test(all)) {
    throw new Error('A browser script contains text that cannot be inlined into a page');
  }
  return { all, report: joined(names.filter((name) => !name.startsWith('list-'))) };
}
