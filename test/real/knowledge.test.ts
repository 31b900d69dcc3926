import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { families } from '../../src/diagnosis/knowledge/families.ts';
import { fillPromql } from '../../src/diagnosis/knowledge/fill-template.ts';
import { sampleLabels } from '../support/samples/knowledge-labels.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const hostile = '"}{\\\n$(reboot)`x`\u202e.*+?()[]|^$é日\u{e0041}\ufffd\u0000\'';
const hostileLabels = Object.fromEntries(Object.keys(sampleLabels).map((name) => [name, hostile]));

for (const [kind, labels] of [['usual', sampleLabels], ['hostile', hostileLabels]] as const) {
  test(`promtool accepts every query filled with ${kind} values`, () => {
    const queries = families.flatMap(({ causes, steps }) =>
      [...causes.map((cause) => cause.test), ...steps.map(({ command }) => command)]
        .filter((template) => template?.kind === 'promql')
        .map((template) => template?.template ?? ''));
    const rules = queries.map((query, index) => {
      const expr = fillPromql(query, labels);
      assert.ok(expr !== null, query);
      return { record: `query:${index}`, expr };
    });
    assert.ok(rules.length > 100);
    // JSON is YAML, and its escapes preserve any text.
    const file = join(temporaryDirectory(), 'rules.yml');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'knowledge', rules }] }));
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', file], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, new RegExp(`${rules.length} rules found`, 'u'));
  });
}
