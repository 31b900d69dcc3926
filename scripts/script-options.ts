/** What scripts are called with. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs, type ParseArgsConfig } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<T extends Options> = ReturnType<typeof parseArgs<{ options: T }>>['values'];

/**
 * The options of a script, by its `import.meta.url`. `--help` prints the comment at its head and
 * ends it; so does an option that it has not, with what is wrong and exit code 2.
 */
export function scriptOptions<const T extends Options>(script: string, options: T): Values<T> {
  if (process.argv.includes('--help')) {
    process.stdout.write(`${headOf(script)}\n`);
    process.exit(0);
  }
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${headOf(script)}\n`);
    process.exit(2);
  }
}

function headOf(script: string): string {
  const source = readFileSync(fileURLToPath(script), 'utf8');
  const [, comment = ''] = /^\/\*\*\n(.*?)\n \*\//s.exec(source) ?? [];
  return comment.replace(/^ \* ?/gm, '');
}
