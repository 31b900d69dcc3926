/**
 * Prints the service's software bill of materials (CycloneDX 1.6), made from package.json. It lists
 * no components: in production nothing runs but the service and Node.
 *
 *   node scripts/sbom.mjs
 */
import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const { name, version, license, dependencies = {} } = manifest;
const self = `pkg:npm/${name}@${version}`;
const names = Object.keys(dependencies);
if (names.length > 0) {
  process.stderr.write(`package.json has dependencies (${names.join(', ')}): use npm sbom\n`);
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
