import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { sampleNotification } from '../../scripts/samples.ts';
import {
  eventually, findProgram, freePort, runProgram, startProgram,
} from '../support/programs/programs.ts';
import { startAnalyst } from '../support/programs/running-analyst.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface QueryAnswer {
  readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] };
}

interface RulesAnswer {
  readonly data: {
    readonly groups: readonly {
      readonly rules: readonly { readonly name: string; readonly health: string }[];
    }[];
  };
}

const rulesFile = join(process.cwd(), 'scripts/deploy/prometheus-rules.yml');

async function startBusyService(t: TestContext): Promise<string> {
  const { url } = await startAnalyst({ dataDirectory: temporaryDirectory() }, t);
  const body = JSON.stringify(sampleNotification('hostile', 1, Date.now()));
  const accepted = await fetch(`${url}/webhook`, { method: 'POST', body });
  assert.equal(accepted.status, 200);
  assert.equal((await fetch(`${url}/webhook`, { method: 'POST', body: '{' })).status, 400);
  return url;
}

test('promtool check metrics finds nothing wrong', async (t) => {
  const url = await startBusyService(t);
  const input = await (await fetch(`${url}/metrics`)).text();
  const promtool = findProgram('promtool', 'prometheus');
  const { status, output } = await runProgram(promtool, ['check', 'metrics'], { input });
  assert.equal(output, '');
  assert.equal(status, 0);
});

test('Prometheus scrapes the metrics and evaluates the shipped rules on them', async (t) => {
  const url = await startBusyService(t);
  const command = findProgram('prometheus', 'prometheus');
  const directory = temporaryDirectory();
  const file = join(directory, 'prometheus.yml');
  writeFileSync(
    file,
    JSON.stringify({
      global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' },
      rule_files: [rulesFile],
      scrape_configs: [
        { job_name: 'alert-analyst', static_configs: [{ targets: [new URL(url).host] }] },
      ],
    }),
  );
  const port = await freePort();
  const program = startProgram(command, [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(directory, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  t.after(() => program.stop());
  const api = `http://127.0.0.1:${port}/api/v1`;
  const valueOf = async (query: string): Promise<string | null> => {
    const response = await fetch(`${api}/query?query=${encodeURIComponent(query)}`);
    return ((await response.json()) as QueryAnswer).data.result[0]?.value[1] ?? null;
  };
  const up = await eventually('a scrape', () => valueOf('up'), { program });
  assert.equal(up, '1');
  const accepted = 'service_webhook_requests_total{code="200"}';
  assert.equal(await eventually('the requests', () => valueOf(accepted), { program }), '1');

  const rules = await eventually('the rules to be evaluated', async () => {
    const answer = (await (await fetch(`${api}/rules`)).json()) as RulesAnswer;
    const all = answer.data.groups.flatMap((group) => group.rules);
    return all.some(({ health }) => health === 'unknown') ? null : all;
  }, { program });
  assert.ok(rules.length > 0);
  assert.deepEqual(rules.filter(({ health }) => health !== 'ok'), []);
});

test('every metric in the shipped rules is exposed', async (t) => {
  const url = await startBusyService(t);
  const exposed = await (await fetch(`${url}/metrics`)).text();
  const promtool = findProgram('promtool', 'prometheus');
  const { status, output } = await runProgram(promtool, ['check', 'rules', rulesFile]);
  assert.equal(status, 0, output);
  const names = new Set(
    readFileSync(rulesFile, 'utf8').match(/\b(?:service|process|nodejs)_[a-z_]+(?=[{\[ )]|$)/gm),
  );
  assert.ok(names.size > 5);
  const missing = [...names].filter((name) => !new RegExp(`^${name}[{ ]`, 'm').test(exposed));
  assert.deepEqual(missing, []);
});

test('the unit tests of the shipped rules pass', async () => {
  const promtool = findProgram('promtool', 'prometheus');
  const folder = join(process.cwd(), 'scripts/deploy');
  const { status, output } = await runProgram(
    promtool,
    ['test', 'rules', join(folder, 'prometheus-rules.test.yml')],
    { cwd: folder },
  );
  assert.equal(status, 0, output);
});
