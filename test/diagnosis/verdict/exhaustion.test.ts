import assert from 'node:assert/strict';
import test from 'node:test';
import { anAlert } from '../../support/samples/alerts.ts';
import { caseNow } from '../../support/samples/case-files.ts';
import { concluded, latencyCase } from '../../support/samples/metric-facts.ts';

test('verdict tells when nothing is left', () => {
  const generatorURL = 'http://p/graph?g0.expr=disk_avail_bytes+/+disk_size_bytes+*+100+%3C+5';
  const own = {
    valueAtFire: 4.9, valueNow: 4.2, worst: 4.2, trend: null,
    exhaustion: { level: 0, atMs: caseNow + 3_600_000, stretchMs: 1_800_000 },
  };
  const caseFile = latencyCase({ alert: anAlert({ generatorURL }) });
  const { verdict, findings } = concluded(caseFile, { own });
  assert.match(verdict.headline,
    / 4\.2 % of disk size, below .* 5 %, and falling: 0 % at about 11:30 UTC at/u);
  assert.ok(findings.some(({ text }) =>
    text === 'At the pace of the last 30 min it reaches 0 % at about 11:30 UTC.'));
});

test('verdict tells when all is used of what is counted upwards', () => {
  const generatorURL = 'http://p/graph?g0.expr=disk_used_percent+%3E+95';
  const own = {
    valueAtFire: 96, valueNow: 97, worst: 97, trend: null,
    exhaustion: { level: 100, atMs: caseNow + 3_600_000, stretchMs: 1_800_000 },
  };
  const caseFile = latencyCase({ alert: anAlert({ generatorURL }) });
  assert.match(concluded(caseFile, { own }).verdict.headline,
    /97 %, over .* 95 %, and rising: 100 % at about 11:30 UTC at this pace\./u);
});
