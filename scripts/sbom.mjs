/**
 * Prints the bill of materials of the service in CycloneDX 1.6: what runs in production beside
 * Node itself. It is made of package.json, and says: nothing.
 *
 *   node scripts/sbom.mjs
 */
import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const { name, version, license, dependencies = {} } = manifest;
const self = `pkg:npm/${name}@${version}`;
const names = Object.keys(dependencies);
if (names.length > 0) {
  process.stderr.write(`Cannot vouch for packages: ${names.join(', ')}. Use npm sbom.\n`);
  process.exit(1);
}

process.stdout.write(`${JSON.stringify({
  $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: {
    component: {
      'bom-ref': self, type: 'application', name, version, purl: self,
      licenses: [{ license: { id: license } }],
    },
  },
  components: [],
  dependencies: [{ ref: self, dependsOn: [] }],
}, null, 2)}\n`);
