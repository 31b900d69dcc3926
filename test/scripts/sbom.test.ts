import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

interface Bill {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly name: string } };
  readonly components: readonly unknown[];
  readonly dependencies: readonly { readonly dependsOn: readonly string[] }[];
}

test('the bill of materials names the service and no components', () => {
  const script = join(process.cwd(), 'scripts', 'sbom.mjs');
  const { status, stdout } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  assert.equal(status, 0);
  const bill = JSON.parse(stdout) as Bill;
  assert.equal(bill.bomFormat, 'CycloneDX');
  assert.equal(bill.metadata.component.name, 'alert-analyst');
  assert.deepEqual(bill.components, []);
  assert.deepEqual(bill.dependencies.map(({ dependsOn }) => dependsOn), [[]]);
});
