import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withOwnCluster } from '../../src/config/in-cluster.ts';
import { temporaryDirectory, temporaryFile } from '../support/temporary-directory.ts';

const inPod = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };

function serviceAccount(): string {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'token'), 'a token\n');
  return directory;
}

test('withOwnCluster() adds the cluster it runs in, with its service account', () => {
  const directory = serviceAccount();
  assert.deepEqual(withOwnCluster(inPod, directory), {
    ...inPod,
    KUBERNETES_URL: 'https://10.96.0.1:443',
    KUBERNETES_CA_FILE: join(directory, 'ca.crt'),
    KUBERNETES_TOKEN_FILE: join(directory, 'token'),
  });
});

test('withOwnCluster() puts brackets around an address of IPv6', () => {
  const v6 = { ...inPod, KUBERNETES_SERVICE_HOST: 'fd00::1' };
  const around = withOwnCluster(v6, serviceAccount());
  assert.equal(around['KUBERNETES_URL'], 'https://[fd00::1]:443');
});

const credentials: readonly Readonly<Record<string, string>>[] = [
  { KUBERNETES_TOKEN: 'mine' },
  { KUBERNETES_USER: 'analyst', KUBERNETES_PASSWORD_FILE: '/run/password' },
  { KUBERNETES_HEADERS: 'X-Team: a; Authorization: Bearer mine' },
  { KUBERNETES_HEADERS_FILE: temporaryFile('X-Team: a\nAuthorization: Bearer mine\n') },
];
for (const given of credentials) {
  const [name = ''] = Object.keys(given);
  test(`withOwnCluster() adds no token beside ${name}`, () => {
    const around = withOwnCluster({ ...inPod, ...given }, serviceAccount());
    assert.equal(around['KUBERNETES_URL'], 'https://10.96.0.1:443');
    assert.equal(around['KUBERNETES_TOKEN_FILE'], undefined);
    assert.equal(around[name], given[name]);
  });
}

test('withOwnCluster() adds its token beside headers that authorise nothing', () => {
  for (const given of [{ KUBERNETES_HEADERS: 'X-Team: a' }, { KUBERNETES_HEADERS_FILE: '/none' }]) {
    const around = withOwnCluster({ ...inPod, ...given }, serviceAccount());
    assert.notEqual(around['KUBERNETES_TOKEN_FILE'], undefined);
  }
});

const untouched: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'outside of a cluster': {},
  'without a port': { KUBERNETES_SERVICE_HOST: '10.96.0.1' },
  'with an address of its own': { ...inPod, KUBERNETES_URL: 'https://k' },
  'when it is turned off': { ...inPod, KUBERNETES_URL: '' },
};
for (const [when, environment] of Object.entries(untouched)) {
  test(`withOwnCluster() changes nothing ${when}`, () => {
    assert.equal(withOwnCluster(environment, serviceAccount()), environment);
  });
}

test('withOwnCluster() changes nothing in a pod without a service account', () => {
  assert.equal(withOwnCluster(inPod, temporaryDirectory()), inPod);
});
