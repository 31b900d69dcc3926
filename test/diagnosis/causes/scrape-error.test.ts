import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FailedScrape } from '../../../src/sources/prometheus-targets.ts';
import { assertCompleteReport } from '../../support/complete-report.ts';
import { anAlert } from '../../support/samples/alerts.ts';
import { aCaseFile } from '../../support/samples/case-files.ts';
import { concluded, type Concluded } from '../../support/samples/metric-facts.ts';

const evidence = 'E3';

/** An alert on the targets of a job, and the errors of those that are down. */
function withErrors(errors: readonly string[], expression = 'up == 0'): Concluded {
  const alert = anAlert({
    labels: { alertname: 'TargetDown', job: 'api', severity: 'critical' },
    generatorURL: `http://p/graph?g0.expr=${encodeURIComponent(expression)}`,
  });
  const scrapes = errors.map((error, index): FailedScrape => ({
    labels: { job: 'api', instance: `10.0.0.${index}:80` }, error,
  }));
  return concluded(aCaseFile({ alert }), {
    own: null,
    scrape: {
      up: 0, total: errors.length, down: scrapes.map(({ labels }) => labels),
      failed: scrapes.length === 0 ? null : { scrapes, evidence },
    },
    // A target that answered at once until it stopped.
    answers: { 'scrape-timeout': { samples: [0.001] }, 'network-or-auth': { samples: [1] } },
  });
}

/** As Prometheus 2.42 words them. */
const causes: readonly (readonly [error: string, cause: RegExp])[] = [
  ['dial tcp 127.0.0.2:29411: connect: connection refused', /^Nothing listens/u],
  ['dial tcp: lookup db.shop on 10.0.0.10:53: no such host', /does not resolve/u],
  ['dial tcp 10.9.9.9:80: connect: no route to host', /^No network path/u],
  ['context deadline exceeded', /within the timeout/u],
  ['dial tcp 10.9.9.9:80: i/o timeout', /within the timeout/u],
  ['x509: certificate has expired or is not yet valid', /TLS/u],
  ['http: server gave HTTP response to HTTPS client', /TLS/u],
  ['server returned HTTP status 401 Unauthorized', /denies access/u],
  ['server returned HTTP status 404 Not Found', /path/u],
  ['server returned HTTP status 503 Service Unavailable', /an error instead/u],
  ['sample limit exceeded', /a limit of its scrape job/u],
  ['body size limit exceeded', /a limit of its scrape job/u],
  ['EOF', /closes the connection/u],
  ['read tcp 10.0.0.9:5->10.0.0.1:80: read: connection reset by peer', /closes the connection/u],
  ['"INVALID" is not a valid start token', /format of metrics/u],
  ['expected value after metric, got "MNAME"', /format of metrics/u],
];
for (const [error, cause] of causes) {
  test(`a scrape that fails with "${error}" proves why the target is down`, () => {
    const { hypotheses: [first], verdict, report } = withErrors([error]);
    assertCompleteReport(report);
    assert.match(first?.cause ?? '', cause);
    assert.equal(verdict.certainty, 'confirmed');
    assert.deepEqual(first?.for, [{
      text: `Prometheus says of its last scrape of 10.0.0.0:80: ${error}.`, evidence: [evidence],
    }]);
  });
}

test('what Prometheus says of a scrape settles causes that its tests do not', () => {
  const causesOf = ({ hypotheses }: Concluded): readonly string[] =>
    hypotheses.map(({ cause }) => cause);
  const refused = withErrors(['connect: connection refused']);
  assert.ok(!causesOf(refused).some((cause) => /Network, DNS|too slowly|no longer/u.test(cause)));
  const slow = withErrors(['context deadline exceeded']);
  assert.ok(slow.ruled_out.every(({ cause }) => !cause.includes('too slowly')));
  assert.ok(refused.ruled_out.some(({ cause }) => cause.includes('too slowly')));
});

test('an error counts that most of the targets that are down have in common', () => {
  const most = withErrors(['EOF', 'connection refused', 'connection refused']);
  assert.match(most.hypotheses[0]?.for[0]?.text ?? '',
    /of 2 of 3 targets that are down, such as 10\.0\.0\.1:80: connection refused\.$/u);
  assert.notEqual(withErrors(['EOF', 'connection refused']).verdict.certainty, 'confirmed');
  assert.notEqual(withErrors(['an error of tomorrow']).verdict.certainty, 'confirmed');
});

test('a target that is down proves nothing about an alert on something else', () => {
  const other = withErrors(['connection refused'], 'errors_total > 1');
  assert.ok(other.hypotheses.every(({ cause }) => !cause.startsWith('Nothing listens')));
  const recorded = withErrors(['connection refused'], 'job:up:ratio < 0.9');
  assert.match(recorded.hypotheses[0]?.cause ?? '', /^Nothing listens/u);
});
