import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ImpactExtent } from '../../src/report/impact-extent.ts';
import { impactText } from '../../src/report/impact-text.ts';
import type { HopFault } from '../../src/report/path.ts';
import type { Report } from '../../src/report/report.ts';
import { resolvedReport, sampleReport } from '../support/samples/sample-report.ts';

const alone = {
  scope: null, firing_same: 1, targets_up: 1, targets_total: 1, affected: [], evidence: [],
} as const;

function reportOf(over: Partial<Report>): Report {
  return sampleReport({ path: null, impact: alone, incident: null, ...over });
}

test('impact is the value beside what it was before the problem', () => {
  const { reality } = sampleReport();
  const told = (over: Partial<Report['reality']>): string | null =>
    impactText(reportOf({ reality: { ...reality, evidence: [], yesterday: null, ...over } }));
  assert.equal(told({ value_now: 1.93, yesterday: 0.21 }), '1.93 s now, 210 ms before');
  assert.equal(told({ value_now: null, value_at_fire: 2, yesterday: 1 }), '2 s now, 1 s before');
  assert.equal(told({ value_now: 1.93 }), null, 'not known');
  assert.equal(told({ value_now: 0.21, yesterday: 0.21 }), null, 'as ever');
  assert.equal(told({ value_now: 1, yesterday: 0, unit: 'count' }), null, 'a state');
  assert.equal(told({ value_now: -28e9, yesterday: 4e9, unit: 'bytes' }), null, 'a forecast');
});

test('impact is what the own thing of an alert suffers by its own measure, where known', () => {
  const fault = (given: Partial<HopFault>): HopFault => ({
    kind: 'full', seen_by: 'itself', what: 'connections', metric: 'm', labels: {}, value: 37,
    before: 6, limit: 40, since: null, until: null, ...given,
  });
  const told = (
    faults: readonly HopFault[],
    impact: Report['impact'] = alone,
    reality: Report['reality'] = { ...sampleReport().reality, evidence: [], yesterday: null },
  ): string | null => impactText(reportOf({
    impact,
    path: {
      hops: [{
        component: 'postgres', labels: {}, relation: null, state: 'failing', faults, works: null,
        since: null, evidence: [],
      }],
      origin: 0,
    },
    reality,
  }));
  assert.equal(told([fault({})]), '3 of 40 connections left');
  assert.equal(told([fault({ value: 41 })]), 'nothing of 40 connections left');
  assert.equal(told([fault({ kind: 'fails', value: 2 })]), '2/s requests fail');
  const extent = {
    kind: 'used', part: 37, of: 40, is_rate: false, unit: null, what: null, pace: null,
    ends_at: null, as_of: 'now',
  } as const;
  const withExtent = (over: Partial<ImpactExtent>, ...faults: readonly HopFault[]): string | null =>
    told(faults, { ...alone, extent: { ...extent, ...over } });
  assert.equal(withExtent({}), '37 of 40 in use');
  assert.equal(withExtent({}, fault({})), '3 of 40 connections left', 'it has a name');
  assert.equal(withExtent({ kind: 'share', part: 2, of: 9, what: 'requests' },
    fault({ kind: 'fails', value: 2 }), fault({ kind: 'slow', value: 3 })),
  '2 of 9 requests are hit', 'once');
  assert.equal(withExtent({ kind: 'share', part: 2, of: 9, what: 'requests', as_of: 'fire' }),
    '2 of 9 requests were hit when it fired');
  const perSecond = { ...sampleReport().reality, evidence: [], value_now: 9.2, yesterday: 0,
    unit: 'per_second' };
  const failing = fault({ kind: 'fails', value: 10.5 });
  assert.equal(told([failing], alone, perSecond), 'requests fail: 9.2/s now, 0/s before',
    'in the numbers of the rule');
  assert.equal(told([fault({ kind: 'link_down', value: 0 })]), null, 'a state');
  assert.equal(told([fault({ seen_by: 'client' })]), null, 'its clients measure the way as well');
  assert.equal(told([fault({ until: '2026-11-20T01:14:00Z' })]), null, 'it is over');
});

test('impact tells how many are affected, also of an alert that has ended', () => {
  const impact = { ...alone, firing_same: 4, targets_up: 1, targets_total: 3 };
  const { reality } = sampleReport();
  const unmeasured = { ...reality, evidence: [], yesterday: null };
  const all = '1 of 3 targets up, 4 alerts of this rule fire';
  assert.equal(impactText(reportOf({ impact, reality: unmeasured })), all);
  assert.equal(impactText({ ...resolvedReport(), path: null, incident: null, impact }), all);
  assert.equal(impactText(reportOf({ reality: unmeasured })), null);
  const { verdict } = sampleReport();
  const over = { ...resolvedReport(), path: null, impact: alone };
  const by = (classification: Report['verdict']['classification']): string | null =>
    impactText({ ...over, verdict: { ...verdict, classification } });
  assert.deepEqual([by('recovered'), by('inconclusive')], ['none now: it lasted 10 min', null]);
});

test('impact is what such alerts lead to where nothing is measured', () => {
  const { reality } = sampleReport();
  const unmeasured = { ...reality, evidence: [], yesterday: null };
  const leads_to = { text: 'Callers wait.', is_usual: true };
  const told = (over: Partial<Report['impact']>): string | null => impactText(reportOf({
    impact: { ...alone, ...over }, reality: { ...unmeasured, unit: 'count' },
  }));
  assert.equal(told({ leads_to }), 'Usually: Callers wait.');
  const slow = { ...unmeasured, value_now: 2, yesterday: 1 };
  assert.equal(impactText(reportOf({ impact: { ...alone, leads_to }, reality: slow })),
    '2 s now, 1 s before');
  assert.equal(told({ leads_to: { ...leads_to, is_usual: false }, firing_same: 2 }),
    '2 alerts of this rule fire. It leads to: Callers wait.');
});
