import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NarrationPorts } from '../../../src/analysis/dispatch/dispatch.ts';
import type { Outcome } from '../../../src/analysis/threads/worker-thread.ts';
import type { Narrative, Report } from '../../../src/report/report.ts';
import { done, setUpDispatch, type DispatchSetup } from '../../support/dispatch-setup.ts';
import { aCaseFile, investigated } from '../../support/samples/case-files.ts';

const pending: Narrative = { state: 'absent', reason: 'pending', detail: 'Not yet.' };

function narrationsWith(over: Partial<NarrationPorts> = {}): NarrationPorts {
  return { comingFor: () => pending, freshMs: 1, add() {}, analysed() {}, newsOf() {}, ...over };
}

async function analysed(
  s: DispatchSetup, kind: 'opened' | 'refreshed', outcome = done,
): Promise<string[]> {
  s.calls.length = 0;
  s.tell('a', kind);
  await s.clock.advance(0);
  await s.end(outcome);
  return [...s.calls];
}

test('Dispatch reads the report that is replaced, if any of it may be kept', async () => {
  assert.ok(done.kind === 'done');
  const { report } = done;
  const unknown = { ...report.conclusion, certainty: 'inconclusive' } as const;
  const nothing: Outcome = { kind: 'done', report: { ...report, conclusion: unknown } };
  const callsOf = async (s: DispatchSetup, outcome: Outcome): Promise<string[][]> =>
    [await analysed(s, 'opened', outcome), await analysed(s, 'refreshed', outcome)];
  const first = ['attempt', 'run', 'write'];
  const reading = [first, ['attempt', 'read', 'run', 'write']];
  assert.deepEqual(await callsOf(setUpDispatch(), nothing), [first, first]);
  const withModel = setUpDispatch({ narrations: narrationsWith() });
  assert.deepEqual(await callsOf(withModel, nothing), reading, 'a model');
  assert.deepEqual(await callsOf(setUpDispatch(), done), reading, 'a possible cause');
});

test('Dispatch tells a thread which report it replaces, if that can be read', async () => {
  for (const readsFail of [false, true]) {
    const s = setUpDispatch({ narrations: narrationsWith() });
    await analysed(s, 'opened');
    s.disk.readsFail = readsFail;
    s.tell('a', 'refreshed');
    await s.clock.advance(0);
    const expected = [null, readsFail ? null : '{"by":"worker"}'];
    assert.deepEqual(s.previous, expected);
  }
});

test('Dispatch has a report narrated once it is stored, and not before', async () => {
  const storedWhenAdded: boolean[] = [];
  const s = setUpDispatch({
    narrations: narrationsWith({ add: () => storedWhenAdded.push(s.reports.has('a/1')) }),
  });
  await analysed(s, 'opened');
  assert.deepEqual(storedWhenAdded, [true]);
});

/** Holds a whole report, and is worth another recheck at the time given. */
async function wholeUntil(recheckAt: number | null): Promise<Outcome> {
  assert.ok(done.kind === 'done');
  const json = JSON.stringify(await investigated(aCaseFile()));
  return { kind: 'done', report: { ...done.report, json, recheckAt } };
}

/** What Dispatch tells of ends of analyses, in order. */
function toldOf(told: string[]): NarrationPorts {
  return narrationsWith({ add: () => told.push('add'), analysed: () => told.push('analysed') });
}

test('Dispatch tells of the end of a recheck that has replaced no report', async () => {
  const told: string[] = [];
  const s = setUpDispatch({ narrations: toldOf(told) });
  s.tell('a');
  await s.clock.advance(0);
  await s.end(await wholeUntil(s.clock.now() + 600_000));
  await s.clock.advance(600_000);
  await s.end({ kind: 'died', reason: 'memory' });
  assert.deepEqual(told, ['add', 'analysed']);
});

/** Why the report of a failure has no narrative. */
async function absenceAfterFailure(narrations: NarrationPorts | null): Promise<string> {
  const s = setUpDispatch({ narrations });
  s.tell('a');
  await s.clock.advance(0);
  await s.end({ kind: 'failed', message: 'x', isDeadline: false });
  const { narrative } = JSON.parse(s.reports.get('a/1') ?? 'null') as Report;
  return narrative.state === 'absent' ? narrative.detail : '';
}

test('Dispatch says in the report of a failure that the model was not asked', async () => {
  assert.match(await absenceAfterFailure(narrationsWith()), /model was not asked/);
  assert.match(await absenceAfterFailure(null), /No language model is configured/);
});

test('Dispatch has a report narrated if news failed to replace it', async () => {
  const told: string[] = [];
  const s = setUpDispatch({ narrations: toldOf(told) });
  s.tell('a');
  await s.clock.advance(0);
  s.tell('a', 'refreshed');
  await s.end(await wholeUntil(null));
  assert.deepEqual(told, []);
  await s.end({ kind: 'failed', message: 'x', isDeadline: false });
  assert.deepEqual(told, ['add']);
});
