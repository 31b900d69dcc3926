import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conclusionOf } from '../../src/episodes/conclusion.ts';
import { recordKinds } from '../../src/episodes/episode-journal.ts';
import { sampleReport } from '../support/samples/sample-report.ts';

const report = sampleReport();
const outcome = {
  fingerprint: 'abc', number: 1, state: 'reported', revision: 1,
} as const;

test('conclusionOf() has the place, and the cause and the first step, shortened', () => {
  const { place, cause, firstStep, thing } = conclusionOf(report);
  assert.equal(place, 'checkout in payments, eu1');
  const { place: _, ...verdict } = report.verdict;
  assert.equal(conclusionOf({ ...report, verdict }).place, place, 'of an old report');
  const other = { ...verdict, place: 'idx-broker' };
  assert.equal(conclusionOf({ ...report, verdict: other }).place, 'idx-broker');
  assert.equal(cause, report.verdict.most_likely);
  assert.equal(firstStep, report.next_steps[0]?.action);
  const long = { ...report.verdict, most_likely: 'x'.repeat(5000), do_first: 'y'.repeat(5000) };
  const shortened = conclusionOf({ ...report, verdict: long });
  assert.deepEqual([shortened.cause?.length, shortened.firstStep?.length], [200, 200]);
  const none = { ...report.verdict, most_likely: null, do_first: null };
  assert.deepEqual(conclusionOf({ ...report, verdict: none, next_steps: [] }), {
    classification: none.classification, certainty: none.certainty, headline: none.headline,
    gist: report.verdict.gist,
    place, cause: null, firstStep: null, found: conclusionOf(report).found, thing,
  });
});

test('conclusionOf() has no first step where there is nothing to do', () => {
  for (const classification of ['recovered', 'informational'] as const) {
    const verdict = { ...report.verdict, classification, do_first: 'Nothing now.' };
    assert.equal(conclusionOf({ ...report, verdict }).firstStep, null);
  }
});

test('conclusionOf() has no first step where that leads to another report', () => {
  const { first_step: _, ...verdict } = report.verdict;
  const elsewhere = { ...report, verdict: { ...verdict, do_first: 'Read the report of A.' } };
  assert.equal(conclusionOf(elsewhere).firstStep, null);
  const next_steps = report.next_steps.map(({ id: _id, ...step }) => step);
  assert.equal(conclusionOf({ ...elsewhere, next_steps }).firstStep, 'Read the report of A.',
    'the steps of old reports have no id');
});

test('the record of an outcome keeps them, and those of other versions are read', () => {
  const { gist, place, cause, firstStep, found, ...old } = conclusionOf(report);
  assert.ok(found);
  const read = (conclusion: object): unknown =>
    recordKinds.outcome.decode(Buffer.from(JSON.stringify({ ...outcome, conclusion }))).conclusion;
  const all = { ...old, gist, place, cause, firstStep, found };
  assert.deepEqual(read(all), conclusionOf(report));
  assert.deepEqual(read(old),
    { ...old, gist: undefined, place: '', cause: null, firstStep: null });
  assert.deepEqual(read({ ...all, later: 1 }), conclusionOf(report));
  const around = {
    beside: [{ job: 'geo' }], moment: '2026-01-02T03:04:05.000Z', isUnknown: true,
    isExplained: true, isSymptom: true,
  } as const;
  assert.deepEqual(read({ ...all, found: { ...found, ...around } }),
    { ...conclusionOf(report), found: { ...found, ...around } });
  const { beside, moment, ...earlier } = found;
  assert.ok(beside !== undefined && moment !== undefined);
  assert.deepEqual(read({ ...all, found: { ...found, beside: 7, moment: 'x', isUnknown: 1 } }),
    { ...conclusionOf(report), found: earlier });
});
