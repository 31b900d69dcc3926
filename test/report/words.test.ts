import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangeVerb } from '../../src/report/kinds.ts';
import type { Reality } from '../../src/report/report.ts';
import {
  beforeAndAfter, evidenceOrigin, progressSentence, realityRows, severityWord, unexplainedText,
  whyWords,
} from '../../src/report/words.ts';
import { emptyReport, sampleReport } from '../support/samples/sample-report.ts';

const reality: Reality = {
  value_at_fire: null, value_now: 2, threshold: 1, threshold_series: null, operator: '>',
  unit: null, yesterday: null, last_week: null, flaps: null, scrape_ok: null, evidence: [],
};

test('realityRows() shows a value as a multiple of its threshold, but not a state', () => {
  const now = (over: Partial<Reality>): string | undefined =>
    realityRows({ ...reality, ...over }).find(([name]) => name === 'When last checked')?.[1];
  assert.equal(now({}), '2 (2× the threshold)');
  assert.equal(now({ operator: null }), '2 (2× the threshold)');
  assert.equal(now({ operator: '!=' }), '2');
  assert.equal(now({ operator: '==', value_now: 1 }), '1');
  assert.equal(now({ unit: 'celsius' }), '2 °C');
  assert.equal(now({ value_now: 503, threshold: 400 }), '503');
  assert.equal(now({ value_now: 90.6, threshold: 90 }), '90.6');
  assert.equal(now({ value_now: 2, threshold: 5, operator: '<' }), '2 (0.4× the threshold)');
  assert.equal(now({ value_now: 2, threshold: 5, operator: '>' }), '2');
  assert.equal(now({ value_now: 5, threshold: 2, operator: '<=' }), '5');
  assert.equal(now({ value_now: 0, threshold: 5, operator: '<' }), '0', 'nothing is no multiple');
  assert.equal(now({ value_now: 3e22 }), '3e+22 (3e+22× the threshold)');
});

test('realityRows() has a row for each value that is known, and no other', () => {
  const unknown = { ...reality, value_now: null, threshold: null };
  assert.deepEqual(realityRows(unknown), []);
  const known = {
    ...reality, value_at_fire: 3, unit: 'seconds', yesterday: 0.5, last_week: 0, flaps: 2,
  };
  assert.deepEqual(realityRows({ ...known, scrape_ok: true }), [
    ['When it fired', '3 s (3× the threshold)', 3],
    ['When last checked', '2 s (2× the threshold)', 2],
    ['Fires when', '> 1 s', 1],
    ['A day before it fired', '500 ms', 0.5],
    ['A week before it fired', '0 s', 0],
    ['Started firing in 24 h', '2 times', null],
    ['Scraping', 'healthy', null],
  ]);
  assert.deepEqual(realityRows({ ...unknown, scrape_ok: false }),
    [['Scraping', 'targets down, gaps or stale data', null]]);
});

test('evidenceOrigin() says the source, the time, the step, and what was left out', () => {
  const [item] = sampleReport().evidence;
  assert.ok(item !== undefined);
  const bare = {
    ...item, source: 'prometheus' as const, from: null, to: null, step_seconds: null,
    fetched_at: null, truncated: false, redactions: 0,
  };
  assert.equal(evidenceOrigin(bare), 'prometheus');
  const [from, to] = ['2026-11-20T02:00:00Z', '2026-11-20T02:30:00Z'];
  const whole = {
    ...bare, from, to, step_seconds: 15, fetched_at: to, truncated: true, redactions: 1,
  };
  assert.equal(evidenceOrigin({ ...whole, to: null, fetched_at: null }),
    'prometheus · every 15 s · truncated · 1 redacted');
  assert.equal(evidenceOrigin(whole), 'prometheus · from 2026-11-20 02:00:00 UTC to ' +
    '2026-11-20 02:30:00 UTC · every 15 s · fetched 2026-11-20 02:30:00 UTC · truncated · ' +
    '1 redacted');
});

test('severityWord() is the label as sent, or the priority if there is none', () => {
  const { alert, ...rest } = sampleReport();
  const word = (severity: string | null, labels: Record<string, string>): string =>
    severityWord({ ...rest, alert: { ...alert, severity, labels } });
  assert.equal(word('sev-1', { severity: 'sev-1' }), 'sev-1');
  assert.equal(word(null, { priority: 'P1' }), 'critical');
  assert.equal(word(null, {}), 'no known severity');
});

test('beforeAndAfter() says the values that are known, unless the title has them', () => {
  const [change] = sampleReport().changes;
  assert.ok(change !== undefined);
  const said = (verb: ChangeVerb, before: number | null, after: number | null): string | null =>
    beforeAndAfter({ ...change, verb, before, after, unit: 'seconds' }, '→');
  assert.equal(said('stayed', 0.5, 2), '500 ms → 2 s');
  assert.equal(said('rose', 0.5, 2), null);
  assert.equal(said('appeared', null, 2), 'nothing → 2 s');
  assert.equal(said('vanished', 0.5, null), '500 ms → nothing');
  assert.equal(said('appeared', null, null), null);
});

test('progressSentence() says the step, and is null if no analysis is under way', () => {
  const report = emptyReport('analysing');
  const progress = { step: 'Ranking 412 series', done: 3, of: 7 };
  assert.equal(progressSentence({ ...report, progress }), 'Ranking 412 series, 3 of 7');
  assert.equal(progressSentence({ ...report, progress: null }), 'Being analysed');
  assert.equal(progressSentence({ ...report, status: 'queued' }), 'Waiting to be analysed');
  assert.equal(progressSentence({ ...report, status: 'ready', progress }), null);
});

test('whyWords() says why one of the first three changes is there, as far as it is known', () => {
  const [change] = sampleReport().changes;
  assert.ok(change !== undefined);
  assert.deepEqual(whyWords(change),
    ['11.2 deviations', 'by 4× what is usual', 'agreement with the alert 0.90']);
  assert.deepEqual(whyWords({ ...change, rank: 4 }), []);
  assert.deepEqual(whyWords({ ...change, strength: 'weak' }), []);
  assert.deepEqual(whyWords({ ...change, z: null }), []);
  const { effect, ...earlier } = change;
  assert.deepEqual(whyWords({ ...earlier, rank: 3, z: -5000, agreement: null }),
    ['more than 100 deviations']);
  assert.equal(whyWords({ ...change, effect: 0.12 })[1], 'by 12 % of what is usual');
});

test('unexplainedText() says when it is too early to tell', () => {
  const report = emptyReport('ready');
  const startMs = Date.parse(report.episode.starts_at);
  const textOf = (seconds: number | null, endsAt: string | null = null): string =>
    unexplainedText({
      ...report, episode: { ...report.episode, ends_at: endsAt },
      provenance: { ...report.provenance, looks_again_at: seconds === null ? null
        : new Date(startMs + seconds * 1000).toISOString() },
    });
  assert.match(textOf(120), /^Too early to tell: looks again at \d\d:\d\d:\d\d UTC\.$/u);
  const plain = 'Cause not established.';
  assert.equal(textOf(600), plain, 'five minutes are enough');
  assert.equal(textOf(null), plain);
  assert.equal(textOf(120, new Date(startMs + 60_000).toISOString()), plain, 'it has ended');
});
