/** Nothing makes the service send requests to anybody but its configured sources. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { startAttackedService } from '../support/http/attacked-service.ts';
import { listenLocally } from '../support/http/local-server.ts';

/** Counts connections to a port that nobody should connect to. */
async function startTrap(t: TestContext): Promise<{ port: number; visitors: () => number }> {
  let visitors = 0;
  const server = createTcpServer((socket) => {
    visitors += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, visitors: () => visitors };
}

/** Many ways to write the address of the trap. */
function addressesOf(port: number): string[] {
  const hosts = ['127.0.0.1', 'localhost', '0x7f000001', '2130706433', '127.1', '0.0.0.0',
    '[::ffff:127.0.0.1]', 'user:pass@127.0.0.1', '127.0.0.1.'];
  return [
    ...hosts.map((host) => `http://${host}:${port}/`), `//127.0.0.1:${port}/`,
    `https://127.0.0.1:${port}/`, `http://127.0.0.1:${port}/graph?g0.expr=up+%3D%3D+0`,
    `http://127.0.0.1:${port}/\r\nHost: evil`, `ftp://127.0.0.1:${port}/`, 'file:///etc/passwd',
    `gopher://127.0.0.1:${port}/_x`, `javascript:fetch("http://127.0.0.1:${port}")`,
  ];
}

const fields = ['runbook_url', 'dashboard', 'dashboard_url', 'runbook', 'link', 'logs', 'graph',
  'image', 'prometheus', 'alertmanager', 'url', 'webhook', 'proxy', 'callback', 'instance', 'job',
  'host'];

test('no address in an alert is ever requested, with sources or without', async (t) => {
  const trap = await startTrap(t);
  const source = await startRedirecting(t, trap.port);
  const withSources = { PROMETHEUS_URL: source, ALERTMANAGER_URL: source, LOKI_URL: source };
  for (const environment of [{}, withSources]) {
    const service = await startAttackedService(t, environment);
    const alerts = addressesOf(trap.port).map((address, index) => ({
      status: 'firing', fingerprint: `trap-${index}`, generatorURL: address,
      dashboardURL: address, panelURL: address, silenceURL: address, imageURL: address,
      labels: Object.fromEntries([['alertname', 'Trap'], ...fields.map((name) => [name, address])]),
      annotations: Object.fromEntries(fields.map((name) => [name, address])),
    }));
    for (const address of addressesOf(trap.port).slice(0, 4)) {
      const body = { alerts, externalURL: address, receiver: address, groupKey: address };
      assert.equal((await service.postBody(JSON.stringify(body))).status, 200);
    }
    for (const { fingerprint } of alerts) {
      await service.finished(fingerprint);
      for (const accept of ['text/html', 'text/markdown', 'application/json']) {
        await fetch(`${service.url}/report/${fingerprint}`, { headers: { Accept: accept } });
      }
    }
    await service.assertUnharmed();
  }
  assert.equal(trap.visitors(), 0);
});

/** A source that redirects every request. */
async function startRedirecting(t: TestContext, port: number): Promise<string> {
  const statuses = [301, 302, 303, 307, 308, 300];
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(statuses[asked % statuses.length] ?? 302, {
      Location: `http://127.0.0.1:${port}/`, Refresh: `0; url=http://127.0.0.1:${port}/`,
      'Alt-Svc': `h2="127.0.0.1:${port}"`, Link: `<http://127.0.0.1:${port}/>; rel=preload`,
    });
    response.end('{}');
  });
  t.after(() => assert.ok(asked > 0, 'the source was never queried'));
  return listenLocally(t, server);
}
