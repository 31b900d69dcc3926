import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Reply } from '../../../src/http/exchange.ts';
import { SharedReplies } from '../../../src/http/routes/shared-replies.ts';
import { acceptAll, sampleBody, startFront } from '../../support/http/http-front.ts';
import { RawClient } from '../../support/http/raw-http.ts';
import { emptyList } from '../../support/samples/report-lists.ts';

function page(body: string): Reply {
  return { status: 200, contentType: 'text/html', body, headers: [] };
}

/** Between connections. */
function quiet(): SharedReplies {
  return new SharedReplies(() => false);
}

function plain(shared: SharedReplies, key: string, make: () => Reply | Promise<Reply>) {
  return shared.reply({ key, isGzipped: false }, make);
}

test('SharedReplies makes one reply for all requests of a turn, after the last', async () => {
  const shared = quiet();
  let state = 'before';
  let made = 0;
  const ask = (key: string): Promise<Reply> => plain(shared, key, () => {
    made += 1;
    return page(`${key} ${state}`);
  });
  const asked = [ask('/'), ask('/'), ask('/other')];
  state = 'as the last one asked';
  asked.push(ask('/'));
  const bodies = (await Promise.all(asked)).map(({ body }) => String(body));
  const list = '/ as the last one asked';
  assert.deepEqual(bodies, [list, list, '/other as the last one asked', list]);
  assert.equal(made, 2);
  state = 'later';
  assert.equal(String((await ask('/')).body), '/ later');
});

test('SharedReplies shares a failure, and tries again for later requests', async () => {
  const shared = quiet();
  let fails = true;
  const ask = (): Promise<Reply> => plain(shared, '/', () => {
    if (fails) throw new Error('Broken');
    return page('whole');
  });
  const asked = await Promise.allSettled([ask(), ask()]);
  assert.deepEqual(asked.map(({ status }) => status), ['rejected', 'rejected']);
  fails = false;
  assert.equal(String((await ask()).body), 'whole');
});

test('SharedReplies makes two at a time, later ones in another turn, and shares those that wait',
  async () => {
    const shared = quiet();
    const finish: (() => void)[] = [];
    const begun: string[] = [];
    const ask = (key: string): Promise<Reply> => plain(shared, key, async () => {
      begun.push(key);
      await new Promise<void>((resolve) => finish.push(resolve));
      return page(key);
    });
    const asked = ['a', 'b', 'c', 'd'].map(ask);
    await nextTurn();
    assert.deepEqual(begun, ['a', 'b']);
    asked.push(ask('c'));
    for (const [index, then] of [['a', 'b', 'c'], ['a', 'b', 'c', 'd']].entries()) {
      const before = [...begun];
      finish[index]?.();
      await nextTurn();
      assert.deepEqual(begun, before, 'not in the turn in which another ended');
      await nextTurn();
      assert.deepEqual(begun, then);
    }
    for (const end of finish) end();
    await Promise.all(asked);
    assert.equal(begun.length, 4);
  });

for (const [connections, madeAfter] of [[50, 50], [Infinity, 255]] as const) {
  test(`SharedReplies makes a reply after ${madeAfter} of ${connections} connections`, async () => {
    let accepted = 0;
    const isAccepting = (): boolean => {
      if (accepted === connections) return false;
      accepted += 1;
      return true;
    };
    await plain(new SharedReplies(isAccepting), '/', () => page('/'));
    assert.ok(Math.abs(accepted - madeAfter) <= 1, `${accepted}`);
  });
}

for (const [path, other] of [
  ['/?state=open', '/?state=ended'], ['/incident/00c0ffee00c0ffee', '/incident/00c0ffee00c0ffef'],
  ['/report/abc', '/report/abd'], ['/report/abc/1', '/report/abc/2'],
] as const) {
  test(`GET ${path} is made once for simultaneous requests`, async (t) => {
    let made = 0;
    const front = await startFront(t, {
      reports: {
        list: () => {
          made += 1;
          return Promise.resolve(emptyList);
        },
        incident: () => {
          made += 1;
          return Promise.resolve(null);
        },
        find: () => {
          made += 1;
          return Promise.resolve(null);
        },
      },
    });
    const addresses = [path, path, other, path];
    const clients = await Promise.all(addresses.map(() => RawClient.connect(front.port, t)));
    while (front.server.connections < clients.length) await nextTurn();
    for (const [index, client] of clients.entries()) {
      client.send(`GET ${addresses[index]} HTTP/1.1\r\nHost: a\r\n\r\n`);
    }
    for (const client of clients) assert.ok(await client.answer());
    assert.equal(made, 2);
  });
}

test('a notification on a new connection does not wait for the pages of readers before it',
  async (t) => {
    let made = 0;
    let madeBefore = Infinity;
    const front = await startFront(t, {
      reports: {
        find: () => {
          made += 1;
          return Promise.resolve(null);
        },
      },
      accept: (received) => {
        madeBefore = made;
        return acceptAll(received);
      },
    });
    const answer = (method: string, path: string, body: string): Promise<unknown> =>
      once(request({ port: front.port, method, path, agent: false }).end(body), 'response');
    const readers = Array.from({ length: 100 }, (_, index) =>
      answer('GET', `/report/r${index}`, ''));
    await answer('POST', '/webhook', sampleBody);
    await Promise.all(readers);
    assert.ok(madeBefore < 10, `${madeBefore} pages were made before`);
    assert.equal(made, 100);
    await nextTurn();
    await nextTurn();
    assert.equal(front.server.isAccepting, false);
  });
