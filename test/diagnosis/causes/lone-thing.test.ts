import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LonePartFact } from '../../../src/evidence/lone-fact.ts';
import {
  concluded, latencyCase, moving, problemBegan, type FactsOver,
} from '../../support/samples/metric-facts.ts';

type Lone = NonNullable<FactsOver['lone']>[number];

const part = (over: Partial<LonePartFact> = {}): LonePartFact => ({
  candidate: { ...moving('gate', 'gate_requests_total'), signal: 'traffic', made: 'rate' },
  label: 'consumer', value: 'acme', of: 10, within: {}, z: 90, stoodStill: false,
  before: 5, after: 160, othersBefore: 50, othersAfter: 50,
  onsetMs: problemBegan - 20_000, isExact: true, isOfRule: true, isAkin: true, ...over,
});
const acme = (...parts: readonly LonePartFact[]): Lone =>
  ({ labels: [{ label: 'consumer', value: 'acme' }], parts });

const first = (lone: readonly Lone[], over: FactsOver = {}): readonly unknown[] => {
  const { hypotheses: [top], verdict } = concluded(latencyCase(), { lone, ...over });
  return [top?.kind, top?.certainty, verdict.do_first ?? undefined];
};

test('who sends nearly all that came on top is likely the cause, and the step names it', () => {
  const [kind, certainty, step] = first([acme(part())]);
  assert.deepEqual([kind, certainty], ['contributor', 'likely']);
  assert.match(String(step), /acme/u);
  const { hypotheses, timeline } = concluded(latencyCase(), { lone: [acme(part())] });
  assert.deepEqual(hypotheses[0]?.about, ['acme']);
  const cited = new Set(hypotheses[0]?.for.flatMap(({ evidence }) => evidence));
  const moment = timeline.find(({ kind: what, evidence }) =>
    what === 'change' && evidence.some((each) => cited.has(each)));
  assert.equal(Date.parse(moment?.at ?? ''), problemBegan - 20_000);
});

test('a thing that is alone is only possible where others explain as much', () => {
  const certainty = (over: Partial<LonePartFact>): unknown => first([acme(part(over))])[1];
  assert.equal(certainty({ othersAfter: 150 }), 'possible', 'others send more as well');
  assert.equal(certainty({ within: { code: '429' } }), 'possible', 'of what is refused alone');
  assert.equal(certainty({ isOfRule: false }), 'possible', 'of another metric');
  assert.equal(certainty({ othersBefore: 900, othersAfter: 900 }), 'possible', 'hardly more');
});

test('many metrics that show one thing alone make it likely, if it is near the alert', () => {
  const three = (over: Partial<LonePartFact>): Lone => acme(...['a', 'b', 'c'].map((metric) =>
    part({ candidate: moving('leaf', `${metric}_depth`), isOfRule: false, ...over })));
  assert.equal(first([three({})])[1], 'likely');
  assert.equal(first([three({ isAkin: false })])[1], 'possible');
  assert.equal(first([three({ of: 3 })])[1], 'inconclusive', 'of three, one is soon alone');
  const answers = { 'event-loop': { samples: [0.9], query: 'max(lag_seconds)' } };
  const [kind] = first([three({})], { answers });
  assert.equal(kind, 'family', 'a place does not outrank a reason');
});

test('what moves later than the problem is no cause of it, nor one far from it', () => {
  assert.equal(first([acme(part({ onsetMs: problemBegan + 120_000 }))])[1],
    'inconclusive');
  const far = { isOfRule: false, isAkin: false } as const;
  assert.equal(first([acme(part({ ...far, of: 5 }))])[1], 'inconclusive');
  assert.equal(first([acme(part({ ...far, of: 24 }))])[1], 'possible', 'one of so many, just then');
  assert.equal(first([acme(part({ ...far, of: 24, after: 15 }))])[1], 'inconclusive');
});

test('a cause that a test supports ends with who is alone in it', () => {
  const answers = { 'event-loop': { samples: [0.9], query: 'max(lag_seconds)' } };
  const { hypotheses: [top], verdict } = concluded(latencyCase(), {
    answers, lone: [acme(part({ isOfRule: false, within: { code: '429' } }))],
  });
  assert.equal(top?.kind, 'family');
  assert.match(top.detail ?? '', /^consumer acme, alone of 10/u);
  assert.match(verdict.do_first ?? '', /acme/u);
});

test('what moved at another time is no part of a thing that moved alone', () => {
  const other = part({
    candidate: moving('gate', 'contract_days_left'), isOfRule: false, isAkin: false,
    onsetMs: problemBegan - 300_000, before: 210, after: 365,
  });
  const { hypotheses: [top], timeline } = concluded(latencyCase(), { lone: [acme(part(), other)] });
  assert.equal(/contract days/u.test(top?.cause ?? 'none'), false);
  const cited = new Set(top?.for.flatMap(({ evidence }) => evidence));
  const moment = timeline.find(({ kind, evidence }) =>
    kind === 'change' && evidence.some((each) => cited.has(each)));
  assert.equal(Date.parse(moment?.at ?? ''), problemBegan - 20_000);
});

test('the step at a thing that is alone is one that such a thing allows', () => {
  const other = part({
    candidate: moving('gate', 'gate_errors_total'), isOfRule: false,
  });
  const stepAt = (label: string, value: string, over: Partial<Lone> = {}): string =>
    String(first([{ labels: [{ label, value }], parts: [other], ...over }])[2]);
  assert.match(stepAt('instance', 'gate-3:8080'), /others can carry/u);
  for (const [label, value] of [['slot_name', 'outbox'], ['shard', 'shard-3'], ['queue', 'in']]) {
    const step = stepAt(label ?? '', value ?? '');
    assert.match(step, new RegExp(value ?? '', 'u'));
    assert.doesNotMatch(step, /others can carry/u, label);
  }
  const full = moving('n1', 'node_nf_conntrack_entries');
  const step = stepAt('node', 'n1', { machine: { evidence: 'E1', changes: [{
    candidate: full, before: 3e4, after: 131_072, limit: 131_072, sinceMs: problemBegan,
  }] } });
  assert.match(step, /uses up .*conntrack/u);
});

test('it began when what is seen closely left its level, or else with the earliest of all', () => {
  const beganWith = (...parts: readonly Partial<LonePartFact>[]): number => {
    const { hypotheses: [top], timeline } =
      concluded(latencyCase(), { lone: [acme(...parts.map(part))] });
    const cited = top?.for.flatMap(({ evidence }) => evidence) ?? [];
    const moment = timeline.find(({ kind, evidence }) =>
      kind === 'change' && evidence.some((each) => cited.includes(each)));
    return (Date.parse(moment?.at ?? '') - problemBegan) / 1000;
  };
  const level = { candidate: moving('gate', 'gate_open') } as const;
  assert.equal(beganWith({}, { ...level, onsetMs: problemBegan - 30_000, z: 9 }), -30);
  const coarse = { isExact: false, onsetMs: problemBegan + 30_000 } as const;
  assert.equal(beganWith({ z: 9 }, { ...level, ...coarse }), -20);
  assert.equal(beganWith({ ...coarse, onsetMs: problemBegan }, coarse), 0);
});

test('what moves elsewhere once the alert\'s own thing is down is its effect', () => {
  const since = new Date(problemBegan).toISOString();
  const path: FactsOver['path'] = {
    hops: [{
      component: 'checkout', labels: { job: 'checkout' }, relation: null, state: 'failing',
      works: null, since, evidence: ['E1'], faults: [{
        kind: 'down', metric: 'up', what: null, value: 0, before: 1, labels: {}, limit: null,
        since, until: null, seen_by: 'itself',
      }],
    }], origin: 0,
  };
  const { hypotheses, verdict } = concluded(latencyCase(), { lone: [acme(part())], path });
  assert.equal(hypotheses.some(({ about }) => about?.includes('acme') === true), false);
  assert.match(verdict.do_first ?? '', /checkout/u);
});
