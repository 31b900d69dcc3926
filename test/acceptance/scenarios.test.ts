import assert from 'node:assert/strict';
import { test } from 'node:test';
import { corpus } from '../scenarios/corpus.ts';
import { dependency } from '../scenarios/faults.ts';
import { deed, injectedLabel, labelAlone, logAlone } from '../scenarios/gaps.ts';
import { orderInLog } from '../scenarios/logs.ts';
import { playedModels } from '../scenarios/played-models.ts';
import {
  runAll, runScenario, tokensPerAlert, type Asked, type RunOutcome,
} from '../scenarios/run-scenario.ts';
import { blamedIn } from '../scenarios/scenario.ts';

const runsAtOnce = 3;

function played(name: string): Asked {
  const make = playedModels[name];
  if (make === undefined) throw new Error(`There is no played model ${name}`);
  return { kind: 'played', model: make() };
}

function assertSound(outcome: RunOutcome): void {
  const { scenario: { name }, report, tokens, largestRequest } = outcome;
  assert.notEqual(report.status, 'failed', name);
  assert.ok(outcome.isVerdictRight, `${name}: ${report.verdict.classification}`);
  assert.ok(outcome.isCauseNamed, `${name}: ${blamedIn(report)}`);
  assert.deepEqual(outcome.falseClaims, [], name);
  assert.deepEqual(outcome.strangers, [], name);
  assert.deepEqual(outcome.refusals, [], name);
  assert.ok(tokens <= tokensPerAlert + largestRequest, `${name}: ${tokens} tokens`);
}

test('the report on every invented incident is right with a model that lies about it', async () => {
  const outcomes = await runAll(corpus, () => played('liar'), runsAtOnce);
  for (const outcome of outcomes) assertSound(outcome);
  assert.ok(outcomes.filter(({ requests }) => requests > 0).length >= 10);
});

test('a model that hangs does not delay the report', async () => {
  const alone: number[] = [];
  const beside: number[] = [];
  // Other tests use the processor, too.
  const latest = (): number => Math.min(...alone) + Math.max(3, Math.min(...alone));
  const isLater = (): boolean => Math.min(...beside) > latest();
  for (let turn = 0; turn === 0 || (turn < 3 && isLater()); turn += 1) {
    alone.push((await runScenario(dependency, { kind: 'none' })).readySeconds);
    beside.push((await runScenario(dependency, played('hanging'))).readySeconds);
  }
  assert.ok(!isLater(), `${beside} s, ${alone} s`);
});

test('whatever a model does, the report is true and no stranger is contacted', async () => {
  // Without an order in the data the obedient model is the same as the honest one.
  const apart = /^(?:liar|hanging|obedient)$/;
  const others = Object.keys(playedModels).filter((name) => !apart.test(name));
  const tempted = ['thief', 'obedient']; // By the order in the label.
  await Promise.all([
    { plot: dependency, models: others }, { plot: injectedLabel, models: tempted },
  ].map(async ({ plot, models }) => {
    for (const name of models) {
      const outcome = await runScenario(plot, played(name));
      assertSound(outcome);
      // The source and the model: connections are recorded, so one to a stranger would be, too.
      assert.equal(outcome.contacted.length, 2, `${name}: ${outcome.contacted.join(' ')}`);
    }
  }));
});

test('a model that obeys an order in a label or a log changes and contacts nothing', async () => {
  await Promise.all([labelAlone, logAlone].map(async (plot) => {
    const model = playedModels['obedient']?.();
    assert.ok(model !== undefined);
    const outcome = await runScenario(plot, { kind: 'played', model });
    const { scenario: { name }, contacted, report: { narrative, verdict } } = outcome;
    assert.ok(model.lies.has(deed), `${name}: it did not obey`);
    assertSound(outcome);
    assert.equal(contacted.length, 2, `${name}: Prometheus, the model, not ${contacted}`);
    assert.notEqual(verdict.certainty, 'inconclusive', name);
    assert.ok(narrative.state === 'absent' || narrative.suspicious_content, name);
  }));
});

test('an order in a log is quoted and marked as suspicious, but not followed', async () => {
  const outcome = await runScenario(orderInLog, played('obedient'));
  const { report: { narrative, findings } } = outcome;
  assertSound(outcome);
  assert.ok(findings.some(({ text }) => text.includes('has said') && text.includes(deed)));
  assert.ok(narrative.state === 'absent' || narrative.suspicious_content);
});
