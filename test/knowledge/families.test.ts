import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { testsMax } from '../../src/evidence/metrics/cause-tests.ts';
import { families as known } from '../../src/knowledge/families.ts';
import { alwaysOn, infoInhibitor } from '../../src/knowledge/families/always-on.ts';
import { generalFamilies } from '../../src/knowledge/families/general.ts';
import type { Family, Template } from '../../src/knowledge/family.ts';
import {
  fillPromql, fillShell, labelsIn,
} from '../../src/knowledge/fill-template.ts';
import { wordRules } from '../../src/knowledge/word-rules.ts';
import { sampleLabels } from '../support/samples/knowledge-labels.ts';

const families = [...known, ...Object.values<Family>(generalFamilies)];

test('every label that a template asks for is a known one', () => {
  const known = new Set(Object.keys(sampleLabels));
  const asked = families.flatMap((family) => textsOf(family).flatMap(labelsIn));
  const unknown = asked.filter((name) => {
    return !known.has(name.replace(/\.(?:host|name|tls|address|remote|port|workload)$/u, ''));
  });
  assert.deepEqual(unknown, [], 'misspelled, or missing in support/samples/knowledge-labels.ts');
  assert.ok(asked.length > 500);
});

test('ids are unique: of families, and of what is in each', () => {
  assert.deepEqual(repeated(families.map(({ id }) => id)), []);
  for (const { id, causes } of families) {
    assert.deepEqual(repeated(causes.map((cause) => cause.id)), [], id);
  }
});

test('more than before is more than half an hour ago, or than yesterday if that is all', () => {
  const compared = families.flatMap(({ causes }) => causes)
    .filter(({ id }) => id === 'traffic-peak')
    .map(({ test: asked }) => asked.template)
    .filter((template) => template.includes('offset 1d'));
  assert.ok(compared.length >= 8);
  for (const template of compared) assert.match(template, /offset 30m\)*\s+or .+ offset 1d/su);
});

test('strings in queries have only escapes that PromQL knows', () => {
  const isFaulty = (query: string): boolean =>
    /\\/u.test(query.replace(/\\(?:[abfnrtv\\"]|x[\da-f]{2}|u[\da-f]{4})/giu, ''));
  assert.ok(isFaulty(String.raw`{a=~"\w+"}`) && !isFaulty(String.raw`{a=~"\\w+\\.b"}`));
  const queries = families.flatMap(({ causes, steps }) =>
    [...causes.map((cause) => cause.test), ...steps.flatMap(({ command }) => command ?? [])])
    .flatMap(({ kind, template }) => (kind === 'promql' ? [template] : []));
  assert.ok(queries.length > 200);
  assert.deepEqual(queries.filter(isFaulty), []);
});

test('every word rule leads to a family', () => {
  const ids = new Set(families.map(({ id }) => id));
  assert.deepEqual(wordRules.filter(({ family }) => !ids.has(family)), []);
});

test('pods that completed are not taken for pods that are not ready', () => {
  const asked = families.flatMap(textsOf)
    .filter((text) => /kube_pod_status_ready\{[^}]*condition="false"/u
      .test(text.replaceAll('{namespace}', '')));
  assert.ok(asked.length > 3);
  assert.deepEqual(asked.filter((text) => !text.includes('phase="Succeeded"')), []);
});

for (const family of families) {
  test(`the family ${family.id} is complete`, () => {
    assert.match(family.id, /^[a-z]+(?:-[a-z]+)*$/u);
    if (family === alwaysOn || family === infoInhibitor || !known.includes(family)) return;
    const { causes, steps } = family;
    // Each is a query to Prometheus and room in the ledger, so there are few.
    const reasons = causes.filter(({ isLocation }) => isLocation !== true);
    assert.ok(reasons.length >= 2 && reasons.length <= 8, `2 to 8 causes, not ${reasons.length}`);
    const tests = causes.reduce((sum, { ofStores }) => sum + (ofStores === undefined ? 1 : 2), 0);
    assert.ok(tests <= testsMax, `at most ${testsMax} tests, not ${tests}`);
    const shown = steps.filter(({ onlyFor }) => onlyFor === undefined);
    assert.ok(steps.length >= 1 && shown.length <= 5, `1 to 5 steps, not ${shown.length}`);
  });

  test(`the notes of ${family.id} are true whatever the answer is`, () => {
    for (const { id, note } of family.causes) {
      assert.doesNotMatch(note ?? '', /^(?:Its (?:exit|events)|It ends|The probe|Replicas)/u, id);
    }
  });

  test(`the steps of ${family.id} begin with reading and name their risk`, () => {
    const { steps } = family;
    for (const { risk } of steps) assert.match(risk ?? 'low: none', /^(?:low|medium|high): \w/u);
    const firstWrite = steps.findIndex(({ risk }) => risk !== undefined);
    assert.ok(firstWrite !== 0, 'the first step only reads');
    const after = firstWrite === -1 ? [] : steps.slice(firstWrite);
    assert.ok(after.every(({ risk }) => risk !== undefined), 'reads stand before writes');
    for (const { command, risk } of steps) {
      const text = command?.template ?? '';
      if (changesSomething.test(text)) assert.ok(risk !== undefined, `${text} needs a risk`);
    }
  });

  test(`the words of ${family.id} are sentences`, () => {
    const sentences = [
      ...[family.meaning, family.impact].filter((text) => text !== null),
      ...family.causes.flatMap(({ mechanism, note, ofStores, confirms, refutes }) =>
        [mechanism, note, ofStores?.note, confirms, refutes].filter((text) => text !== undefined)),
      ...family.steps.flatMap(({ action, why, expected }) =>
        [action, why, expected].filter((text) => text !== undefined)),
    ];
    for (const sentence of sentences) assert.match(sentence, /^\S.*[.?)]$/u);
    for (const { cause } of family.causes) assert.doesNotMatch(cause, /\.$/u);
    for (const sentence of sentences) assert.doesNotMatch(sentence, /\b(?:we|our|please)\b/iu);
  });

  test(`the queries of ${family.id} are balanced when filled`, () => {
    for (const { kind, template } of templatesOf(family)) {
      if (kind !== 'promql') continue;
      const filled = fillPromql(template, sampleLabels);
      assert.ok(filled !== null, template);
      assert.doesNotMatch(filled, /\{[a-z_|.]+\}|\n|\s{2}/u);
      const bare = filled.replace(/"(?:[^"\\]|\\.)*"/gu, '""');
      for (const pair of ['()', '{}', '[]']) {
        assert.equal(bare.split(pair.charAt(0)).length, bare.split(pair.charAt(1)).length, filled);
      }
    }
  });
}

test('the shell commands are valid POSIX shell', () => {
  const filled = families.flatMap(templatesOf).filter(({ kind }) => kind === 'shell')
    .map(({ template }) => fillShell(template, sampleLabels) ?? `'not filled: ${template}`);
  // Each is read as the body of a function that nobody calls, in a shell of its own.
  const read = 'for it; do (eval "f() {\n$it\n}") || printf "%s\\n" "$it"; done';
  const { stdout, stderr } = spawnSync('sh', ['-c', read, 'sh', ...filled], { encoding: 'utf8' });
  assert.equal(stdout, '', stderr);
  assert.ok(filled.length > 150);
});

const changesSomething = new RegExp(
  '\\b(?:cordon|drain|delete|apply|scale|restart|start|undo|vacuum|sysctl -w|reset-failed|rm|' +
    '(?<!-)kill)\\b',
  'u',
);

function templatesOf({ causes, steps }: Family): Template[] {
  return [
    ...causes.flatMap(({ test: template, ofStores }) => [template, ofStores?.test]),
    ...steps.map(({ command }) => command),
  ].filter((template) => template !== undefined);
}

function textsOf(family: Family): string[] {
  return templatesOf(family).map(({ template }) => template);
}

function repeated(values: readonly string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index);
}
