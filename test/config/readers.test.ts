import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listVariables, loadSettings } from '../../src/config/settings.ts';
import type { Environment } from '../../src/config/variables.ts';

/** What is wrong with the variable `name`, whatever else is. */
function problemOf(name: string, value: string): string | null {
  const environment: Environment = { [name]: value };
  try {
    loadSettings(environment, { cores: 2, isTerminal: false });
    return null;
  } catch (error) {
    const { problems } = error as { problems: readonly string[] };
    return problems.find((problem) => problem.startsWith(`${name} must be`)) ?? null;
  }
}

const bounds = listVariables().flatMap(({ name }) => {
  const stated = / a whole number from (\d+) to (\d+),/.exec(problemOf(name, '-1') ?? '');
  return stated === null ? [] : [[name, Number(stated[1]), Number(stated[2])] as const];
});

test('there are settings with bounds', () => assert.ok(bounds.length > 15));

for (const [name, min, max] of bounds) {
  test(`${name} may be anything from ${min} to ${max} and nothing else`, () => {
    for (const value of [min, max]) assert.equal(problemOf(name, String(value)), null);
    const outside = [String(max + 1), `${max}0000000000`, `${min}.5`, '1e3', '0x10', ' '];
    if (min > 0) outside.push(String(min - 1));
    for (const value of outside) assert.notEqual(problemOf(name, value), null, value);
  });
}
