import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FormatError } from '../../src/lib/parse.ts';
import { createAlertmanager } from '../../src/sources/alertmanager.ts';
import { JsonReader } from '../../src/sources/json-reader.ts';
import {
  readInstant, readRange, readSeriesList,
} from '../../src/sources/prometheus-answers.ts';
import { configBytesWanted, readExternalLabels } from '../../src/sources/prometheus-config.ts';
import { readRules } from '../../src/sources/prometheus-rules.ts';
import { readFailedScrapes } from '../../src/sources/prometheus-targets.ts';
import { selector } from '../../src/sources/promql-text.ts';
import type { AskableSource } from '../../src/sources/source-client.ts';
import type { Chance } from './chance.ts';
import { mutatedJson } from './mutate-json.ts';
import { hostileText, mutateText } from './mutate-text.ts';
import { orDeclared, type Target } from './target.ts';

const folder = join(process.cwd(), 'test/fixtures/api');
const answers: ReadonlyMap<string, unknown> = new Map(readdirSync(folder).sort().map((name) =>
  [name, JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown] as const));

const grid = { startMs: 1_700_000_000_000, stepMs: 15_000, count: 50 };
const bounds = { seriesMax: 20, pointsMax: 1000 };

const readers: readonly ((body: Buffer) => unknown)[] = [
  (body) => {
    const { samples, omitted } = readInstant(body, 20);
    assert.ok(samples.length <= 20 && omitted >= 0);
  },
  (body) => {
    const { series } = readRange(body, grid, bounds);
    assert.ok(series.length <= 20);
    for (const { values } of series) {
      assert.ok(values.every((value) => Number.isFinite(value) || Number.isNaN(value)));
    }
  },
  (body) => assert.ok(readSeriesList(body, 20).series.length <= 20),
  (body) => assert.ok(readRules(body, 'HighErrorRate', 5).length <= 5),
  (body) => assert.ok(Object.keys(readExternalLabels(body)).length < configBytesWanted),
  (body) => {
    const failed = readFailedScrapes(body, 5);
    assert.ok(failed.length <= 5 && failed.every(({ error }) => error !== ''));
  },
];

/** The answer of a source: parsed within bounds, or refused with one of two errors. */
export const sourceAnswers: Target = {
  name: 'source-answer',
  async run(chance) {
    const body = mutatedJson(chance.pick([...answers.values()]), chance, 20 + chance.below(200));
    for (const read of readers) orDeclared(() => read(body), isDeclared);
    await readFromAlertmanager(body, chance);
    const whole = parsed(body);
    if (whole !== null) assert.deepEqual(new JsonReader(body).value(), whole.value);
    checkSelector(chance);
  },
};

function isDeclared(error: unknown): boolean {
  return error instanceof FormatError || error instanceof SyntaxError;
}

function parsed(body: Buffer): { value: unknown } | null {
  try {
    return { value: JSON.parse(body.toString()) as unknown };
  } catch {
    return null;
  }
}

async function readFromAlertmanager(body: Buffer, chance: Chance): Promise<void> {
  const client: AskableSource = {
    ask: (_question, read) => Promise.resolve(read(body)),
  } as AskableSource;
  const { alerts, groups, silence } = createAlertmanager(client);
  const questions = [() => alerts([]), () => groups('team', []), () => silence('a')];
  try {
    await chance.pick<() => Promise<unknown>>(questions)();
  } catch (error) {
    if (!isDeclared(error)) throw error;
  }
}

/** A selector made of hostile labels contains nothing but their matchers. */
function checkSelector(chance: Chance): void {
  const text = (): string => mutateText(hostileText(chance), chance);
  const matchers = [
    { name: chance.oneIn(2) ? 'pod' : text(), op: '=' as const, value: text() },
    { name: 'job', op: '=' as const, value: text() },
  ];
  const query = selector(chance.oneIn(2) ? 'up' : text(), matchers);
  if (query === null) return;
  const outside = query.replace(/"(?:[^"\\]|\\.)*"/gs, '""');
  assert.match(outside, /^[a-zA-Z_:][\w:]*$|^(?:[a-zA-Z_:][\w:]*)?\{(?:\w+=""(?:,|(?=\}$)))+\}$/);
  assert.doesNotMatch(query, /[\0-\x1f\x7f]/);
}
