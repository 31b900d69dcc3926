import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { test, type TestContext } from 'node:test';
import { startChromium } from '../support/browser/chromium.ts';
import { assertQuiet } from '../support/browser/visits.ts';
import { fakeKey, startFakeModel, type FakeModel } from '../support/fake-model/fake-model.ts';
import { listenLocally } from '../support/http/local-server.ts';
import { startTestService } from '../support/programs/running-service.ts';
import { aFinding, anAnswer } from '../support/scripted-model.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const alert = {
  labels: { alertname: 'PoolFull', namespace: 'shop', severity: 'critical', instance: 'db-0' },
  annotations: { summary: 'The pool of db-0 holds 198 of 200 connections' }, fingerprint: 'abc',
};

/** A proxy that holds requests to the model until one is passed, or all are. */
async function startGate(
  t: TestContext,
  model: FakeModel,
): Promise<{
  readonly url: string;
  readonly pass: () => Promise<void>;
  readonly open: () => void;
}> {
  const waiting: (() => void)[] = [];
  let isOpen = false;
  const server = createServer((request, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      waiting.push(() => void forward(Buffer.concat(chunks)));
      if (isOpen) waiting.shift()?.();
    });
    const forward = async (body: Buffer): Promise<void> => {
      const answer = await fetch(`${model.origin}${request.url ?? ''}`, {
        method: 'POST', body,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${fakeKey}` },
      });
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(await answer.text());
    };
  });
  return {
    url: `${await listenLocally(t, server)}/v1`,
    async pass() {
      while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      waiting.shift()?.();
    },
    open() {
      isOpen = true;
      for (const forward of waiting.splice(0)) forward();
    },
  };
}

test('an open page shows the model\'s progress, and then its narrative', async (t) => {
  const model = await startFakeModel(t, ({ tools }) => tools.length > 0
    ? { text: 'Enough.' }
    : {
        text: JSON.stringify(anAnswer({
          reading: 'The pool of db-0 is nearly full. It needs 512.',
          findings: [aFinding({ is: 'said', a: 'E2', quote: 'holds 198 of 200 connections' })],
        })),
      });
  const gate = await startGate(t, model);
  const { url, post, finished } = await startTestService(t, temporaryDirectory(), {
    MODEL_PROVIDER: 'openai-chat', MODEL_URL: gate.url, MODEL_NAME: 'fake', MODEL_API_KEY: fakeKey,
  });
  const page = await (await startChromium(t)).open(t);
  await post([alert]);
  await finished('abc');
  await page.goto(`${url}/report/abc`);
  const saying = (text: string): string =>
    `document.querySelector('#narrative')?.textContent.includes(${JSON.stringify(text)}) === true`;
  await page.until('a mark that a load would wipe out', 'window.isSame = true');
  await page.until('the first step', saying('is gathering evidence, round 1 of 10'));
  await gate.pass();
  await page.until('the second step', saying('is drawing its conclusion'));
  gate.open();
  await page.until('what it wrote', saying('holds 198 of 200 connections'));
  await page.until('by whom', saying('Written by a model'));
  assert.equal(await page.evaluate(saying('512')), false, 'it stands nowhere');
  assert.equal(await page.evaluate('window.isSame'), true);
  await assertQuiet(page);
});
