/**
 * Checks on the code itself: which folder may import which, which APIs are used only at the edges,
 * and how long files, functions and lines may be. One file instead of a linter, which would be a
 * dependency.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const root = process.cwd();

const map = readFileSync(join(root, 'src', 'README.md'), 'utf8');
/** The folders of the map, each with those that it may import besides itself. */
const mayImport = new Map(Array.from(map.matchAll(/^\| `(.+)\/` \|.*\|(.*)\|$/gm),
  ([, folder = '', others = '']) => [folder, others.trim().split(', ')]));

interface Misplaced {
  readonly pattern: RegExp;
  readonly files: readonly string[];
  readonly instead: string;
}

const onlyIn: readonly Misplaced[] = [
  {
    pattern: /\bDate\.now\(|\bnew Date\(\)|\bset(Timeout|Interval)\(|\bperformance\.now\(/,
    files: ['lib/clock.ts'],
    instead: 'the injected Clock',
  },
  { pattern: /\bMath\.random\(/, files: ['lib/random.ts'], instead: 'randomness handed in' },
  { pattern: /\bprocess\.env\b/, files: ['main.ts', 'app/outputs.ts'], instead: 'Settings' },
  { pattern: /\bconsole\./, files: [], instead: 'the Logger' },
  {
    pattern: /(?<![.\w])fetch\(/,
    files: ['lib/fetch-transport.ts'],
    instead: 'the transport, as errors inside `fetch` may end the process',
  },
  {
    pattern: /from 'node:child_process'/,
    files: ['lib/flock.ts', 'app/systemd.ts'],
    instead: 'a thread: a child process may do whatever the service may',
  },
  {
    pattern: /from 'node:worker_threads'/,
    files: [
      'analysis/threads/spawn-worker.ts', 'analysis/threads/thread-work.ts',
      'analysis/threads/worker-thread.ts', 'analysis/threads/worker.ts', 'app/watchdog-thread.ts',
    ],
    instead: 'the worker pool',
  },
  {
    pattern: /^import (?!type ).* from 'node:https?'/m,
    files: ['http/server/server.ts', 'http/server/connection-refusal.ts', 'lib/http-request.ts'],
    instead: 'the server, or a transport',
  },
  {
    pattern: /from 'node:fs(\/promises)?'/,
    files: [
      'lib/file-system.ts', 'lib/flock.ts', 'lib/thread-priority.ts', 'config/secret-format.ts',
      'config/secret.ts', 'config/certificates.ts', 'config/in-cluster.ts', 'config/machine.ts',
      'telemetry/process-metrics.ts', 'app/outputs.ts', 'app/page-script.ts', 'app/service.ts',
      'app/version.ts', 'app/watchdog-thread.ts', 'commands/analyze.ts', 'commands/read-input.ts',
      'commands/serve.ts',
    ],
    instead: 'the FileSystem',
  },
  {
    pattern: /\bas any\b|: any\b|<any>|@ts-(ignore|expect-error|nocheck)|\bas unknown as\b/,
    files: [],
    instead: 'a parser or a narrower type',
  },
  { pattern: /\bTODO\b|\bFIXME\b|\bHACK\b|\bXXX\b/, files: [], instead: 'finished work' },
];

/** For browser scripts, which may use timers and fetch but no modules. */
const misplacedInBrowser: readonly Misplaced[] = [
  { pattern: /^\s*(import|export)\b|\bimport\(/m, files: [], instead: 'a function of a name' },
  {
    pattern: /\b(inner|outer)HTML\s*\+?=(?!=)|\binsertAdjacentHTML\b|\bdocument\.write|\beval\(/,
    files: [],
    instead: 'nodes and textContent',
  },
  { pattern: /\bconsole\./, files: [], instead: 'a line on the page' },
  ...onlyIn.slice(-2),
];

const linesMax = 400;
const functionLinesMax = 70;
const widthMax = 100;

interface Source {
  readonly name: string;
  readonly text: string;
}

function sourcesIn(folder: string): Source[] {
  const directory = join(root, folder);
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|mjs|cjs)$/.test(name))
    .map((name) => ({ name, text: readFileSync(join(directory, name), 'utf8') }));
}

const sources = sourcesIn('src');

test('the tidy test finds the sources', () => {
  assert.ok(sources.some(({ name }) => name === 'main.ts'));
  assert.ok(sources.length > 50);
});

for (const { name, text } of sources) {
  test(`src/${name} is tidy`, () => {
    const problems = [
      ...importProblems(name, text), ...misplaced(name, text), ...sizeProblems(text),
      ...longFunctions(text.split('\n')), ...orderProblems(text), ...awaitProblems(text),
      ...commentProblems(text),
    ];
    assert.deepEqual(problems, []);
  });
}

for (const folder of ['test', 'scripts']) {
  for (const { name, text } of sourcesIn(folder)) {
    test(`${folder}/${name} is tidy`, () => {
      const problems = [
        ...sizeProblems(text), ...orderProblems(text), ...awaitProblems(text),
        ...commentProblems(text),
      ];
      assert.deepEqual(problems, []);
      assert.doesNotMatch(text, /\btest\.(only|skip|todo)\(|\b(only|skip|todo): true/);
    });
  }
}

test('every file in src is imported by another or is an entry point', () => {
  const begins = ['main.ts', 'analysis/threads/worker.ts', 'app/watchdog-thread.ts'];
  const imported = new Set([...begins, ...sources.map(({ name }) => name).filter(isForBrowser)]);
  for (const { name, text } of sources) {
    for (const target of importsOf(name, text)) imported.add(target);
  }
  assert.deepEqual(sources.map(({ name }) => name).filter((name) => !imported.has(name)), []);
});

test('every name that src exports is imported somewhere', () => {
  const imported = new Set<string>();
  for (const folder of ['src', 'test', 'scripts']) {
    for (const { name, text } of sourcesIn(folder)) {
      for (const each of namesImported(join(folder, name), text)) imported.add(each);
    }
  }
  const exports = /^export (?:async )?(?:function\*?|class|const|interface|type) (\w+)/gm;
  const exported = sources
    .filter(({ name }) => !imported.has(`src/${name} *`))
    .flatMap(({ name, text }) =>
      Array.from(text.matchAll(exports), ([, each]) => `src/${name} ${each}`));
  assert.ok(exported.length > 1000);
  assert.deepEqual(exported.filter((each) => !imported.has(each)), [], 'exported for nobody');
});

test('no name is exported twice in src', () => {
  const exports = /^export (?:async )?(?:function\*?|class|const|interface|type) (\w+)/gm;
  const files = new Map<string, Set<string>>();
  for (const { name, text } of sources) {
    for (const [, each = ''] of text.matchAll(exports)) {
      files.set(each, (files.get(each) ?? new Set()).add(name));
    }
  }
  assert.deepEqual([...files].filter(([, names]) => names.size > 1)
    .map(([each, names]) => `${each} means one thing in each of ${[...names].join(', ')}`), []);
});

test('no files import each other in a circle, types included', () => {
  const imports = new Map(sources.map(({ name, text }) => [name, [...importsOf(name, text)]]));
  assert.deepEqual(circlesIn(imports), []);
});

test('the main thread does not load at start what only workers or the model need', () => {
  const ofThreads = ['statistics', 'sources', 'recording', 'evidence', 'knowledge',
    'diagnosis', 'model'];
  const loaded = new Set<string>();
  const needless: string[] = [];
  const load = (name: string, by: string): void => {
    if (ofThreads.includes(name.split('/')[0] ?? '')) return void needless.push(`${by}: ${name}`);
    if (loaded.has(name)) return;
    loaded.add(name);
    const text = sources.find((source) => source.name === name)?.text ?? '';
    const statements = /^(?:import|export) (?!type\b)[^;]*?\bfrom '(\.[^']+)';/gm;
    for (const [, specifier = ''] of text.matchAll(statements)) {
      load(relative('/src', join('/src', dirname(name), specifier)), name);
    }
  };
  load('main.ts', '');
  load('app/service.ts', 'commands/serve.ts');
  assert.ok(loaded.has('queue/journal.ts'));
  assert.deepEqual(needless, [], 'these have to be imported as types, or with import()');
});

/** Files that read the words of programs, models and earlier versions; some of them are ours. */
const readingWords = [
  'report/earlier-wordings.ts', 'lib/why-not-json.ts', 'statistics/logs/log-message.ts',
  'evidence/kubernetes/last-words.ts', 'evidence/metrics/path/short-list.ts',
  'evidence/steering-text.ts', 'model/assertions/orders.ts',
  'diagnosis/causes/log-meanings.ts', 'diagnosis/causes/reason-causes.ts',
  'diagnosis/causes/scrape-error.ts', 'knowledge/knowledge-for.ts',
];

const quoted = /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`/g;
/** What a text is compared with: in quotes, or as a regular expression. */
const soughtFor = new RegExp([
  /(?:[!=]==|\b(?:starts|ends)With\(|\bincludes\(|\bindexOf\() *['`]([^'`\n]*)/.source,
  /(?:[=([,?|&]|\breturn) *(\/(?![/*]| )(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/)/.source,
].join('|'), 'g');

test('code decides nothing by sentences that it writes itself', () => {
  const texts = sources.map(({ name, text }) => (
    { name, code: text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '') }));
  const written = texts.flatMap(({ name, code }) => Array.from(code.matchAll(quoted),
    ({ index, 1: plain, 2: template = '' }) => ({ name, index, words: plain ?? template })));
  assert.ok(written.length > 3000);
  const found: string[] = [];
  for (const { name, code } of texts) {
    if (readingWords.includes(name)) continue;
    for (const { index, 0: whole, 1: text, 2: pattern = '' } of code.matchAll(soughtFor)) {
      for (const [words] of (text ?? pattern).matchAll(/[A-Za-z]+(?: [A-Za-z]+)+/g)) {
        const isOwn = written.some((each) => each.words.includes(words) &&
          (each.name !== name || Math.abs(each.index - index) > whole.length));
        if (isOwn) found.push(`${name} looks for “${words}”; use a kind or an id`);
      }
    }
  }
  assert.deepEqual(found, []);
});

test('the service depends on no package', () => {
  const manifest = readFileSync(join(root, 'package.json'), 'utf8');
  const { dependencies, devDependencies } = JSON.parse(manifest) as Record<string, object>;
  assert.equal(dependencies, undefined);
  assert.deepEqual(Object.keys(devDependencies ?? {}), ['@types/node', 'tsx', 'typescript']);
});

test('only main.ts lies beside the folders of src', () => {
  assert.deepEqual(sources.map(({ name }) => name).filter((name) => !name.includes('/')), [
    'main.ts',
  ]);
});

test('the map in src/README.md has a row for every folder and subfolder', () => {
  const above = (name: string): string => dirname(name).split('/').slice(0, 2).join('/');
  const folders = new Set(sources.map(({ name }) => above(name)).filter((name) => name !== '.'));
  assert.deepEqual(new Set(mayImport.keys()), folders);
});

test('every file that a README.md in src names exists', () => {
  const files = new Set([...sources.map(({ name }) => name), 'test/tidy.test.ts']);
  const readmes = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => basename(name) === 'README.md');
  const named = readmes.flatMap((readme) => {
    const text = readFileSync(join(root, 'src', readme), 'utf8');
    // The map names files by their whole path; the others may name those beside them.
    const pattern = readme === 'README.md' ? /`([\w/-]+\/[\w-]+\.ts)`/g : /`([\w/-]+\.ts)`/g;
    return Array.from(text.matchAll(pattern), ([, name = '']) => ({ readme, name }));
  });
  assert.ok(named.length > 100);
  const exists = ({ readme, name }: { readme: string; name: string }): boolean =>
    files.has(name) || files.has(join(dirname(readme), name)) || existsSync(join(root, name));
  assert.deepEqual(named.filter((each) => !exists(each)), []);
});

test('every link of a README.md leads to a file', () => {
  const readmes = ['README.md', ...['src', 'scripts', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => basename(name) === 'README.md').map((name) => join(folder, name)))];
  const broken = readmes.flatMap((readme) => {
    const text = readFileSync(join(root, readme), 'utf8');
    return Array.from(text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g), ([, to = '']) => to)
      .filter((to) => !existsSync(join(root, dirname(readme), to)))
      .map((to) => `${readme}: ${to}`);
  });
  assert.deepEqual(broken, []);
});

/** Such a file is not imported but compiled by itself and inlined into pages. */
function isForBrowser(name: string): boolean {
  return name.startsWith('browser/');
}

function* importsOf(name: string, text: string): Iterable<string> {
  for (const [, specifier = ''] of text.matchAll(/\b(?:from |import\()'(\.[^']+)'/g)) {
    yield relative('/src', join('/src', dirname(name), specifier));
  }
}

/** Each as the path of the file that it is imported from, a space, and the name, or * for all. */
function* namesImported(name: string, text: string): Iterable<string> {
  for (const [, specifier = ''] of text.matchAll(/\bimport\('(\.[^']+)'\)/g)) {
    yield `${join(dirname(name), specifier)} *`;
  }
  const statements = /\{([^{}]*)\} from '(\.[^']+)'/g;
  for (const [, names = '', specifier = ''] of text.matchAll(statements)) {
    const from = join(dirname(name), specifier);
    for (const [each] of names.matchAll(/(?<=^|,)\s*(?:type )?\w+/g)) {
      yield `${from} ${each.trim().replace(/^type /, '')}`;
    }
  }
}

/** One circle for each import that closes one, in a walk from every file along its imports. */
function circlesIn(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = [];
  const finished = new Set<string>();
  const walk = (name: string, path: readonly string[]): void => {
    if (path.includes(name)) circles.push([...path.slice(path.indexOf(name)), name].join(' -> '));
    else if (!finished.has(name)) {
      for (const target of imports.get(name) ?? []) walk(target, [...path, name]);
      finished.add(name);
    }
  };
  for (const name of imports.keys()) walk(name, []);
  return circles;
}

function* importProblems(name: string, text: string): Iterable<string> {
  for (const [, specifier = ''] of text.matchAll(/\bfrom '([^'.][^']*)'/g)) {
    if (!specifier.startsWith('node:')) yield `imports the package ${specifier}; there are none`;
  }
  const [folder = '', ...path] = name.split('/');
  if (path.length === 0) return; // main.ts may import anything.
  const allowed = mayImport.get(folder) ?? [];
  for (const target of importsOf(name, text)) {
    const [targetFolder = ''] = target.split('/');
    if (targetFolder === folder || allowed.includes(targetFolder)) continue;
    yield `${folder}/ may not import ${target}: see the map in src/README.md`;
  }
}

/** Imports stand in order: Node's modules, then the farthest folder first, each by its path. */
function* orderProblems(text: string): Iterable<string> {
  const specifiers = Array.from(
    text.matchAll(/^(?:import|\} from)\b[^;]*?'([^']+)';$/gm), ([, specifier = '']) => specifier);
  const keys = specifiers.map((specifier) => {
    const up = specifier.startsWith('node:') ? 99 : specifier.split('../').length - 1;
    const path = specifier.replace(/^(?:\.\.?\/)+/, '').replace(/\.\w+$/, '');
    return `${String(99 - up).padStart(2, '0')} ${path}`;
  });
  const wrong = keys.findIndex((key, index) => key < (keys[index - 1] ?? ''));
  if (wrong >= 0) yield `imports ${specifiers[wrong] ?? ''} after ${specifiers[wrong - 1] ?? ''}`;
}

/**
 * While a file waits at its top level, functions run that may use what it declares below, which has
 * no value yet. A declaration that waits itself comes before those that need its result.
 */
function* awaitProblems(text: string): Iterable<string> {
  const waits = /^(?:for await|(?:if \(.*\) )?(?:[\w.]+ = )?await)\b/m.exec(text);
  if (waits === null) return;
  const declared = /^(?:export )?(?:const|let|class) (\w+|[[{])/gm;
  for (const [, name = ''] of text.slice(waits.index).matchAll(declared)) {
    yield `declares ${name} below an await of the file itself`;
  }
}

function* misplaced(name: string, text: string): Iterable<string> {
  const code = text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '');
  const rules = isForBrowser(name) ? misplacedInBrowser : onlyIn;
  for (const { pattern, files, instead } of rules) {
    const found = files.includes(name) ? null : code.match(pattern);
    if (found) yield `uses ${found[0]}; use ${instead}`;
  }
}

function* sizeProblems(text: string): Iterable<string> {
  const lines = text.split('\n');
  if (lines.length > linesMax + 1) yield `has ${lines.length - 1} lines, more than ${linesMax}`;
  for (const [index, line] of lines.entries()) {
    if (line.length > widthMax) yield `line ${index + 1} is ${line.length} wide`;
  }
  if (!/[^\n]\n$/.test(text)) yield 'does not end with one newline';
}

/** A comment begins with its subject: "The unit of a mean", and not "Of a mean: its unit". */
function* commentProblems(text: string): Iterable<string> {
  for (const [opening] of text.matchAll(/(?:\/\*\*|^\s*\*|\/\/)(?:.*\.)? Of .{0,30}/gm)) {
    yield `a comment begins with “${opening.trim()}”, and not with its subject`;
  }
}

/** Goes by indentation: a function ends at the first closing brace as deep as its first line. */
function* longFunctions(lines: readonly string[]): Iterable<string> {
  const begins =
    /^( *)(?:export )?(?:static )?(?:async )?(?:function\*? (\w+)|\*?(#?\w+)\().*(?<!;)$/;
  for (const [index, line] of lines.entries()) {
    const [, indent, ...names] = begins.exec(line) ?? [];
    const name = names.find((each) => each !== undefined);
    if (indent === undefined || indent.length > 2 || name === undefined) continue;
    if (/^(if|for|while|switch|return|test|catch)$/.test(name)) continue;
    const length = lines.slice(index).findIndex((each) => each === `${indent}}`);
    if (length > functionLinesMax) yield `${name}() has ${length} lines at line ${index + 1}`;
  }
}
