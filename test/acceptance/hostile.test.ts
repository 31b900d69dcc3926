import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertCompleteReport } from '../support/complete-report.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { withoutOwnScript } from '../support/own-markup.ts';
import { startTestService } from '../support/programs/running-service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const hostile: readonly [string, string][] = [
  ['names that objects inherit', '{"__proto__":"p","constructor":"c","toString":"t"}'],
  ['mark-up', '{"alertname":"<script>alert(1)</script>","x":"\\"><img src=x onerror=alert(1)>"}'],
  ['control characters', '{"alertname":"a\\u0000b\\u001b[31mred\\r\\nX: y","x":"\\u2028"}'],
  ['text that runs the other way', '{"alertname":"\\u202egnp.exe","x":"\\u2066\\u05d0"}'],
  ['a value of 64 KiB', `{"alertname":"Long","x":"${'x'.repeat(64 * 1024)}"}`],
  ['lone surrogates', '{"alertname":"\\ud800","x":"\\udfff"}'],
  ['no label at all', '{}'],
  ['shell and query syntax', '{"alertname":"a","pod":"\'; rm -rf / #","namespace":"\\"} or up{"}'],
];

const running = forAllTests((cleanup) => startTestService(cleanup, temporaryDirectory()));

for (const [index, [name, labels]] of hostile.entries()) {
  test(`an alert with ${name} gets a complete report with its labels as sent`, async () => {
    const { url, finished } = running();
    const fingerprint = `hostile ${index}/?#%00`;
    const body = `{"alerts":[{"fingerprint":${JSON.stringify(fingerprint)},"labels":${labels}}]}`;
    const response = await fetch(`${url}/webhook`, { method: 'POST', body });
    assert.equal(response.status, 200);
    const address = encodeURIComponent(fingerprint);
    const report = await finished(address);
    assert.equal(report.status, 'ready');
    assertCompleteReport(report);
    assert.equal(JSON.stringify(report.alert.labels), JSON.stringify(JSON.parse(labels)));
    for (const path of [`/report/${address}`, '/']) {
      const html = await foreignMarkup(`${url}${path}`);
      assert.doesNotMatch(html, /<script|<img|[\u0000-\u0008\u000b-\u001f\u202a-\u202e]/, path);
    }
  });
}

async function foreignMarkup(address: string): Promise<string> {
  const response = await fetch(address, { headers: { Accept: 'text/html' } });
  const policy = response.headers.get('content-security-policy') ?? '';
  return withoutOwnScript(await response.text(), policy);
}
