import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureNotification, serveFailure } from '../../scripts/demo/recorded-failure.ts';
import { parseNotification } from '../../src/alert/notification.ts';
import { investigate } from '../../src/analysis/investigate.ts';
import type { Report } from '../../src/report/report.ts';
import { eventually, startProgram } from '../support/programs/programs.ts';
import { patientClock, sourcesAt } from '../support/recorded-run.ts';
import { aCaseFile } from '../support/samples/case-files.ts';

test('npm run demo prints the address of a report, and ends when it is stopped', async (t) => {
  const script = new URL('../../scripts/demo.js', import.meta.url).pathname;
  const demo = startProgram(process.execPath, [script]);
  t.after(() => demo.stop());
  const address = /http:\/\/127\.0\.0\.1:\d+\/report\/\w+$/m;
  const url = await eventually('the address', () => address.exec(demo.output())?.[0] ?? null, {
    program: demo,
  });
  const report = (await (await fetch(`${url}.json`)).json()) as Report;
  assert.deepEqual([report.status, report.alert.labels['service']], ['ready', 'PetSite']);
  await demo.stop('SIGINT');
  assert.equal(demo.exitCode(), 0, demo.output());
});

// A recorded value is scraped for five minutes: the demo may be started at any moment of these.
for (const second of [0, 299]) {
  test(`the failure of the demo is explained at second ${second}`, async (t) => {
    const now = Date.parse('2026-11-20T10:00:00Z') + second * 1000;
    const clock = { ...patientClock, now: () => now };
    const { alert, url, endsAt } = await serveFailure(t, now);
    assert.ok(endsAt - now >= 5 * 60_000, 'the alert goes on for a while');
    const posted = parseNotification(failureNotification(alert, 'http://prometheus'), now);
    assert.ok(posted.alerts[0]);
    const receivedAt = new Date(now).toISOString();
    const caseFile = aCaseFile({ alert: posted.alerts[0], receivedAt });
    const { verdict, changes, provenance, reality } = (await investigate(caseFile, {
      clock, sources: await sourcesAt(url, 60_000, clock), version: '1',
      signal: new AbortController().signal, onProgress: () => {},
    })).report;
    assert.deepEqual(
      [verdict.classification, verdict.certainty, reality.threshold],
      ['actionable', 'likely', 0.1202],
    );
    assert.equal(changes[0]?.component?.value, 'PetSearch_AWS::ECS::Fargate');
    assert.ok(verdict.most_likely?.includes('PetSearch_AWS::ECS::Fargate'));
    assert.deepEqual(provenance.checks.filter(({ state }) => state === 'failed'), []);
  });
}
