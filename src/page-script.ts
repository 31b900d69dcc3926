import { existsSync, readdirSync, readFileSync } from 'node:fs';

/**
 * What runs in the reader's browser, inlined into every page: the compiled scripts of `directory`
 * in the order of their names. Empty where nothing is compiled, as when the service runs from
 * source: the pages work without.
 *
 * @throws {Error} When a script holds what would end its element early, or begin a comment there.
 */
export function readPageScript(directory: URL): string {
  if (!existsSync(directory)) return '';
  const names = readdirSync(directory).filter((name) => name.endsWith('.js')).sort();
  const scripts = names.map((name) => readFileSync(new URL(name, directory), 'utf8').trim());
  const script = scripts.join('\n');
  if (/<\/script|<script|<!--/i.test(script)) {
    throw new Error('A script for the browser holds text that cannot stand in a page');
  }
  return script;
}
