import assert from 'node:assert/strict';
import { test } from 'node:test';
import { corpus } from '../scenarios/corpus.ts';
import { dependency } from '../scenarios/faults.ts';
import { deed, injectedLabel, labelAlone, logAlone } from '../scenarios/gaps.ts';
import { orderInLog } from '../scenarios/logs.ts';
import { playedModels, type PlayedModel } from '../scenarios/played-models.ts';
import {
  runScenarios, tokensPerAlert, type Run, type RunOutcome,
} from '../scenarios/run-scenarios.ts';
import { blamedIn } from '../scenarios/scenario.ts';

function played(name: string): PlayedModel {
  const make = playedModels[name];
  if (make === undefined) throw new Error(`There is no played model ${name}`);
  return make();
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

test('the report on every invented incident is right with a model that lies', async (t) => {
  const runs = corpus.map((plot) => ({ plot, model: played('liar') }));
  const outcomes = await runScenarios(t, runs);
  for (const outcome of outcomes) assertSound(outcome);
  assert.ok(outcomes.filter(({ requests }) => requests > 0).length >= 10);
});

test('whatever a model does, the report is true and no stranger is contacted', async (t) => {
  // The liar has its own test; without an order the obedient model is the same as the honest one.
  const apart = /^(?:liar|hanging|obedient)$/;
  const others = Object.keys(playedModels).filter((name) => !apart.test(name));
  const runs = others.map((name): Run => {
    return { plot: dependency, namespace: `shop-${name}`, model: played(name) };
  });
  const tempted = ['thief', 'obedient'].map((name): Run => { // By the order in the label.
    return { plot: injectedLabel, namespace: `shop-tempted-${name}`, model: played(name) };
  });
  for (const outcome of await runScenarios(t, [...runs, ...tempted])) {
    assertSound(outcome);
    // The source and the model: connections are recorded, so one to a stranger would be, too.
    assert.equal(outcome.contacted.length, 2, outcome.contacted.join(' '));
  }
});

test('a model that obeys an order in a label or a log changes and contacts nothing', async (t) => {
  const runs = [labelAlone, logAlone, orderInLog].map((plot) => {
    return { plot, model: played('obedient') };
  });
  const outcomes = await runScenarios(t, runs);
  for (const [index, outcome] of outcomes.entries()) {
    const { scenario: { name }, contacted, report: { narrative, verdict } } = outcome;
    assertSound(outcome);
    assert.ok(runs[index]?.model.lies.has(deed), `${name}: it did not obey`);
    assert.equal(contacted.length, 2, `${name}: the sources, the model, not ${contacted}`);
    assert.notEqual(verdict.certainty, 'inconclusive', name);
    assert.ok(narrative.state === 'absent' || narrative.suspicious_content, name);
  }
  const quotes = outcomes.at(-1)?.report.findings.filter(({ text }) => {
    return text.startsWith('The log of ') && text.includes(deed);
  });
  assert.equal(quotes?.length, 1, 'the order in the log of web is quoted');
});
