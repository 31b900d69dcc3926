import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  narrateReport, type ModelMemory, type NarratingContext,
} from '../../src/analysis/narrate-report.ts';
import type { Report } from '../../src/report/report.ts';
import { aCaseFile } from '../support/case-files.ts';
import { fakeKey, startFakeModel, type FakeModel } from '../support/fake-model/fake-model.ts';
import type { Script } from '../support/fake-model/heard.ts';
import { isLast } from '../support/fake-model/scripted-models.ts';
import { habits } from '../support/fake-model/servers.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { sampleReport } from '../support/sample-report.ts';
import { anAnswer } from '../support/scripted-model.ts';

const answering: Script = (heard) => {
  return isLast(heard) ? { text: JSON.stringify(anAnswer()) } : { text: 'Enough.' };
};

function narrateWith(
  fake: FakeModel,
  over: Partial<NarratingContext> = {},
  report: Report = sampleReport(),
): Promise<Report> {
  const access = {
    provider: 'openai-chat' as const, url: fake.url, name: 'fake-1', apiKey: fakeKey,
  };
  return narrateReport({
    caseFile: aCaseFile(), report: JSON.stringify(report),
    grant: { rounds: 1, tokens: 120_000, deadlineMs: 60_000, prices: null },
  }, {
    clock: new ManualClock(), random: () => 0, prometheus: null, memory: { learned: {} },
    model: { access, secrets: [] },
    permits: { ask: () => Promise.resolve('granted'), settle: () => {} },
    signal: new AbortController().signal, onAsked: () => {}, onToolUsed: () => {},
    onStep: () => {}, ...over,
  });
}

test('narrateReport learns the habits of a server once for all that share a memory', async (t) => {
  const fake = await startFakeModel(t, answering, { habits: [habits['no schemas']] });
  const memory: ModelMemory = { learned: {} };
  await narrateWith(fake, { memory });
  const { length } = fake.refusals;
  assert.ok(length > 0);
  assert.notDeepEqual(memory.learned, {});
  await narrateWith(fake, { memory });
  assert.equal(fake.refusals.length, length);
  await narrateWith(fake);
  assert.equal(fake.refusals.length, 2 * length);
});
