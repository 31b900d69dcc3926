import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabIncident } from '../../scripts/lab/incident.ts';
import type { Course } from '../../scripts/lab/run.ts';
import { scoreOf, type Score } from '../../scripts/lab/score.ts';
import type { Hypothesis, Report } from '../../src/report/report.ts';
import { alertRow, listOf } from '../support/samples/report-lists.ts';
import { sampleReport } from '../support/samples/sample-report.ts';

const incident: LabIncident = {
  name: 'made-up', seen: true, what: 'a release of cart is slow', cause: () => undefined,
  end: () => undefined,
  truth: {
    says: 'cart became 1.9.', alerts: ['Slow'], cause: /version/, culprit: /cart.*1\.9/,
    isFalse: [/traffic/], mayNotBeRuledOut: /version/, step: /roll/,
  },
};

const base = sampleReport();

function cause(text: string, certainty: Hypothesis['certainty']): Hypothesis {
  return { cause: text, mechanism: null, for: [], against: [], test: null, certainty };
}

function scored(over: Partial<Report>): Score {
  const report: Report = { ...base, ...over };
  const causedAt = Date.parse(report.alert.startsAt ?? '') - 40_000;
  const score = scoreOf({
    incident, causedAt, notifiedAt: null, readySeconds: 1,
    snapshots: new Map([['60 s', [{ name: 'Slow', report, notifiedAt: causedAt }]]]),
    lists: new Map([['60 s', listOf([alertRow({ fingerprint: report.fingerprint })])]]),
  } satisfies Course, '60 s');
  assert.ok(score !== null);
  return score;
}

test('cause, name and first step count if the first screen says them', () => {
  const told = cause('The version of cart changed from 1.8 to 1.9', 'possible');
  const verdict = { ...base.verdict, most_likely: told.cause, do_first: 'Roll back cart' };
  const said = { hypotheses: [told], ruled_out: [], verdict };
  const good = scored({ ...said, next_steps: [] });
  assert.deepEqual([good.cause, good.culprit, good.step, good.rows], [true, true, true, 1]);
  const other = { ...verdict, most_likely: 'Requests are slow', do_first: 'Wait' };
  const bad = scored({ ...said, next_steps: [], verdict: other });
  assert.deepEqual([bad.cause, bad.culprit, bad.step], [false, false, false]);
});

test('the name of the alert says nothing about the cause', () => {
  const headline = 'VersionOfCart19 on shop: 7';
  const alert = { ...base.alert, name: 'VersionOfCart19' };
  const verdict = { ...base.verdict, headline, most_likely: null };
  assert.equal(scored({ alert, verdict, hypotheses: [] }).cause, false);
});

test('a first step that needs what is not there does not count', () => {
  const verdict = { ...base.verdict, do_first: 'Roll back cart' };
  const step = {
    action: 'Roll back cart', why: null, expected: null, risk: null, undo: null,
    command: 'kubectl rollout undo deployment/cart',
  };
  assert.equal(scored({ hypotheses: [], verdict, next_steps: [step] }).step, false);
});

test('what is called likely is false, true, or left to a person to judge', () => {
  const hypotheses = [
    cause('The version of cart changed from 1.8 to 1.9', 'confirmed'),
    cause('Far more traffic arrives', 'likely'), cause('A disk is slow', 'likely'),
    cause('More traffic, perhaps', 'possible'),
  ];
  const { falsehoods, unjudged } = scored({ hypotheses, ruled_out: [] });
  assert.equal(falsehoods.length, 1);
  assert.match(falsehoods[0] ?? '', /Far more traffic/);
  assert.equal(unjudged.length, 1);
  assert.match(unjudged[0] ?? '', /A disk/);
});

test('ruling out what is true is false', () => {
  const why = 'Its test query returned 0';
  const ruledOut = [{ cause: 'Another version runs', why, evidence: [] }];
  const { falsehoods } = scored({ hypotheses: [], ruled_out: ruledOut });
  assert.deepEqual(falsehoods.map((each) => /ruled out/.test(each)), [true]);
});

test('the onset is that of the changes which speak for the leading cause', () => {
  const startsAt = Date.parse(base.alert.startsAt ?? '');
  const change = (seconds: number, id: string): Report['timeline'][number] => ({
    at: new Date(startsAt + seconds * 1000).toISOString(), offset_seconds: seconds,
    kind: 'change', text: 'The version changed', evidence: [id],
  });
  const told: Hypothesis = {
    ...cause('The version of cart changed', 'possible'),
    for: [{ text: 'The version changed.', evidence: ['E7'] }],
  };
  const timeline = [change(-90, 'E6'), change(-30, 'E7')];
  assert.equal(scored({ hypotheses: [told], timeline }).onsetSeconds, 10);
});
