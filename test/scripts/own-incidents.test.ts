/** `scripts/evaluate.ts --feedback` reads a service's own incidents and puts them to a model. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  askAbout, namesFirstCulprit, readOwnIncidents,
} from '../../scripts/model/own-incidents.ts';
import { modelAt, startFakeModel } from '../support/fake-model/fake-model.ts';
import { isLast } from '../support/fake-model/scripted-models.ts';
import { startTestService } from '../support/programs/running-service.ts';
import { aFinding, anAnswer } from '../support/scripted-model.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

function alert(fingerprint: string): object {
  return {
    status: 'firing', fingerprint, startsAt: '2026-11-20T10:00:00Z',
    labels: { alertname: 'PoolFull', severity: 'critical', instance: 'db-0' },
    annotations: { summary: 'The pool of db-0 holds 198 of 200 connections' },
  };
}

test('incidents whose cause people told are read while the service runs, and judged', async (t) => {
  const directory = temporaryDirectory();
  const service = await startTestService(t, directory);
  await service.post([alert('f1'), alert('f2'), alert('f3')]);
  for (const [fingerprint, said] of [
    ['f1', { verdict: 'wrong', cause: 'The pool of db-0 leaked' }], ['f2', { verdict: 'wrong' }],
  ] as const) {
    await service.finished(fingerprint);
    const address = `${service.url}/report/${fingerprint}/1/feedback`;
    const response = await fetch(address, { method: 'POST', body: JSON.stringify(said) });
    assert.equal(response.status, 201);
  }
  const incidents = await readOwnIncidents(join(directory, 'data'));
  assert.deepEqual(incidents.map(({ cause }) => cause), ['The pool of db-0 leaked']);

  const fake = await startFakeModel(t, (heard) => isLast(heard) ? {
    text: JSON.stringify(anAnswer({
      findings: [aFinding({ is: 'said', a: 'E2', quote: 'holds 198 of 200 connections' })],
      culprits: [{ component: 'db-0', since: null }],
    })),
  } : { text: 'Enough.' });
  const before = process.env;
  process.env = { ...before, ...modelAt(fake) };
  t.after(() => (process.env = before));
  const [judged] = await askAbout(incidents);
  assert.ok(judged !== undefined);
  assert.equal(judged.after.narrative.state, 'present', JSON.stringify(judged.after.narrative));
  assert.equal(namesFirstCulprit(judged), true);
});
