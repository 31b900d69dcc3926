import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseCrossSite } from '../../../src/http/checks/same-origin.ts';
import { HttpError } from '../../../src/http/http-errors.ts';

const own = { base: () => 'reports.example:8443', listening: 'Listening.example' };

const writes: readonly (readonly [host: string, origin: string | null, isTaken: boolean])[] = [
  // A name that was made to resolve to the service: nothing in the request tells it from another.
  ['evil.example:8080', 'http://evil.example:8080', false],
  ['evil.example', 'https://evil.example', false],
  ['reports.example.evil.example', 'http://reports.example.evil.example', false],
  ['10.0.0.1.evil.example', 'http://10.0.0.1.evil.example', false],
  ['localhost.evil.example', 'http://localhost.evil.example', false],
  ['evillocalhost', 'http://evillocalhost', false],
  // The name is ours on its own port alone.
  ['reports.example', 'https://reports.example', false],
  ['reports.example:8443', 'https://reports.example:8443', true],
  // Behind a proxy that does not pass the Host on.
  ['alert-analyst:8080', 'https://reports.example:8443', true],
  ['alert-analyst:8080', 'https://evil.example', false],
  ['listening.example:8080', 'http://listening.example:8080', true],
  ['10.0.0.1:8080', 'http://10.0.0.1:8080', true],
  ['[fd00::1]:8080', 'http://[fd00::1]:8080', true],
  ['localhost:8080', 'http://localhost:8080', true],
  ['analyst.localhost', 'http://analyst.localhost', true],
  // An address is nobody else's, but only as the one that was asked.
  ['10.0.0.1:8080', 'http://10.0.0.2:8080', false],
  ['10.0.0.1:8080', 'http://localhost:8080', false],
  // No browser: Alertmanager may know the service by any name.
  ['alert-analyst.monitoring.svc:8080', null, true],
];
for (const [host, origin, isTaken] of writes) {
  test(`a write of ${origin ?? 'a program'} to ${host} is ${isTaken ? 'taken' : 'refused'}`, () => {
    const headers = { host, ...origin !== null && { origin } };
    const check = (): void => refuseCrossSite(headers, own);
    if (isTaken) assert.doesNotThrow(check);
    else assert.throws(check, (error) => error instanceof HttpError && error.status === 403);
    const site = { ...headers, 'sec-fetch-site': 'cross-site' };
    assert.throws(() => refuseCrossSite(site, own), HttpError);
  });
}

test('a browser that sends no Origin is held to its Host', () => {
  for (const site of ['same-origin', 'none']) {
    const check = (host: string): void =>
      refuseCrossSite({ host, 'sec-fetch-site': site }, own);
    for (const host of ['127.0.0.1:8080', 'reports.example:8443']) check(host);
    assert.throws(() => check('evil.example:8080'), HttpError);
  }
});
