import assert from 'node:assert/strict';
import { test } from 'node:test';
import { narrativePlan, type AskingState } from '../../src/narration/narrative-plan.ts';
import type { CaseFile } from '../../src/report/case-file.ts';
import { anAlert } from '../support/samples/alerts.ts';
import { aCaseFile } from '../support/samples/case-files.ts';

const free: AskingState = {
  isPassable: true, whenOpen: '', shareUsed: 0, isCounted: true, waiting: 0,
};

function withSeverity(severity: string): CaseFile {
  return aCaseFile({ alert: anAlert({ labels: { alertname: 'A', severity } }) });
}

const depths = { critical: 10, warning: 6, info: 0, nonsense: 6 };
for (const [severity, rounds] of Object.entries(depths)) {
  test(`narrativePlan gives an alert of severity ${severity} ${rounds} rounds`, () => {
    assert.deepEqual(narrativePlan(withSeverity(severity), free), { kind: 'ask', rounds });
  });
}

const critical = withSeverity('critical');
const other = { name: 'NodeDown', reportUrl: 'https://r/f/1' };
const skipped: readonly (readonly [string, CaseFile, Partial<AskingState>, string, RegExp])[] = [
  ['severity none', withSeverity('none'), {}, 'severity', /severity none/],
  ['a storm that another stands for',
    aCaseFile({ storm: { size: 60, representative: other } }), {}, 'storm',
    /^In this storm of 60 alerts .* about a few only; see the report of NodeDown\.$/],
  ['too many that wait', critical, { waiting: 200 }, 'severity', /already waiting/],
  ['an open breaker', critical, { isPassable: false }, 'breaker', /keeps failing/],
  ['a day that nobody has counted', critical, { shareUsed: 1, isCounted: false }, 'budget',
    /could not be counted/],
  ['a day that is used up', critical, { shareUsed: 1 }, 'budget', /MODEL_TOKENS_PER_DAY/],
  ['what is left for others', withSeverity('warning'), { shareUsed: 0.8 }, 'budget', /critical/],
  ['an alert that has ended',
    aCaseFile({ alert: anAlert({ status: 'resolved', endsAt: '2026-11-20T10:10:00Z' }) }), {},
    'failed', /ended before/],
];
for (const [what, caseFile, state, reason, detail] of skipped) {
  test(`narrativePlan asks nothing for ${what}`, () => {
    const plan = narrativePlan(caseFile, { ...free, ...state });
    assert.ok(plan.kind === 'skip');
    assert.equal(plan.narrative.reason, reason);
    assert.match(plan.narrative.detail, detail);
  });
}

test('narrativePlan asks for the representative of a storm, and to the last token', () => {
  const storm = { size: 60, representative: null };
  const alert = anAlert({ labels: { alertname: 'A', severity: 'critical' } });
  const plan = narrativePlan(aCaseFile({ storm, alert }), { ...free, shareUsed: 0.99 });
  assert.equal(plan.kind, 'ask');
});
