import assert from 'node:assert/strict';
import test from 'node:test';
import { anAlert } from '../support/samples/alerts.ts';
import { concluded, latencyCase, type FactsOver } from '../support/samples/metric-facts.ts';

test('resolutionOf tells the value at the end and when it came back', () => {
  const { alert } = latencyCase();
  const ended = { ...anAlert(alert), status: 'resolved' as const, endsAt: '2026-11-20T10:20:00Z' };
  const recoveredMs = Date.parse('2026-11-20T10:15:00Z');
  const over = { valueNow: 0.2, overSinceMs: null, recoveredMs, valueAtEnd: 0.21 };
  const caseFile = latencyCase({ alert: ended, episode: {
    ...latencyCase().episode, endsAt: ended.endsAt,
  } });
  const { resolution, verdict, unknowns } = concluded(caseFile, { own: over });
  assert.equal(resolution?.value_at_end, 0.21);
  assert.deepEqual(resolution?.changes.map(({ text }) => text), [
    'The value came back within its threshold of 500 ms at 10:15 UTC, ' +
    '5 min before the alert ended.',
  ]);
  assert.equal(resolution?.hypothesis_held, null);
  assert.equal(verdict.classification, 'recovered');
  const back = ': back to 200 ms after a peak of 1.9 s, 3.8× its threshold of 500 ms. Recovered 1';
  assert.ok(verdict.headline.includes(back), verdict.headline);
  assert.ok(unknowns.every(({ what }) => !what.startsWith('The value when the alert ended')));
  const away: FactsOver = { own: null, scrape: null, ranking: null, source: { state: 'failed' } };
  assert.doesNotMatch(JSON.stringify(concluded(caseFile, away).unknowns), /no sample/,
    'nobody looked');
});

test('resolutionOf tells what was done last before the value came back, a release first', () => {
  const { alert } = latencyCase();
  const ended = { ...anAlert(alert), status: 'resolved' as const, endsAt: '2026-11-20T10:20:00Z' };
  const caseFile = latencyCase({ alert: ended, episode: {
    ...latencyCase().episode, endsAt: ended.endsAt,
  } });
  const recoveredMs = Date.parse('2026-11-20T10:15:00Z');
  const own = { valueNow: 0.2, overSinceMs: null, recoveredMs, valueAtEnd: 0.21 };
  const at = (time: string): number => Date.parse(`2026-11-20T${time}Z`);
  const told = (...events: NonNullable<FactsOver['events']>): string[] =>
    concluded(caseFile, { own, events }).resolution?.changes.map(({ text }) => text) ?? [];
  const back = { kind: 'version', text: 'The version of pay changed from 1.9 to 1.8' } as const;
  const restart = { kind: 'restart', text: 'pay restarted' } as const;
  const said = '1 min before the value came back, at 10:14 UTC: ' +
    'The version of pay changed from 1.9 to 1.8.';
  assert.ok(told({ ...back, atMs: at('10:14:00') }, { ...restart, atMs: at('10:14:30') })
    .includes(said));
  assert.ok(told({ ...restart, atMs: at('10:14:30') })
    .includes('30 s before the value came back, at 10:14 UTC: pay restarted.'));
  const late = told({ ...back, atMs: at('10:16:00') }, { ...restart, atMs: at('09:00:00') });
  assert.ok(late.every((text) => !text.includes('before the value came back')), late.join());
});

const unknown = 'Whether the explanation held is unknown: ';
for (const [what, answersAtEnd, held, said] of [
  ['a test that returns less', { dependency: { samples: [1.02] } }, true,
    'The explanation held: after the end its test query returned 1.02.'],
  ['a test that returns nothing', { dependency: { samples: [] } }, true,
    'The explanation held: after the end its test query returned nothing.'],
  ['a test of which there is nothing to measure', { dependency: { samples: [NaN, NaN] } }, true,
    'The explanation held: after the end its test query returned nothing.'],
  ['a test that still supports it', { dependency: { samples: [9] } }, null,
    `${unknown}its test does not tell.`],
  ['no test so soon', null, null, `${unknown}it is too early after the end.`],
  ['a test that failed', { dependency: { failed: 'timeout' } }, null,
    `${unknown}its test does not tell.`],
  ['no test that could tell', {}, null,
    `${unknown}it rests on no series that could have moved back.`],
] as const) {
  test(`resolutionOf judges a tested explanation by ${what} after the end`, () => {
    const { alert, episode } = latencyCase();
    const endsAt = '2026-11-20T10:20:00Z';
    const caseFile = latencyCase({
      alert: { ...alert, status: 'resolved', endsAt }, episode: { ...episode, endsAt },
    });
    const recoveredMs = Date.parse('2026-11-20T10:15:00Z');
    const own = { valueNow: 0.2, overSinceMs: null, recoveredMs, valueAtEnd: 0.21 };
    const { report } = concluded(caseFile, {
      own, answers: { dependency: { samples: [9] } }, answersAtEnd,
    });
    const { resolution, hypotheses } = report;
    assert.equal(hypotheses[0]?.cause, 'Something it calls is slow');
    assert.equal(resolution?.hypothesis_held, held);
    assert.ok(resolution?.changes.some(({ text }) => text === said), said);
    const atEnd = answersAtEnd && Object.entries(answersAtEnd).map(([id, answer]) => [
      `${id} in stores`,
      'samples' in answer ? { samples: answer.samples.map((value) => value / 10) } : answer,
    ]);
    const ofStores = concluded(caseFile, {
      own, answers: { 'dependency in stores': { samples: [0.9] } },
      answersAtEnd: atEnd && Object.fromEntries(atEnd),
    });
    assert.equal(ofStores.resolution?.hypothesis_held, held, 'of stores');
  });
}

test('resolutionOf waits for no test of an explanation that has none', () => {
  const { alert, episode } = latencyCase();
  const endsAt = '2026-11-20T10:20:00Z';
  const caseFile = latencyCase({
    alert: { ...alert, status: 'resolved', endsAt }, episode: { ...episode, endsAt },
  });
  const recoveredMs = Date.parse('2026-11-20T10:15:00Z');
  const { report: { hypotheses, resolution } } = concluded(caseFile, {
    own: { valueNow: 0.2, overSinceMs: null, recoveredMs, valueAtEnd: 0.21 },
    events: [{}], answersAtEnd: null,
  });
  assert.match(hypotheses[0]?.cause ?? '', /^A release: image of checkout/u);
  const [said] = resolution?.changes.filter(({ text }) => /explanation/u.test(text)) ?? [];
  assert.equal(said?.text, `${unknown}it rests on no series that could have moved back.`);
});
