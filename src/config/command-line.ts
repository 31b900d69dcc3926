import { parseArgs } from 'node:util';
import type { Variable } from './variables.ts';

export type CommandLine =
  | { readonly command: CheckName | 'serve' | 'help' | 'version' }
  | {
    readonly command: 'analyze'; readonly file: string; readonly format: AnalyzeFormat;
    /** Where to write a recording; null to write none. */
    readonly record: string | null;
  }
  | {
    readonly command: 'analyze-now';
    /** The address of an Alertmanager or a Prometheus; null for those of the settings. */
    readonly url: string | null;
    readonly format: AnalyzeFormat; readonly record: string | null;
  }
  /** `file` is a recording. */
  | { readonly command: 'replay'; readonly file: string; readonly format: AnalyzeFormat }
  /** Arguments that make no sense; `problem` says why. */
  | { readonly command: 'misuse'; readonly problem: string };

type CheckName = 'check-config' | 'check-model' | 'drill';

export type AnalyzeFormat = 'text' | 'json' | 'markdown';

const usage = [
  'Usage: node dist/main.js                  run the service until it is stopped',
  '       node dist/main.js analyze --now [URL]     report on each alert that fires at this moment',
  '                                          at that Alertmanager or Prometheus',
  '       node dist/main.js analyze FILE|-   report on each alert of a notification (- is stdin)',
  '           [--json | --markdown]          in another format than text',
  '           [--record OUT]                 and save the answers of the sources in OUT',
  '       node dist/main.js analyze --replay FILE   repeat a recording without asking the sources',
  '           [--json | --markdown]          and list what differs; exit code 1 if anything does',
  '       node dist/main.js check-model      send the model test requests and say what works',
  '       node dist/main.js drill            send the service a test alert and say what works',
  '       node dist/main.js --check-config   check the environment variables and exit',
  '       node dist/main.js --help           show this text',
  '       node dist/main.js --version        show the version',
].join('\n');

/** `argv` comes without the program. `--help` and `--version` win over all other arguments. */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  if (argv.includes('--help') || argv.includes('-h')) return { command: 'help' };
  if (argv.includes('--version')) return { command: 'version' };
  const [first, ...rest] = argv;
  if (first === undefined) return { command: 'serve' };
  try {
    if (first === 'analyze') return parseAnalyze(rest);
  } catch (error) {
    return misuse((error as Error).message);
  }
  const command = checks.get(first);
  if (command === undefined) return unknown(first);
  const [surplus] = rest;
  return surplus === undefined ? { command } : unknown(surplus);
}

export function misuseText(problem: string): string {
  return `${problem}\n\n${usage}\n`;
}

/** Usage and every variable, at most 100 columns wide. */
export function helpText(variables: readonly Variable[]): string {
  const groups = [...new Set(variables.map(({ group }) => group))];
  const sections = groups.map((title) => {
    const members = variables.filter(({ group }) => group === title);
    return `${title}:\n${members.map(variableText).join('\n')}`;
  });
  return `${[usage, wrap(introduction, '').join('\n'), ...sections].join('\n\n')}\n`;
}

const introduction =
  'Settings are environment variables. Those marked with * are secrets: instead of NAME, you can ' +
  'set NAME_FILE to a file that holds the value.';

const checks: ReadonlyMap<string, CheckName> = new Map([
  ['--check-config', 'check-config'], ['check-model', 'check-model'], ['drill', 'drill'],
]);

const nameWidth = 33;
const widthMax = 100;

/** Throws an Error, for people, when an option is unknown or its value is missing. */
function parseAnalyze(args: readonly string[]): CommandLine {
  const { values, positionals: [file, surplus] } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'boolean' }, markdown: { type: 'boolean' },
      record: { type: 'string' }, replay: { type: 'string' }, now: { type: 'boolean' },
    },
  });
  const { json, markdown, record = null, replay, now } = values;
  if (json && markdown) return misuse('--json and --markdown exclude each other');
  const format = json ? 'json' : markdown ? 'markdown' : 'text';
  if (replay !== undefined) {
    if (record !== null) return misuse('--record and --replay exclude each other');
    if (now) return misuse('--now and --replay exclude each other');
    if (file !== undefined) return unknown(file);
    return { command: 'replay', file: replay, format };
  }
  if (surplus !== undefined) return unknown(surplus);
  if (now) return { command: 'analyze-now', url: file ?? null, format, record };
  if (!file) return misuse('analyze needs a file, - for standard input, or --now');
  return { command: 'analyze', file, format, record };
}

function unknown(argument: string): CommandLine {
  return misuse(`Unknown argument: ${JSON.stringify(argument.slice(0, 100))}`);
}

function misuse(problem: string): CommandLine {
  return { command: 'misuse', problem };
}

function variableText({ name, help, fallback, isSecret }: Variable): string {
  const head = `  ${name}${isSecret ? ' *' : ''}`;
  const text = fallback === 'unset' ? help : `${help} Default: ${fallback}.`;
  const lines = wrap(text, ' '.repeat(nameWidth));
  return `${head.padEnd(nameWidth)}${lines.join('\n').trimStart()}`;
}

function wrap(text: string, indent: string): readonly string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(' ')) {
    if (line.length + word.length > widthMax) {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
