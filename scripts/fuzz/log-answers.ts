import assert from 'node:assert/strict';
import { Ledger } from '../../src/evidence/ledger.ts';
import { askLogs, type LogAnswers } from '../../src/evidence/logs/ask-logs.ts';
import { collectLogs } from '../../src/evidence/logs/collect-logs.ts';
import { createLoki, lokiIdentity } from '../../src/sources/loki.ts';
import type { LinesAnswer } from '../../src/sources/loki-answers.ts';
import type { AskableSource, SourceRequest } from '../../src/sources/source-client.ts';
import { faultOfError, SourceFailure } from '../../src/sources/source-failure.ts';
import { compareLogs } from '../../src/statistics/logs/compare-logs.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { anAlert } from '../../test/support/samples/alerts.ts';
import { aCaseFile } from '../../test/support/samples/case-files.ts';
import { cartLabels, firedAt, minute } from '../../test/support/samples/shop-logs.ts';
import type { Chance } from './chance.ts';
import { mutatedJson } from './mutate-json.ts';
import { mutateText } from './mutate-text.ts';
import type { Target } from './target.ts';

const secret = 'hunter2Secret99';
const named = ` password="${secret}"`;
const lines: readonly string[] = [
  'level=error msg="cannot load cart 17" err="FATAL: remaining connection slots are reserved"',
  '{"level":"error","ts":1.7e9,"msg":"no answer","err":{"message":"timed out","code":504}}',
  '2026-11-20 10:00:00,123 ERROR [main] c.e.Cart : failed\njava.lang.X: no\n\tat a.B(C.java:1)',
  'Traceback (most recent call last):\n  File "a.py", line 1, in f\nValueError: not a number',
  '10.0.0.7 - - [20/Nov/2026:10:00:00 +0000] "GET /cart?x=1 HTTP/1.1" 502 13 "-" "curl/8"',
  'E1120 10:00:00.000001 1 x.go:1] "cannot sync" err="refused" pod="shop/cart"',
  'Nov 20 10:00:00 db-1 postgres[17]: [3-1] FATAL:  no pg_hba.conf entry for host "10.0.0.7"',
];

/** Loki's answers about an alert: the evidence made of them is bounded and free of secrets. */
export const logAnswers: Target = {
  name: 'log-answer',
  async run(chance) {
    const labels = Object.fromEntries(Object.entries({ ...cartLabels, job: 'shop/cart' })
      .map(([name, value]) => [name, chance.oneIn(3) ? mutateText(value, chance) : value]));
    const answers = await answersTo(labels, chance);
    const ledger = new Ledger();
    collectLogs(answers, { ledger, now: firedAt, queries: 5, secrets: [] });
    // Mutated bytes may have destroyed the name by which a secret is recognised.
    const isNamed = linesOf(answers).every(({ text }) => {
      return !text.replaceAll(named, '').includes(secret);
    });
    if (isNamed) assert.ok(!JSON.stringify(ledger.items).includes(secret));
    for (const query of ledger.items.flatMap((item) => item.query ?? [])) checkQuery(query);
    checkChanges(answers);
  },
};

function answersTo(labels: Readonly<Record<string, string>>, chance: Chance): Promise<LogAnswers> {
  const rarity = 20 + chance.below(300);
  const source: AskableSource = {
    timeoutMs: 5_000,
    identity: lokiIdentity,
    async ask(request, read) {
      const data = dataFor(request, labels, chance);
      const body = mutatedJson({ status: 'success', data }, chance, rarity);
      try {
        return read(body);
      } catch (error) {
        throw new SourceFailure(lokiIdentity, faultOfError(error));
      }
    },
  };
  const alert = anAlert({ labels, startsAt: new Date(firedAt).toISOString() });
  return askLogs(aCaseFile({ alert }), firedAt, {
    clock: new ManualClock(firedAt), signal: new AbortController().signal, deadlineMs: 2_500,
    open: () => createLoki(source),
  });
}

function dataFor(
  { path, parameters = [] }: SourceRequest,
  labels: Readonly<Record<string, string>>,
  chance: Chance,
): unknown {
  if (path.endsWith('/series')) return [labels, cartLabels, { app: 'cart' }];
  const asked = new Map(parameters);
  if (!asked.has('direction')) {
    const values = Array.from({ length: 40 }, (_, at) => [firedAt / 1000 - at * 60, `${at}`]);
    return { resultType: 'matrix', result: [{ metric: {}, values }] };
  }
  const end = Number(asked.get('end')?.slice(0, -6));
  const values = Array.from({ length: 12 }, (_, index) => {
    const line = chance.pick(lines);
    const text = chance.oneIn(2) ? line : mutateText(line, chance);
    return [`${end - index * minute}000000`, text + named];
  });
  return { resultType: 'streams', result: [{ stream: labels, values }] };
}

const selectorForm = '\\{(?:\\w+=~?"",?)+\\}';
const queryForm = new RegExp(
  `^(?:${selectorForm} \\|~ ""|sum\\(count_over_time\\(${selectorForm}\\[1m\\]\\)\\))$`,
);

/** Whatever the labels contain, the query has the expected form once quoted values are removed. */
function checkQuery(query: string): void {
  if (query.endsWith('…')) return; // Cut.
  const outside = query.replace(/"(?:[^"\\]|\\.)*"/gs, '""');
  assert.match(outside, queryForm);
  assert.doesNotMatch(query, /[\0-\x1f\x7f]/);
}

function linesOf({ read }: LogAnswers): LinesAnswer['lines'] {
  const trouble = read?.trouble ?? null;
  return trouble === null ? [] : [...trouble.before.lines, ...trouble.after.lines];
}

/** The comparison of log lines is bounded, plain text, and independent of the order of lines. */
function checkChanges(answers: LogAnswers): void {
  const { fromMs, splitMs, toMs } = answers.window;
  const lines = linesOf(answers);
  const compared = (told: typeof lines): ReturnType<typeof compareLogs> => compareLogs(
    { lines: told.filter(({ atMs }) => atMs < splitMs), fromMs, toMs: splitMs },
    { lines: told.filter(({ atMs }) => atMs >= splitMs), fromMs: splitMs, toMs },
  );
  const changes = compared(lines);
  assert.deepEqual(compared(lines.toReversed()), changes);
  assert.ok(changes.reduce((sum, { before, after }) => sum + before + after, 0) <= lines.length);
  for (const { pattern, example } of changes) {
    assert.ok(example.length <= 500);
    assert.doesNotMatch(pattern + example, /\p{C}/u);
  }
}
