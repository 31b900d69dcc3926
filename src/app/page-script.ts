import { existsSync, readdirSync, readFileSync } from 'node:fs';

/**
 * The script inlined into every page: the compiled scripts of `directory`, in the order of their
 * names. Empty where nothing is compiled, as when the service runs from source; pages work without.
 *
 * @throws {Error} When a script holds text that would end its element early or begin a comment.
 */
export function readPageScript(directory: URL): string {
  if (!existsSync(directory)) return '';
  const names = readdirSync(directory).filter((name) => name.endsWith('.js')).sort();
  const scripts = names.map((name) => readFileSync(new URL(name, directory), 'utf8').trim());
  // Indentation would be a fifth of it.
  const script = scripts.join('\n').replace(/^ +/gm, '');
  if (/<\/script|<script|<!--/i.test(script)) {
    throw new Error('A browser script contains text that cannot be inlined into a page');
  }
  return script;
}
