import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LabelSet } from '../../src/alert/labels.ts';
import { severityOf, type Severity } from '../../src/alert/severity.ts';

const cases: readonly (readonly [LabelSet, Severity])[] = [
  [{}, 'unknown'],
  [{ severity: 'critical' }, 'critical'],
  [{ severity: ' Page ' }, 'critical'],
  [{ severity: 'ticket', priority: 'P1' }, 'warning'],
  [{ priority: 'P1' }, 'critical'],
  [{ severity: '', priority: 'P1' }, 'critical'],
  [{ severity: 'constructor' }, 'unknown'], [{ severity: 'yellow' }, 'unknown'],
  [{ severity: 'SEV-2' }, 'warning'], [{ severity: 'P1 - Critical' }, 'critical'],
  [{ severity: 'Disaster' }, 'critical'], [{ severity: 'Not classified' }, 'unknown'],
];
for (const [labels, expected] of cases) {
  test(`severityOf() is ${expected} for ${JSON.stringify(labels)}`, () => {
    assert.equal(severityOf(labels), expected);
  });
}
