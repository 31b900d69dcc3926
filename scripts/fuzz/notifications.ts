import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFingerprint } from '../../src/alert/fingerprint.ts';
import { parseNotification, type Notification } from '../../src/alert/notification.ts';
import { HttpError } from '../../src/http/http-errors.ts';
import { parseJson, textIn } from '../../src/http/routes/json-body.ts';
import { FormatError } from '../../src/lib/parse.ts';
import { renderReportPage } from '../../src/report/pages/render-report-page.ts';
import { renderMarkdown } from '../../src/report/text/render-markdown.ts';
import { renderText } from '../../src/report/text/render-text.ts';
import { assertCompleteReport } from '../../test/support/complete-report.ts';
import { assertOnlyOwnMarkup } from '../../test/support/own-markup.ts';
import { aCaseFile, caseNow, investigated } from '../../test/support/samples/case-files.ts';
import type { Chance } from './chance.ts';
import { splice } from './mutate-bytes.ts';
import { mutatedJson } from './mutate-json.ts';
import { orDeclared, type Target } from './target.ts';

const folder = join(process.cwd(), 'test/fixtures/payloads');
const payloads: readonly unknown[] = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => /^(?:alertmanager|prometheus)-.*\.json$/u.test(file))
  .sort()
  .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as unknown);

function mutatedBody(chance: Chance): Buffer {
  const body = mutatedJson(chance.pick(payloads), chance, 10 + chance.below(60));
  return chance.oneIn(20) ? splice(body, mutatedJson(chance.pick(payloads), chance), chance) : body;
}

function readBody(body: Buffer): Notification | null {
  const parse = (): unknown => parseJson(textIn(body, 'invalidAlertFormat'), 'invalidAlertFormat');
  const read = orDeclared(() => parseNotification(parse(), caseNow), isDeclared);
  return read?.value ?? null;
}

function isDeclared(error: unknown): boolean {
  return error instanceof FormatError || (error instanceof HttpError && error.status === 400);
}

/** The webhook's body: parsed or refused, and what was parsed gives the same when parsed again. */
export const notifications: Target = {
  name: 'notification',
  run(chance) {
    const read = readBody(mutatedBody(chance));
    if (read === null) return;
    const { group, alerts, rejected } = read;
    assert.equal(group.listed, alerts.length + rejected.length);
    assert.ok(group.truncated >= 0);
    for (const { fingerprint } of alerts) {
      assert.ok(isFingerprint(fingerprint));
      assert.equal(decodeURIComponent(encodeURIComponent(fingerprint)), fingerprint);
    }
    const again = readBody(Buffer.from(JSON.stringify({ alerts })));
    assert.deepEqual(again?.alerts.map(withoutValues), alerts.map(withoutValues));
    assert.equal(JSON.stringify(parseNotification({ alerts: [] }, 0).alerts), '[]');
  },
};

/** Values arrive as numbers and are kept as text, so they cannot be parsed again. */
function withoutValues(alert: Notification['alerts'][number]): object {
  return { ...alert, values: {} };
}

/** The report on a mutated alert: complete, and harmless in every format. */
export const reports: Target = {
  name: 'report',
  async run(chance) {
    const read = readBody(mutatedBody(chance));
    const alert = read?.alerts[chance.below(read.alerts.length)];
    if (read === null || alert === undefined) return;
    const report = await investigated(aCaseFile({ alert, group: read.group }), caseNow);
    assertCompleteReport(report);
    assert.deepEqual(JSON.parse(JSON.stringify(report)), report);
    assertOnlyOwnMarkup(renderReportPage(report, {
      now: caseNow, revision: 'a', script: '', feedbackBy: 'form',
    }));
    for (const text of [renderMarkdown(report), renderText(report, { color: false, width: 80 })]) {
      assert.doesNotMatch(text, /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]|\p{Surrogate}/u);
    }
  },
};
